internal import JPNGContainer
internal import ImageFormats
internal import Raster
internal import Tessera

/// An image opened for conversion: its rows with the change applied.
struct ConversionSource {
    /// The decoded rows, resized or with effects.
    let rows: any RowSource
    /// The header of the file.
    let header: ImageHeader
    /// The damage of an image that is only partly there; nil if it is complete.
    let note: String?
    private let decoder: ImageRowSource?

    /// Creates a source of pixels that are already decoded.
    init(_ rows: any RowSource, header: ImageHeader, note: String?) {
        (self.rows, self.header, self.note) = (rows, header, note)
        decoder = nil
    }

    /// Opens an image whose rows are decoded while the file is read.
    init(
        _ source: Source, of input: InputLocation, changing change: PixelChange, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        let decoder = try ImageRowSource(source, options: options, registry: registry) {
            (header) throws(ImageError) in try change.plan(for: header, registry)
        }
        if let error = Self.missingMask(source, input, decoder.header) { throw error }
        self.decoder = decoder
        header = decoder.header
        rows = try change.applied(to: decoder, of: header, registry)
        note = nil
    }

    /// Decodes the intact part of an image that may be damaged.
    /// - Throws: An error if not even the first row can be decoded.
    init(
        partial source: Source, of input: InputLocation, changing change: PixelChange, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        let bytes = try source.bytes()
        let known = try? ImageSource.header(of: bytes, options: options, registry: registry)
        var plan = try known.map { (header) throws(ImageError) in try change.plan(for: header, registry) } ?? .full
        // A vector image needs its size before rendering; others are decoded in full and resampled.
        if let known, !registry.capabilities(of: known.format).contains(.vector) { plan.targetSize = nil }
        let decoded = try ImageSource.decode(bytes, plan: plan, options: options, registry: registry)
        decoder = nil
        header = decoded.header
        rows = try change.applied(to: decoded.bitmap.makeRowSource(), of: header, registry)
        note = (decoded.error ?? Self.missingMask(source, input, header)).map {
            "\(input) is damaged: \($0); the readable part was written"
        }
    }

    /// Returns the error for a file named .jpng that is only a JPEG, because its end with mask and footer is missing.
    private static func missingMask(
        _ source: Source, _ input: InputLocation, _ header: ImageHeader
    ) -> ImageError? {
        guard case .file(let path) = input, header.format == .jpeg,
            ImageFormat.jpng.filenameExtensions.contains(FilePath(path).filenameExtension.lowercased())
        else { return nil }
        if let damage = footerDamage(source) {
            return ImageError(
                .corrupt, "its transparency can't be found: \(damage.message)", byteOffset: damage.offset.map(Int.init))
        }
        return ImageError(
            .truncated, "it is called a JPNG, but the footer at its end is missing, and so is the transparency")
    }

    /// Returns the error of a damaged footer; nil if it is sound or absent.
    private static func footerDamage(_ source: Source) -> JPNGError? {
        guard let length = source.byteCount, let tail = try? source.suffix(64) else { return nil }
        do throws(JPNGError) {
            _ = try JPNGFooter.read(tail: tail.span.bytes, totalLength: Int64(length))
            return nil
        } catch {
            return error
        }
    }

    /// Checks the file after the last row.
    func finish() throws(ImageError) { try decoder?.finish() }
}
