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

    /// The process's registry, and how often it was changed.
    private static let shared = Mutex((registry: CodecRegistry.builtIn, changeCount: 0))

    /// The process's registry: `builtIn` unless it was changed.
    public static var `default`: CodecRegistry {
        get { shared.withLock { $0.registry } }
        set { shared.withLock { $0 = (newValue, $0.changeCount + 1) } }
    }

    /// Changes the process's registry in one step: no change that somebody else makes meanwhile is lost.
    /// - Parameter body: Called again, with the newer registry, where somebody else was faster.
    public static func updateDefault(_ body: (inout CodecRegistry) -> Void) {
        // Not under the lock, since the body is the caller's and may ask for the registry.
        while true {
            let (old, changeCount) = shared.withLock { $0 }
            var registry = old
            body(&registry)
            let isDone = shared.withLock { shared in
                guard shared.changeCount == changeCount else { return false }
                shared = (registry, changeCount + 1)
                return true
            }
            if isDone { return }
        }
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
        codecs.first { $0.format.hasFilenameExtension(name) }?.format
    }

    /// The format of this media type. Case doesn't matter; parameters after a semicolon are left out of account.
    public func format(forMIMEType type: String) -> ImageFormat? {
        codecs.first { $0.format.hasMIMEType(type) }?.format
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
        for codec in codecs {
            let match = codec.identify(probe)
            // Asked last, and only of whose file it may be: a codec may have to load a library to know.
            guard match != .unknown, codec.canDecode else { continue }
            switch match {
            case .match(let format, let traits): return (codec, .match(format, traits))
            // It may yet be this codec's; those behind it have no say until that is known.
            case .needMoreData(let count) where !probe.isWhole: return (nil, .needMoreData(minimum: count))
            case .needMoreData, .unknown: break
            }
        }
        return (nil, .unknown)
    }
}
