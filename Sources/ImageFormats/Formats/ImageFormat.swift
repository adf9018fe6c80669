public import Raster

/// A file format, by every name that it goes by.
///
/// An open set: a codec of your own brings a format of its own. Those of this package are declared in their folders. Two
/// formats are equal when their identifiers are.
public struct ImageFormat: Sendable {
    /// The uniform type identifier: `public.jpeg`.
    public let typeIdentifier: String
    /// What people call it: `JPEG`.
    public let name: String
    /// Media types, the one to send first.
    public let mimeTypes: [String]
    /// Filename extensions in lower case without the dot, the one to write first.
    public let filenameExtensions: [String]

    /// What files of the format begin with, where that is enough to know them: one of these.
    package let signatures: [[UInt8]]
    /// Its name in IIIF addresses; nil for one that isn't served there.
    package let iiifName: String?
    /// The library that is loaded when the first file is decoded; nil where what is linked is enough.
    package let library: String?

    /// A format of these names. Traps unless there is at least one media type and one extension.
    public init(typeIdentifier: String, name: String, mimeTypes: [String], filenameExtensions: [String]) {
        self.init(
            typeIdentifier: typeIdentifier, name: name, mimeTypes: mimeTypes, filenameExtensions: filenameExtensions,
            signatures: [], iiifName: nil, library: nil)
    }

    /// A format of this package, with what servers and workers go by.
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

    /// The extension to write.
    public var filenameExtension: String { filenameExtensions[0] }
    /// The media type to send.
    public var mimeType: String { mimeTypes[0] }
}

extension ImageFormat: Hashable {
    /// Whether both have the same identifier.
    public static func == (a: ImageFormat, b: ImageFormat) -> Bool { a.typeIdentifier == b.typeIdentifier }
    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(typeIdentifier) }
}

extension ImageFormat: CustomStringConvertible {
    /// Its name.
    public var description: String { name }
}

extension ImageFormat {
    /// Every format that the package knows by name, whether or not this build can read it.
    ///
    /// No two share an identifier, a media type or an extension. A registry's lookups answer for what can be read and
    /// written, formats of a program's own included; these answer for the names.
    public static let all: [ImageFormat] = CodecRegistry.builtInFormats.flatMap(\.formats)

    /// The format that files with this extension have; nil for one that isn't known. Case and a leading dot don't matter.
    public init?(filenameExtension name: String) {
        guard let format = Self.all.first(where: { $0.hasFilenameExtension(name) }) else { return nil }
        self = format
    }

    /// The format of this media type; nil for one that isn't known. Case doesn't matter, nor what follows a semicolon.
    public init?(mimeType: String) {
        guard let format = Self.all.first(where: { $0.hasMIMEType(mimeType) }) else { return nil }
        self = format
    }

    /// The format of this uniform type identifier; nil for one that isn't known.
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
    /// The format of the file that the pixels come from; nil for an image that a program made, by effects too.
    public var format: ImageFormat? { origin as? ImageFormat }

    /// An image of pixels decoded from a file in `format`.
    package init(_ bitmap: Bitmap, format: ImageFormat, scale: Double = 1) {
        self.init(bitmap, scale: scale, origin: format)
    }
}
