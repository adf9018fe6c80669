public import Raster

/// An image file format, with its identifier, names, media types and extensions.
///
/// The set is open: a custom codec defines its own format. The built-in formats are declared in their folders. Two
/// formats are equal if their identifiers are.
public struct ImageFormat: Sendable {
    /// The uniform type identifier, such as `public.jpeg`.
    public let typeIdentifier: String
    /// The common name, such as `JPEG`.
    public let name: String
    /// Media types, the preferred one first.
    public let mimeTypes: [String]
    /// Filename extensions in lower case without the dot, the preferred one first.
    public let filenameExtensions: [String]

    /// Alternative byte sequences at the start of a file, if they suffice to identify the format.
    package let signatures: [[UInt8]]
    /// Its name in IIIF URLs; nil if it isn't served there.
    package let iiifName: String?
    /// The library loaded when the first file is decoded; nil if everything is linked.
    package let library: String?

    /// A format with these names. Traps unless there is at least one media type and one extension.
    public init(typeIdentifier: String, name: String, mimeTypes: [String], filenameExtensions: [String]) {
        self.init(
            typeIdentifier: typeIdentifier, name: name, mimeTypes: mimeTypes, filenameExtensions: filenameExtensions,
            signatures: [], iiifName: nil, library: nil)
    }

    /// A built-in format, with properties for servers and workers.
    package init(
        typeIdentifier: String, name: String, mimeTypes: [String], filenameExtensions: [String],
        signatures: [[UInt8]] = [], iiifName: String? = nil, library: String? = nil
    ) {
        precondition(!mimeTypes.isEmpty && !filenameExtensions.isEmpty)
        self.typeIdentifier = typeIdentifier
        self.name = name
        self.mimeTypes = mimeTypes
        self.filenameExtensions = filenameExtensions
        self.signatures = signatures
        self.iiifName = iiifName
        self.library = library
    }

    /// The preferred extension.
    public var filenameExtension: String { filenameExtensions[0] }
    /// The preferred media type.
    public var mimeType: String { mimeTypes[0] }
}

extension ImageFormat: Hashable {
    /// Whether both have the same type identifier.
    public static func == (a: ImageFormat, b: ImageFormat) -> Bool { a.typeIdentifier == b.typeIdentifier }
    /// Hashes the type identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(typeIdentifier) }
}

extension ImageFormat: CustomStringConvertible {
    /// The common name.
    public var description: String { name }
}

extension ImageFormat {
    /// All formats built into the package, whether or not this build can read them.
    ///
    /// No two share an identifier, a media type or an extension. To find only formats that can be read or written,
    /// including a program's own, use a `CodecRegistry`.
    public static let all: [ImageFormat] = CodecRegistry.builtInFormats.flatMap(\.formats)

    /// The built-in format with this filename extension; nil if unknown. Ignores case and a leading dot.
    public init?(filenameExtension name: String) {
        guard let format = Self.all.first(where: { $0.hasFilenameExtension(name) }) else { return nil }
        self = format
    }

    /// The built-in format with this media type; nil if unknown. Ignores case and parameters after a semicolon.
    public init?(mimeType: String) {
        guard let format = Self.all.first(where: { $0.hasMIMEType(mimeType) }) else { return nil }
        self = format
    }

    /// The built-in format with this uniform type identifier; nil if unknown.
    public init?(typeIdentifier: String) {
        guard let format = Self.all.first(where: { $0.typeIdentifier == typeIdentifier }) else { return nil }
        self = format
    }

    func hasFilenameExtension(_ name: String) -> Bool {
        let name = name.lowercased()
        return filenameExtensions.contains(name.hasPrefix(".") ? String(name.dropFirst()) : name)
    }

    func hasMIMEType(_ type: String) -> Bool {
        mimeTypes.contains(type.prefix { $0 != ";" && $0 != " " }.lowercased())
    }
}

extension Image {
    /// The format of the file that the image comes from; nil for an image made by a program or an effect.
    public var format: ImageFormat? { origin as? ImageFormat }

    /// An image with pixels decoded from a file in `format`.
    package init(_ bitmap: Bitmap, format: ImageFormat, scale: Double = 1) {
        self.init(bitmap, scale: scale, origin: format)
    }
}
