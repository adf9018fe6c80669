internal import Essentials
internal import ImageFormats
internal import Raster

extension ImagePipeline {
    /// The reason that an image, or its bytes, couldn't be delivered.
    public enum Error: Swift.Error {
        /// The task was cancelled.
        case cancelled
        /// No cache has the image, and the request may not load it.
        case dataMissingInCache
        /// The loader, or the request's closure, failed.
        case dataLoadingFailed(any Swift.Error)
        /// The data is empty.
        case dataIsEmpty
        /// The data exceeds `DataFetching.maximumByteCount`, the associated value.
        case dataExceedsMaximumByteCount(Int)
        /// The request waits for itself: its data source, decoder or processor requests the same image.
        case circularRequest
        /// No decoder is registered for these bytes.
        case decoderNotRegistered(ImageDecodingContext)
        /// The decoder failed.
        case decodingFailed(decoder: any ImageDecoding, context: ImageDecodingContext, error: any Swift.Error)
        /// A processor failed.
        case processingFailed(
            processor: any ImageProcessing, context: ImageProcessingContext, error: any Swift.Error)

        /// The stage that failed; nil if none had begun.
        public var stage: Stage? {
            switch self {
            case .cancelled, .circularRequest: nil
            case .dataMissingInCache: .cache
            case .dataLoadingFailed, .dataIsEmpty, .dataExceedsMaximumByteCount: .data
            case .decoderNotRegistered, .decodingFailed: .decode
            case .processingFailed: .process
            }
        }

        /// The error of the loader, decoder or processor; nil for the pipeline's own.
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
    /// Converts the error of a job or loader. In a cancelled task, unknown errors count as cancellation.
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
    /// A description for people.
    public var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .dataMissingInCache: "it isn't in the cache, and the request forbids loading it"
        case .dataLoadingFailed(let error): "it can't be loaded: \(error)"
        case .dataIsEmpty: "it can't be loaded: there are no bytes"
        case .dataExceedsMaximumByteCount(let limit):
            "data exceeds the limit of \(limit) bytes (DataFetching.maximumByteCount)"
        case .circularRequest: "image request waits for itself: its data source, decoder or processor requests it too"
        case .decoderNotRegistered(let context): Self.refusal(of: context)
        case .decodingFailed(_, _, let error): "it can't be decoded: \(error)"
        case .processingFailed(let processor, _, let error):
            "it can't be processed by \(processor.identifier): \(error)"
        }
    }
    /// The reason that no decoder was found: the format, if known, or the missing codec.
    private static func refusal(of context: ImageDecodingContext) -> String {
        let bytes = context.data.bytes
        return context.codecs.refusal(of: FormatProbe(whole: bytes)).message
    }
}

extension ImagePipeline.Error {
    /// Whether other data for the same image might be decodable: the bytes are damaged, or aren't an image.
    var blamesData: Bool {
        switch self {
        case .decoderNotRegistered, .dataIsEmpty: return true
        case .decodingFailed(_, _, let error):
            // These depend on the request, the build or the moment. Custom decoders' errors may have any cause.
            return ![.limitExceeded, .invalidParameter, .unsupported, .outOfMemory, .cancelled, .workerFailed]
                .contains(ImageError(reasonOf: error)?.code)
        default: return false
        }
    }
}

extension ImagePipeline.Error {
    /// The part of a damaged image that could be decoded; nil for other errors.
    package var partialContainer: ImageContainer? {
        guard case .decodingFailed(_, _, let error) = self,
            case .incomplete(let container, _)? = error as? ImageDecodingError
        else { return nil }
        return container
    }
}

extension ImageError {
    /// The reason inside a decoder's error; nil for custom errors.
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
    /// A stage of the pipeline.
    public enum Stage: String, Hashable, Sendable {
        /// Reading the disk cache.
        case cache
        /// Loading bytes.
        case data
        /// Decoding the bytes to an image.
        case decode
        /// Applying a processor.
        case process
        /// Encoding the image for the disk cache.
        case encode
    }
}
