import ImageFormats
import Raster

extension FuzzTarget {
    /// A target that decodes with one codec: at once, then in pieces. Where the one gives a whole picture, the other
    /// must give the same; the same pixels only if `comparesPixels` says so of the header.
    static func decoding(
        _ name: String, with codec: any ImageCodec, seedExtensions: [String],
        comparesPixels: @escaping @Sendable (ImageHeader) -> Bool = { _ in true },
        seeds: @escaping @Sendable () -> [[UInt8]]
    ) -> FuzzTarget {
        FuzzTarget(
            name: name, seedExtensions: seedExtensions, seeds: { seeds() + Fixtures.encoded(with: codec) }
        ) { input in
            let registry = CodecRegistry([codec])
            let header = try? ImageSource.header(of: input, options: options, registry: registry)
            let whole = try? ImageSource.decode(input, options: options, registry: registry)
            if let whole {
                precondition(header?.storedSize == whole.header.storedSize)
                smaller(than: whole, input, registry)
                eighth(of: whole, input, registry)
            }
            // Every pass as it comes, for every other input: the last byte is in none of the file's fields but a check.
            let source = ImageSource(
                options: options, deliversPreviews: input.last.map { $0 & 1 == 0 } ?? true, registry: registry)
            do {
                var splits = Splits(input)
                while let piece = splits.next() { try source.append(input.span.bytes.extracting(piece)) }
                try source.finish()
            } catch {
                // The source says the same.
            }
            let inPieces = try? source.currentBitmap()
            guard let whole, whole.error == nil else { return }
            precondition(source.error == nil, "in pieces: \(source.error!)")
            precondition(inPieces?.info == whole.bitmap.info)
            guard comparesPixels(whole.header) else { return }
            precondition(inPieces?.tightBytes() == whole.bitmap.tightBytes())
        }
    }

    /// Decodes a part of the picture at a fraction of its size.
    private static func smaller(than whole: DecodedImage, _ input: [UInt8], _ registry: CodecRegistry) {
        let size = whole.bitmap.size
        let target = PixelSize(width: (size.width + 4) / 5, height: (size.height + 4) / 5)
        let region = PixelRect(
            x: size.width / 3, y: size.height / 3, width: size.width - size.width / 3,
            height: size.height - size.height / 3)
        for plan in [DecodingPlan(targetSize: target), DecodingPlan(region: region)] {
            let part = try? ImageSource.decode(input, plan: plan, options: options, registry: registry)
            guard let part, part.error == nil else { continue }
            let wanted = plan.targetSize ?? region.size
            precondition(part.bitmap.width >= wanted.width && part.bitmap.height >= wanted.height)
        }
    }

    /// Decodes at an eighth of the size, for the last pass alone, which has a way of its own, and for every pass: the
    /// same must come of both.
    private static func eighth(of whole: DecodedImage, _ input: [UInt8], _ registry: CodecRegistry) {
        let size = whole.bitmap.size
        let plan = DecodingPlan(targetSize: PixelSize(width: max(1, size.width / 8), height: max(1, size.height / 8)))
        let last = try? ImageSource.decode(input, plan: plan, options: options, registry: registry)
        let source = ImageSource(plan: plan, options: options, registry: registry)
        _ = try? source.append(input)
        _ = try? source.finish()
        guard let last, last.error == nil, source.error == nil, last.header.format == .jpeg else { return }
        let every = try? source.currentBitmap()
        precondition(every?.tightBytes() == last.bitmap.tightBytes(), "an eighth differs by the way it was decoded")
    }

    /// As the defaults, within limits that keep each input short of a second.
    private static let options = DecodingOptions(
        limits: DecodingLimits(
            maximumPixelCount: 1 << 18, maximumSideLength: 1 << 14, maximumInputByteCount: 1 << 20,
            maximumWorkingByteCount: 1 << 26, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
            maximumFrameCount: 100,
            maximumCompressionRatio: 10_000))
}
