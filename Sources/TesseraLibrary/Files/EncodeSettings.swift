internal import CTessera
internal import ImageFormats
internal import Raster

/// The options for encoding.
struct EncodeSettings {
    /// The format; nil for that of the path's extension.
    let format: ImageFormat?
    let encoding: EncodingOptions
    let keeping: MetadataPolicy
    let overwrites: Bool
    let progress: tessera_progress?
    let context: UnsafeMutableRawPointer?

    init(_ pointer: UnsafePointer<tessera_encode_options>?) throws {
        let options = try CallerStructure.read(pointer, name: "options")
        let name = try CallerText.read(options.format, name: "format")
        format = try name.map(Self.format(named:))
        var encoding = EncodingOptions(
            quality: try CallerText.quality(options.quality, standard: 0.8), isLossless: options.lossless != 0,
            loopCount: try CallerText.count(options.loop_count, name: "loop_count", standard: 0))
        if options.has_background != 0 { encoding.background = RGBA8(rgb: options.background) }
        func limit(_ value: Int64, _ name: String) throws(LibraryFailure) -> Int? {
            let count = try CallerText.count(value, name: name, standard: 0)
            return count > 0 ? count : nil
        }
        encoding.maximumPixelSize = try limit(options.maximum_side, "maximum_side")
        encoding.maximumByteCount = try limit(options.maximum_byte_count, "maximum_byte_count")
        encoding.embeddedThumbnailSize = try limit(options.thumbnail_side, "thumbnail_side")
        for setting in try CallerText.read(options.settings, name: "settings")?.split(separator: " ") ?? [] {
            try Self.set(setting, of: format, in: &encoding)
        }
        self.encoding = encoding
        switch Int(options.keeps) {
        case TESSERA_KEEP_NONE: keeping = .none
        case TESSERA_KEEP_PROFILE: keeping = .profile
        case TESSERA_KEEP_ALL: keeping = .all
        default: throw LibraryFailure.invalid("keeps of \(options.keeps) is none of TESSERA_KEEP_…")
        }
        overwrites = options.keeps_existing == 0
        (progress, context) = (options.progress, options.context)
    }

    /// The format, which a call without a path requires.
    func requiredFormat() throws(LibraryFailure) -> ImageFormat {
        guard let format else { throw .invalid("no format to write: set options.format") }
        return format
    }

    /// Returns the format with this name, filename extension or media type.
    static func format(named name: String) throws(LibraryFailure) -> ImageFormat {
        let registry = CodecRegistry.default
        let format =
            registry.format(forFilenameExtension: name) ?? registry.format(forMIMEType: name)
            ?? registry.formats.first { $0.name.lowercased() == name.lowercased() }
        guard let format else { throw .invalid("there is no image format \"\(name)\"") }
        return format
    }

    /// Sets an option, of `format` or of another, written NAME or NAME=VALUE.
    private static func set(
        _ setting: Substring, of format: ImageFormat?, in encoding: inout EncodingOptions
    ) throws {
        let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = FormatOption.named(parts[0], for: format) else {
            throw LibraryFailure.invalid("settings: no format has the option \"\(parts[0])\"")
        }
        guard (option.valueName != nil) == (parts.count == 2) else {
            throw LibraryFailure.invalid(
                "settings: write \(option.name)\(option.valueName.map { "=\($0.uppercased())" } ?? " without a value")")
        }
        do throws(ImageError) {
            try option.set(parts.count == 2 ? String(parts[1]) : "", &encoding)
        } catch {
            throw LibraryFailure.invalid("settings: \(option.name): \(error.message)")
        }
    }
}
