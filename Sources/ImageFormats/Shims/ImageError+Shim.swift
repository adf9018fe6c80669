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

/// A library's object behind a shim, which goes with this one. Nothing else has the pointer.
final class ShimHandle {
    let pointer: OpaquePointer
    private let failure: String
    private let message: (OpaquePointer?) -> UnsafePointer<CChar>?
    private let destroy: (OpaquePointer?) -> Void

    /// Takes over what a shim created.
    /// - Parameters:
    ///   - failure: What is said of the shim's errors, before its message.
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

    /// Throws what a status says, if it is a failure.
    func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        // The message lives as long as the object, and is copied here.
        throw ImageError(shim: status, "\(failure): \(message(pointer).map { String(cString: $0) } ?? "")")
    }
}

extension RawSpan {
    /// Lends the bytes, which the shims copy or read within a call, and how many they are.
    func lend<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
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
