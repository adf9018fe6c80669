package import ImageFormats

/// What formats are called in IIIF addresses. The last three names are ours, the others the standard's.
package enum IIIFFormat {
    private static let names: [(name: String, format: ImageFormat)] = [
        ("jpg", .jpeg), ("png", .png), ("tif", .tiff), ("gif", .gif), ("webp", .webP), ("avif", .avif),
        ("jxl", .jpegXL), ("jpng", .jpng),
    ]

    /// The formats that can be asked for, of those that can be written here.
    package static var available: [ImageFormat] {
        let registry = CodecRegistry.default
        return names.map(\.format).filter { registry.canEncode($0) }
    }

    /// Those that a client can't count on.
    package static var extra: [ImageFormat] { available.filter { $0 != .jpeg && $0 != .png } }

    /// The format called `name`; nil for names that aren't known and formats that can't be written here.
    package static func format(named name: some StringProtocol) -> ImageFormat? {
        guard let format = names.first(where: { $0.name == name })?.format else { return nil }
        return CodecRegistry.default.canEncode(format) ? format : nil
    }

    /// What a format is called.
    package static func name(of format: ImageFormat) -> String {
        names.first { $0.format == format }?.name ?? format.filenameExtension
    }
}
