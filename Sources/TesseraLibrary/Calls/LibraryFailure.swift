internal import CTessera
internal import Raster

/// A failure with the status that the caller gets.
struct LibraryFailure: Error {
    let status: Int
    let message: String
    let byteOffset: Int?

    init(_ status: Int, _ message: String, byteOffset: Int? = nil) {
        self.status = status
        self.message = message
        self.byteOffset = byteOffset
    }

    init(_ error: ImageError) {
        var message = error.message
        for (property, option) in Self.options { message = message.replacing(property, with: option) }
        self.init(Self.status(of: error.code), message, byteOffset: error.byteOffset)
    }

    /// The parameters that messages name, and the interface's names for them.
    private static let options = [
        ("DecodingLimits.maximumPixelCount", "limits.pixel_count"),
        ("DecodingLimits.maximumSideLength", "limits.side_length"),
        ("DecodingLimits.maximumInputByteCount", "limits.input_byte_count"),
        ("DecodingLimits.maximumWorkingByteCount", "limits.working_byte_count"),
        ("DecodingLimits.maximumMetadataByteCount", "limits.metadata_byte_count"),
        ("DecodingLimits.maximumScanCount", "limits.scan_count"),
        ("DecodingLimits.maximumFrameCount", "limits.frame_count"),
        ("DecodingLimits.maximumCompressionRatio", "limits.compression_ratio"),
        (", or pass as:", ", or name it in the options"),
    ]

    /// A failure for an argument that isn't valid.
    static func invalid(_ message: String) -> LibraryFailure {
        LibraryFailure(TESSERA_STATUS_INVALID_PARAMETER, message)
    }

    static func status(of code: ImageError.Code) -> Int {
        switch code {
        case .unknownFormat: TESSERA_STATUS_UNKNOWN_FORMAT
        case .corrupt: TESSERA_STATUS_CORRUPT
        case .truncated: TESSERA_STATUS_TRUNCATED
        case .unsupported: TESSERA_STATUS_UNSUPPORTED
        case .limitExceeded: TESSERA_STATUS_LIMIT_EXCEEDED
        case .invalidParameter: TESSERA_STATUS_INVALID_PARAMETER
        case .inputOutput: TESSERA_STATUS_INPUT_OUTPUT
        case .outOfMemory: TESSERA_STATUS_OUT_OF_MEMORY
        case .cancelled: TESSERA_STATUS_CANCELLED
        case .workerFailed: TESSERA_STATUS_WORKER_FAILED
        default: TESSERA_STATUS_OTHER
        }
    }
}
