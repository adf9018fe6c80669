extension ImageFormat {
    /// Every format that the package knows by name, whether or not this build can read it.
    ///
    /// No two share an identifier, a media type or an extension. A registry's lookups answer for what can be read and
    /// written, formats of a program's own included; these answer for the names.
    public static let all: [ImageFormat] = [
        .jpeg, .png, .jpng, .gif, .webP, .tiff, .heic, .heif, .avif, .jpegXL, .bmp, .ico, .cur, .xbm, .svg,
    ]

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
