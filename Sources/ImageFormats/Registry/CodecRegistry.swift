internal import Synchronization

/// An ordered list of codecs, the most recently registered first.
///
/// A registry is a value: copy it, change it, and pass it where it should apply. `CodecRegistry.default` is used where
/// no registry is given.
public struct CodecRegistry: Sendable {
    private var codecs: [any ImageCodec]

    /// Creates a registry of `codecs`, which identify files in this order.
    public init(_ codecs: [any ImageCodec] = []) {
        self.codecs = codecs
    }

    /// The process's registry, and the number of changes made to it.
    private static let shared = Mutex((registry: CodecRegistry.builtIn, changeCount: 0))

    /// The process's registry: `builtIn` unless it was changed.
    public static var `default`: CodecRegistry {
        get { shared.withLock { $0.registry } }
        set { shared.withLock { $0 = (newValue, $0.changeCount + 1) } }
    }

    /// Changes the process's registry atomically: no concurrent change is lost.
    /// - Parameter body: Runs again, on the newer registry, if another thread changed it first.
    public static func updateDefault(_ body: (inout CodecRegistry) -> Void) {
        // The lock isn't held: the caller's body may use the registry.
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

    /// Puts `codec` first and removes any other codec for the same format.
    public mutating func register(_ codec: any ImageCodec) {
        unregister(codec.format)
        codecs.insert(codec, at: 0)
    }

    /// Removes the codec for `format`, if there is one.
    public mutating func unregister(_ format: ImageFormat) {
        codecs.removeAll { $0.format == format }
    }

    /// Returns the codec for `format`, or nil if there is none.
    public func codec(for format: ImageFormat) -> (any ImageCodec)? {
        codecs.first { $0.format == format }
    }

    /// Returns the capabilities of the codec for `format`; empty if there is none.
    public func capabilities(of format: ImageFormat) -> ImageCapabilities { codec(for: format)?.capabilities ?? [] }

    /// All formats, in the order of their codecs.
    public var formats: [ImageFormat] { codecs.map(\.format) }
    /// The formats that can be decoded.
    public var decodableFormats: [ImageFormat] { codecs.filter(\.canDecode).map(\.format) }
    /// The formats that can be encoded.
    public var encodableFormats: [ImageFormat] { codecs.filter(\.canEncode).map(\.format) }
    /// The formats that can be encoded if their libraries can, none of which is loaded to find out.
    package var maybeEncodableFormats: [ImageFormat] { codecs.filter(\.mayEncode).map(\.format) }

    /// Whether `format` can be decoded.
    public func canDecode(_ format: ImageFormat) -> Bool { codec(for: format)?.canDecode ?? false }
    /// Whether `format` can be encoded.
    public func canEncode(_ format: ImageFormat) -> Bool { codec(for: format)?.canEncode ?? false }

    /// Returns the format of files with this extension. Case and a leading dot are ignored.
    public func format(forFilenameExtension name: String) -> ImageFormat? {
        codecs.first { $0.format.hasFilenameExtension(name) }?.format
    }

    /// Returns the format of this media type. Case and parameters after a semicolon are ignored.
    public func format(forMIMEType type: String) -> ImageFormat? {
        codecs.first { $0.format.hasMIMEType(type) }?.format
    }

    /// Returns the format of this uniform type identifier.
    public func format(forTypeIdentifier identifier: String) -> ImageFormat? {
        codecs.first { $0.format.typeIdentifier == identifier }?.format
    }

    /// Identifies the bytes: the first result of a codec that isn't `unknown`.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        find(probe).match
    }

    /// Finds the codec for the bytes, and its match.
    package func find(_ probe: borrowing FormatProbe) -> (codec: (any ImageCodec)?, match: FormatMatch) {
        for codec in codecs {
            let match = codec.identify(probe)
            // Checked last, and only for a codec that matches: `canDecode` may have to load a library.
            guard match != .unknown, codec.canDecode else { continue }
            switch match {
            case .match(let format, let traits): return (codec, .match(format, traits))
            // The file may still be this codec's, so no later codec is asked before that is certain.
            case .needMoreData(let count) where !probe.isWhole: return (nil, .needMoreData(minimum: count))
            case .needMoreData, .unknown: break
            }
        }
        return (nil, .unknown)
    }
}
