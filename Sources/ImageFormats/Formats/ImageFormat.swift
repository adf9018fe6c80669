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
    /// PNG (ISO/IEC 15948), animated (APNG) or not.
    public static let png = ImageFormat(
        typeIdentifier: "public.png", name: "PNG", mimeTypes: ["image/png", "image/apng", "image/vnd.mozilla.apng"],
        filenameExtensions: ["png", "apng"])
    /// JPNG: a JPEG for the colours, a mask behind it for the transparency. To a program that doesn't know it, a JPEG.
    public static let jpng = ImageFormat(
        typeIdentifier: "org.tessera.jpng", name: "JPNG", mimeTypes: ["image/x-jpng"], filenameExtensions: ["jpng"])
    /// GIF (87a and 89a).
    public static let gif = ImageFormat(
        typeIdentifier: "com.compuserve.gif", name: "GIF", mimeTypes: ["image/gif"], filenameExtensions: ["gif"])
    /// WebP (RFC 9649).
    public static let webP = ImageFormat(
        typeIdentifier: "org.webmproject.webp", name: "WebP", mimeTypes: ["image/webp"], filenameExtensions: ["webp"])
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(
        typeIdentifier: "public.tiff", name: "TIFF", mimeTypes: ["image/tiff"],
        filenameExtensions: ["tiff", "tif", "btf", "tf8"])
    /// HEIF with HEVC (ISO/IEC 23008-12).
    public static let heic = ImageFormat(
        typeIdentifier: "public.heic", name: "HEIC", mimeTypes: ["image/heic", "image/heic-sequence"],
        filenameExtensions: ["heic", "heics"])
    /// HEIF whatever its coding (ISO/IEC 23008-12).
    public static let heif = ImageFormat(
        typeIdentifier: "public.heif", name: "HEIF", mimeTypes: ["image/heif", "image/heif-sequence"],
        filenameExtensions: ["heif", "hif", "heifs"])
    /// AVIF 1.0: HEIF with AV1.
    public static let avif = ImageFormat(
        typeIdentifier: "public.avif", name: "AVIF", mimeTypes: ["image/avif", "image/avif-sequence"],
        filenameExtensions: ["avif", "avifs"])
    /// JPEG XL (ISO/IEC 18181).
    public static let jpegXL = ImageFormat(
        typeIdentifier: "public.jpeg-xl", name: "JPEG XL", mimeTypes: ["image/jxl"], filenameExtensions: ["jxl"])
    /// BMP, Windows' and OS/2's.
    public static let bmp = ImageFormat(
        typeIdentifier: "com.microsoft.bmp", name: "BMP", mimeTypes: ["image/bmp", "image/x-bmp", "image/x-ms-bmp"],
        filenameExtensions: ["bmp", "dib"])
    /// Windows' icons.
    public static let ico = ImageFormat(
        typeIdentifier: "com.microsoft.ico", name: "ICO", mimeTypes: ["image/vnd.microsoft.icon", "image/x-icon"],
        filenameExtensions: ["ico"])
    /// Windows' cursors: icons with a hot spot.
    public static let cur = ImageFormat(
        typeIdentifier: "com.microsoft.cur", name: "CUR",
        mimeTypes: ["image/x-win-bitmap", "image/vnd.microsoft.cursor"], filenameExtensions: ["cur"])
    /// X bitmaps: C source of one bit per pixel.
    public static let xbm = ImageFormat(
        typeIdentifier: "public.xbitmap-image", name: "XBM", mimeTypes: ["image/x-xbitmap", "image/x-xbm"],
        filenameExtensions: ["xbm"])
    /// SVG 1.1, plain or gzipped.
    public static let svg = ImageFormat(
        typeIdentifier: "public.svg-image", name: "SVG", mimeTypes: ["image/svg+xml"],
        filenameExtensions: ["svg", "svgz"])
}
