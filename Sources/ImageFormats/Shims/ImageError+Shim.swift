internal import CTesseraShim
internal import Raster

extension ImageError {
    /// What a status of a shim, a failure, stands for.
    package init(shim status: Int32, _ message: String, byteOffset: Int? = nil) {
        let code: Code =
            switch status {
            case Int32(TESSERA_TRUNCATED): .truncated
            case Int32(TESSERA_UNSUPPORTED): .unsupported
            case Int32(TESSERA_NO_MEMORY): .outOfMemory
            case Int32(TESSERA_LIMIT): .limitExceeded
            case Int32(TESSERA_MISUSE): .invalidParameter
            case Int32(TESSERA_CANCELLED): .cancelled
            default: .corrupt
            }
        self.init(code, message, byteOffset: byteOffset)
    }
}

extension PixelFormat {
    /// The shims' number for it.
    var shimNumber: UInt8 {
        switch self {
        case .gray8: UInt8(TESSERA_GRAY8)
        case .gray16: UInt8(TESSERA_GRAY16)
        case .rgba8: UInt8(TESSERA_RGBA8)
        case .rgba16: UInt8(TESSERA_RGBA16)
        }
    }
}
