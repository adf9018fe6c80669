internal import Essentials
internal import ImageFormats
internal import Raster

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
        /// The data has more bytes than `DataFetching.maximumByteCount`, which is the value.
        case dataExceedsMaximumByteCount(Int)
        /// The request waits for itself: its data source, decoder or processor requests the same image.
        case circularRequest
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
            case .cancelled, .circularRequest: nil
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
        case DataLoadingError.tooLarge(let limit): self = .dataExceedsMaximumByteCount(limit)
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
        case .dataExceedsMaximumByteCount(let limit): "data exceeds the limit of \(limit) bytes"
        case .circularRequest: "image request waits for itself: its data source, decoder or processor requests it too"
        case .decoderNotRegistered(let context): Self.refusal(of: context)
        case .decodingFailed(_, _, let error): "it can't be decoded: \(error)"
        case .processingFailed(let processor, _, let error):
            "it can't be processed by \(processor.identifier): \(error)"
        }
    }
    /// Why no decoder was found: the format where it is known, or what is missing to read it.
    private static func refusal(of context: ImageDecodingContext) -> String {
        let bytes = context.data.bytes
        return context.codecs.refusal(of: FormatProbe(whole: bytes)).message
    }
}

extension ImagePipeline.Error {
    /// Whether other data for the same image may be decodable: the bytes are damaged, or no image at all.
    var blamesData: Bool {
        switch self {
        case .decoderNotRegistered, .dataIsEmpty: return true
        case .decodingFailed(_, _, let error):
            // These depend on the request, the build or the moment. Other decoders' errors may mean anything.
            return ![.limitExceeded, .invalidParameter, .unsupported, .outOfMemory, .cancelled, .workerFailed]
                .contains(ImageError(reasonOf: error)?.code)
        default: return false
        }
    }
}

extension ImageError {
    /// What is wrong with the bytes that a decoder failed with `error` for; nil for a decoder's own error.
    init?(reasonOf error: any Error) {
        if case .incomplete(_, let reason)? = error as? ImageDecodingError {
            self = reason
        } else if let error = error as? ImageError {
            self = error
        } else {
            return nil
        }
    }
}

extension ImagePipeline {
    /// One of the stages that a picture passes.
    public enum Stage: String, Hashable, Sendable {
        /// Looking into the disk cache.
        case cache
        /// Loading bytes.
        case data
        /// Making a picture of bytes.
        case decode
        /// Doing to it what was asked for.
        case process
        /// Making bytes of it for the disk cache.
        case encode
    }
}
