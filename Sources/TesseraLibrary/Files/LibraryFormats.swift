public import CTessera
internal import ImageFormats
internal import Platform

// The functions on the library itself. Their documentation is in tessera.h.

/// Texts that live as long as the process.
private enum LibraryText {
    nonisolated(unsafe) static let version = permanent("0.1.0")

    nonisolated(unsafe) static let statuses = [
        "ok", "unknown format", "corrupt", "truncated", "unsupported", "limit exceeded", "invalid parameter",
        "input/output", "out of memory", "cancelled", "worker failed", "invalid handle", "reentered", "forked", "other",
    ].map(permanent)

    /// A copy that is never freed or changed, so that every thread may read it.
    private static func permanent(_ text: String) -> UnsafePointer<CChar>? { strdup(text).map { UnsafePointer($0) } }
}

/// The library's version, such as "0.1.0".
@c @implementation
public func tessera_version() -> UnsafePointer<CChar>? { LibraryText.version }

/// The name of a status in lower case, such as "unknown format".
@c @implementation
public func tessera_status_name(_ status: tessera_status) -> UnsafePointer<CChar>? {
    let index = Int(status)
    return LibraryText.statuses[LibraryText.statuses.indices.contains(index) ? index : TESSERA_STATUS_OTHER]
}

/// Frees memory that a function returned.
@c @implementation
public func tessera_free(_ memory: UnsafeMutableRawPointer?) { free(memory) }

/// The number of formats that the library lists; 0 in a forked process.
@c @implementation
public func tessera_format_count() -> Int { LibraryCall.isAllowed ? CodecRegistry.default.formats.count : 0 }

/// Describes the format at `index`, from 0.
@c @implementation
public func tessera_format_at(
    _ index: Int, _ info: UnsafeMutablePointer<tessera_format_info>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let formats = CodecRegistry.default.formats
        guard formats.indices.contains(index) else {
            throw LibraryFailure.invalid("there is no format \(index); the library has \(formats.count)")
        }
        try CallerStructure.write(tessera_format_info(formats[index]), to: info, name: "info")
    }
}

extension tessera_format_info {
    /// Describes `format`.
    init(_ format: ImageFormat) {
        self.init()
        CallerStructure.store(format.name, in: &name)
        CallerStructure.store(format.filenameExtension, in: &self.extension)
        CallerStructure.store(format.mimeType, in: &media_type)
        let registry = CodecRegistry.default
        can_decode = registry.canDecode(format) ? 1 : 0
        can_encode = registry.canEncode(format) ? 1 : 0
        can_encode_animation = registry.capabilities(of: format).contains(.encodeAnimation) ? 1 : 0
    }
}
