internal import CTesseraShim
package import Raster

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
            default: .corrupt
            }
        self.init(code, message, byteOffset: byteOffset)
    }
}
