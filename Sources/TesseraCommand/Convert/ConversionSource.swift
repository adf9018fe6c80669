internal import JPNGContainer
internal import ImageFormats
internal import Raster
internal import Tessera

/// A picture that is read to be written again: its rows, with what is to become of them.
struct ConversionSource {
    /// The rows.
    let rows: any RowSource
    /// What the file says of the picture.
    let header: ImageHeader
    /// What is wrong with the part of the picture that there is.
    let note: String?
    private let decoder: ImageRowSource?

    /// A picture whose rows come while the file is read.
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

    /// What there is of a picture that may be damaged.
    /// - Throws: What keeps even the first row from being decoded.
    init(
        partial source: Source, of input: InputLocation, changing change: PixelChange, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        let bytes = try source.bytes()
        let known = try? ImageSource.header(of: bytes, options: options, registry: registry)
        var plan = try known.map { (header) throws(ImageError) in try change.plan(for: header, registry) } ?? .full
        // A drawing has to know its size beforehand; anything else is decoded in full and reduced.
        if let known, !registry.capabilities(of: known.format).contains(.vector) { plan.targetSize = nil }
        let decoded = try ImageSource.decode(bytes, plan: plan, options: options, registry: registry)
        decoder = nil
        header = decoded.header
        rows = try change.applied(to: decoded.bitmap.makeRowSource(), of: header, registry)
        note = (decoded.error ?? Self.missingMask(source, input, header)).map {
            "\(input) is damaged: \($0); what there is was written"
        }
    }

    /// What is wrong with a JPNG of which only the JPEG is left: without its end it is one by its name alone.
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
            .truncated, "it is called a JPNG, but the footer at its end is missing, and with it the transparency")
    }

    /// What is wrong with a footer that is there.
    private static func footerDamage(_ source: Source) -> JPNGError? {
        guard let length = source.byteCount, let tail = try? source.suffix(64) else { return nil }
        do throws(JPNGError) {
            _ = try JPNGFooter.read(tail: tail.span.bytes, totalLength: Int64(length))
            return nil
        } catch {
            return error
        }
    }

    /// Checks what follows the last row.
    func finish() throws(ImageError) { try decoder?.finish() }
}
