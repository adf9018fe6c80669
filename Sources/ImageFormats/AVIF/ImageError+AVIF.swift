#if AVIF
internal import CTesseraAVIF
internal import Raster

extension ImageError {
    /// What a status of the shim, a failure, stands for.
    init(avif status: Int32, _ message: String) {
        let code: Code =
            switch status {
            case Int32(TESSERA_AVIF_TRUNCATED): .truncated
            case Int32(TESSERA_AVIF_UNSUPPORTED): .unsupported
            case Int32(TESSERA_AVIF_NO_MEMORY): .outOfMemory
            case Int32(TESSERA_AVIF_LIMIT): .limitExceeded
            case Int32(TESSERA_AVIF_MISUSE): .invalidParameter
            default: .corrupt
            }
        self.init(code, message)
    }
}

extension PixelFormat {
    /// The shim's name for it.
    var avif: UInt8 {
        switch self {
        case .gray8: UInt8(TESSERA_AVIF_GRAY8)
        case .gray16: UInt8(TESSERA_AVIF_GRAY16)
        case .rgba8: UInt8(TESSERA_AVIF_RGBA8)
        case .rgba16: UInt8(TESSERA_AVIF_RGBA16)
        }
    }
}
#endif
