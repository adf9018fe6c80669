internal import CTesseraShim
internal import Raster

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
