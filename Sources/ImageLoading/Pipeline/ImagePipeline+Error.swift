extension ImagePipeline {
    /// Why a picture, or its bytes, didn't arrive.
    public enum Error: Swift.Error {
        /// The task was cancelled.
        case cancelled
        /// Nothing was to be loaded and no cache has it.
        case dataMissingInCache
        /// The loader failed, or the closure that the request has in its place.
        case dataLoadingFailed(any Swift.Error)
        /// There were no bytes.
        case dataIsEmpty
        /// There are more bytes than the pipeline's configuration allows.
        case dataExceedsMaximumByteCount(Int)
        /// No registered decoder is for these bytes.
        case decoderNotRegistered(ImageDecodingContext)
        /// The decoder failed.
        case decodingFailed(decoder: any ImageDecoding, context: ImageDecodingContext, error: any Swift.Error)
        /// A processor failed.
        case processingFailed(
            processor: any ImageProcessing, context: ImageProcessingContext, error: any Swift.Error)

        /// The stage that failed; nil where none had begun.
        public var stage: Stage? {
            switch self {
            case .cancelled: nil
            case .dataMissingInCache: .cache
            case .dataLoadingFailed, .dataIsEmpty, .dataExceedsMaximumByteCount: .data
            case .decoderNotRegistered, .decodingFailed: .decode
            case .processingFailed: .process
            }
        }

        /// What the stage reported; nil where the pipeline itself did.
        public var underlying: (any Swift.Error)? {
            switch self {
            case .dataLoadingFailed(let error): error
            case .decodingFailed(_, _, let error): error
            case .processingFailed(_, _, let error): error
            default: nil
            }
        }
    }
}

extension ImagePipeline.Error {
    /// What a job, or a loader in it, reported. Whatever fails in a job that is cancelled is for that reason.
    init(_ error: any Swift.Error) {
        switch error {
        case let error as ImagePipeline.Error: self = error
        case is CancellationError: self = .cancelled
        default: self = Task.isCancelled ? .cancelled : .dataLoadingFailed(error)
        }
    }
}

extension ImagePipeline.Error: CustomStringConvertible {
    /// What happened, for people.
    public var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .dataMissingInCache: "it isn't in the cache, and was not to be loaded"
        case .dataLoadingFailed(let error): "it can't be loaded: \(error)"
        case .dataIsEmpty: "it can't be loaded: there are no bytes"
        case .dataExceedsMaximumByteCount(let count): "it has more than \(count) bytes"
        case .decoderNotRegistered: "the bytes are in no format that can be read here"
        case .decodingFailed(_, _, let error): "it can't be decoded: \(error)"
        case .processingFailed(let processor, _, let error):
            "it can't be processed by \(processor.identifier): \(error)"
        }
    }
}
