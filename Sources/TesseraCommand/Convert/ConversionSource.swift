internal import JPNGContainer
internal import Tessera

/// A picture that is read to be written again: its rows, fitted into a box.
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
        _ source: any ByteSource, of input: InputLocation, fitting bounds: PixelSize?, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        let decoder = try ImageRowSource(source, options: options, registry: registry) { header in
            DecodingPlan(
                targetSize: bounds.map { header.size.fitted(within: $0, registry.capabilities(of: header.format)) })
        }
        if let error = Self.missingMask(input, decoder.header) { throw error }
        self.decoder = decoder
        header = decoder.header
        rows = try Self.fitted(decoder, of: header, within: bounds, registry)
        note = nil
    }

    /// What there is of a picture that may be damaged.
    /// - Throws: What keeps even the first row from being decoded.
    init(
        partial source: any ByteSource, of input: InputLocation, fitting bounds: PixelSize?, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        let bytes = try WholeFile.read(source, name: "\(input)")
        // A drawing has to know its size beforehand; anything else is decoded in full and reduced.
        var plan = DecodingPlan.full
        if let bounds, let header = try? ImageSource.header(of: bytes, options: options, registry: registry),
            registry.capabilities(of: header.format).contains(.vector)
        {
            plan.targetSize = header.size.fitted(within: bounds, .vector)
        }
        let decoded = try ImageSource.decode(bytes, plan: plan, options: options, registry: registry)
        decoder = nil
        header = decoded.header
        rows = try Self.fitted(decoded.bitmap.makeRowSource(), of: header, within: bounds, registry)
        note = (decoded.error ?? Self.missingMask(input, header)).map {
            "\(input) is damaged: \($0); what there is was written"
        }
    }

    /// What is wrong with a JPNG of which only the JPEG is left: without its end it is one by its name alone.
    private static func missingMask(_ input: InputLocation, _ header: ImageHeader) -> ImageError? {
        guard case .file(let path) = input, header.format == .jpeg,
            ImageFormat.jpng.filenameExtensions.contains(FilePath(path).filenameExtension.lowercased())
        else { return nil }
        if let damage = footerDamage(path) {
            return ImageError(
                .corrupt, "its transparency can't be found: \(damage.message)", byteOffset: damage.offset.map(Int.init))
        }
        return ImageError(
            .truncated, "it is called a JPNG, but the footer at its end is missing, and with it the transparency")
    }

    /// What is wrong with a footer that is there.
    private static func footerDamage(_ path: String) -> JPNGError? {
        guard let file = try? FileByteSource(path: path), let length = file.byteCount,
            let tail = try? file.suffix(64)
        else { return nil }
        do throws(JPNGError) {
            _ = try JPNGFooter.read(tail: tail.span.bytes, totalLength: Int64(length))
            return nil
        } catch {
            return error
        }
    }

    private static func fitted(
        _ rows: any RowSource, of header: ImageHeader, within bounds: PixelSize?, _ registry: CodecRegistry
    ) throws(ImageError) -> any RowSource {
        guard
            let target = bounds.map({
                header.size.fitted(within: $0, registry.capabilities(of: header.format))
            }), target != rows.info.size
        else { return rows }
        return try ResamplingRowSource(rows, to: target)
    }

    /// Checks what follows the last row.
    func finish() throws(ImageError) { try decoder?.finish() }
}

extension PixelSize {
    /// The size that a picture of this one gets within `bounds`: a drawing fills them, pixels are not enlarged.
    fileprivate func fitted(within bounds: PixelSize, _ capabilities: ImageCapabilities) -> PixelSize {
        guard capabilities.contains(.vector), width < bounds.width, height < bounds.height else {
            return fitted(within: bounds)
        }
        let scale = min(Double(bounds.width) / Double(width), Double(bounds.height) / Double(height))
        return PixelSize(
            width: min(bounds.width, Int((Double(width) * scale).rounded())),
            height: min(bounds.height, Int((Double(height) * scale).rounded())))
    }
}
