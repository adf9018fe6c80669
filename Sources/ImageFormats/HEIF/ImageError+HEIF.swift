#if HEIF
internal import CTesseraHEIF
internal import Raster

extension ImageError {
    /// What a status of the shim, a failure, stands for.
    init(heif status: Int32, _ message: String) {
        let code: Code =
            switch status {
            case Int32(TESSERA_HEIF_TRUNCATED): .truncated
            case Int32(TESSERA_HEIF_UNSUPPORTED): .unsupported
            case Int32(TESSERA_HEIF_NO_MEMORY): .outOfMemory
            case Int32(TESSERA_HEIF_LIMIT): .limitExceeded
            case Int32(TESSERA_HEIF_MISUSE): .invalidParameter
            default: .corrupt
            }
        self.init(code, message)
    }
}

extension PixelFormat {
    /// The shim's name for it.
    var heif: UInt8 {
        switch self {
        case .gray8: UInt8(TESSERA_HEIF_GRAY8)
        case .gray16: UInt8(TESSERA_HEIF_GRAY16)
        case .rgba8: UInt8(TESSERA_HEIF_RGBA8)
        case .rgba16: UInt8(TESSERA_HEIF_RGBA16)
        }
    }
}
#endif
