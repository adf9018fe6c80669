internal import CTesseraShim
internal import Raster

extension ImageError {
    /// Converts a shim's failure status to an error.
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

/// Owns the object that a shim created for a library, and destroys it at the end. Nothing else has the pointer.
final class ShimHandle {
    let pointer: OpaquePointer
    private let failure: String
    private let message: (OpaquePointer?) -> UnsafePointer<CChar>?
    private let destroy: (OpaquePointer?) -> Void

    /// Takes ownership of `pointer`.
    /// - Parameters:
    ///   - failure: The text before the shim's message in errors.
    /// - Throws: `outOfMemory` for nil.
    init(
        _ pointer: OpaquePointer?, _ name: String, failing failure: String,
        _ message: @escaping (OpaquePointer?) -> UnsafePointer<CChar>?, destroy: @escaping (OpaquePointer?) -> Void
    ) throws(ImageError) {
        guard let pointer else { throw ImageError(.outOfMemory, "no memory for \(name)") }
        self.pointer = pointer
        self.failure = failure
        self.message = message
        self.destroy = destroy
    }

    deinit { destroy(pointer) }

    /// Throws the error for a failure status, which is negative; otherwise does nothing.
    func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        // The message lives as long as the object; it is copied here.
        throw ImageError(shim: status, "\(failure): \(message(pointer).map { String(cString: $0) } ?? "")")
    }
}

extension RawSpan {
    /// Lends the bytes and their count for one call, in which the shim copies or reads them.
    func lend<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
    }
}

extension PixelFormat {
    /// The value of this format in the shims' headers.
    var shimNumber: UInt8 {
        switch self {
        case .gray8: UInt8(TESSERA_GRAY8)
        case .gray16: UInt8(TESSERA_GRAY16)
        case .rgba8: UInt8(TESSERA_RGBA8)
        case .rgba16: UInt8(TESSERA_RGBA16)
        }
    }
}
