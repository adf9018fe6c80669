internal import Synchronization

/// The codecs that a program knows, the newest first.
///
/// A value: take a copy, change it, and pass it where it should hold. `CodecRegistry.default` is the one that is used
/// where none is named.
public struct CodecRegistry: Sendable {
    private var codecs: [any ImageCodec]

    /// A registry of `codecs`, the first one asked first.
    public init(_ codecs: [any ImageCodec] = []) {
        self.codecs = codecs
    }

    private static let shared = Mutex(CodecRegistry.builtIn)

    /// The process's registry: `builtIn` unless it was changed.
    public static var `default`: CodecRegistry {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// Changes the process's registry in one step.
    public static func updateDefault(_ body: (inout CodecRegistry) -> Void) {
        // Not under the lock: the body is the caller's. Two updates at once may lose one, as with any get and set.
        var registry = Self.default
        body(&registry)
        Self.default = registry
    }

    /// Puts `codec` first; one that was there for the same format goes.
    public mutating func register(_ codec: any ImageCodec) {
        unregister(codec.format)
        codecs.insert(codec, at: 0)
    }

    /// Removes the codec for `format`, if there is one.
    public mutating func unregister(_ format: ImageFormat) {
        codecs.removeAll { $0.format == format }
    }

    /// The codec for `format`.
    public func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.first { $0.format == format }
    }

    /// What the codec for `format` can do; nothing where there is none.
    public func capabilities(of format: ImageFormat) -> ImageCapabilities { codec(for: format)?.capabilities ?? [] }

    /// All formats, the newest first.
    public var formats: [ImageFormat] { codecs.map(\.format) }
    /// The formats that can be read.
    public var decodableFormats: [ImageFormat] { codecs.filter(\.canDecode).map(\.format) }
    /// The formats that can be written.
    public var encodableFormats: [ImageFormat] { codecs.filter(\.canEncode).map(\.format) }

    /// Whether `format` can be read.
    public func canDecode(_ format: ImageFormat) -> Bool { codec(for: format)?.canDecode ?? false }
    /// Whether `format` can be written.
    public func canEncode(_ format: ImageFormat) -> Bool { codec(for: format)?.canEncode ?? false }

    /// The format that files with this extension have. Case and a leading dot don't matter.
    public func format(forFilenameExtension name: String) -> ImageFormat? {
        let name = name.lowercased()
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        return codecs.first { $0.format.filenameExtensions.contains(bare) }?.format
    }

    /// The format of this media type. Case doesn't matter; parameters after a semicolon are left out of account.
    public func format(forMIMEType type: String) -> ImageFormat? {
        let bare = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return codecs.first { $0.format.mimeTypes.contains(bare) }?.format
    }

    /// The format of this uniform type identifier.
    public func format(forTypeIdentifier identifier: String) -> ImageFormat? {
        codecs.first { $0.format.typeIdentifier == identifier }?.format
    }

    /// What the bytes are: the first codec's word that isn't `unknown`.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        find(probe).match
    }

    /// The codec that the bytes are for, and what it said of them.
    package func find(_ probe: borrowing FormatProbe) -> (codec: (any ImageCodec)?, match: FormatMatch) {
        let hasAllBytes = probe.totalByteCount.map { probe.prefix.byteCount >= $0 } ?? false
        for codec in codecs where codec.canDecode {
            switch codec.identify(probe) {
            case .match(let format, let traits): return (codec, .match(format, traits))
            // It may yet be this codec's; those behind it have no say until that is known.
            case .needMoreData(let count) where !hasAllBytes: return (nil, .needMoreData(minimum: count))
            case .needMoreData, .unknown: break
            }
        }
        return (nil, .unknown)
    }
}
