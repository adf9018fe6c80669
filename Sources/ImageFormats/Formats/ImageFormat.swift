/// A file format, by every name that it goes by.
///
/// An open set: a codec of your own brings a format of its own. Two formats are equal when their identifiers are.
public struct ImageFormat: Sendable {
    /// The uniform type identifier: `public.jpeg`.
    public let typeIdentifier: String
    /// What people call it: `JPEG`.
    public let name: String
    /// Media types, the one to send first.
    public let mimeTypes: [String]
    /// Filename extensions in lower case without the dot, the one to write first.
    public let filenameExtensions: [String]

    /// A format of these names. Traps unless there is at least one media type and one extension.
    public init(typeIdentifier: String, name: String, mimeTypes: [String], filenameExtensions: [String]) {
        precondition(!mimeTypes.isEmpty && !filenameExtensions.isEmpty)
        self.typeIdentifier = typeIdentifier
        self.name = name
        self.mimeTypes = mimeTypes
        self.filenameExtensions = filenameExtensions
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
    /// JPEG (ITU-T T.81 in a JFIF, EXIF or Adobe file).
    public static let jpeg = ImageFormat(
        typeIdentifier: "public.jpeg", name: "JPEG", mimeTypes: ["image/jpeg", "image/jpg"],
        filenameExtensions: ["jpg", "jpeg", "jpe", "jfif"])
    /// PNG (ISO/IEC 15948).
    public static let png = ImageFormat(
        typeIdentifier: "public.png", name: "PNG", mimeTypes: ["image/png"], filenameExtensions: ["png"])
    /// JPNG: a JPEG for the colours, a mask behind it for the transparency. To a program that doesn't know it, a JPEG.
    public static let jpng = ImageFormat(
        typeIdentifier: "org.tessera.jpng", name: "JPNG", mimeTypes: ["image/x-jpng"], filenameExtensions: ["jpng"])
}
