import ImageFormats
import Raster

extension FuzzTarget {
    /// Turning and cropping a JPEG's coefficients: the result is a JPEG of the size announced, and it can be turned back.
    static let jpegTransform = FuzzTarget(
        name: "jpeg-transform", seedExtensions: ["jpg", "jpeg"], seeds: { [Fixtures.jpeg] }
    ) { input in
        guard let first = input.last, let turn = Orientation(rawValue: first % 8 + 1) else { return }
        let region = first % 3 == 0 ? PixelRect(x: 3, y: 5, width: 2, height: 2) : nil
        for edges in JPEGTransformation.Edges.allCases {
            let transformation = JPEGTransformation(orientation: turn, region: region, edges: edges)
            guard let result = try? transformation.applied(to: input, limits: FuzzTarget.losslessLimits) else {
                continue
            }
            guard let header = try? ImageSource.header(of: result.bytes) else { preconditionFailure("no header") }
            precondition(header.storedSize == result.region.size && header.metadata.orientation == .up)
        }
    }

    /// Making a file smaller: the pixels stay.
    static let optimize = FuzzTarget(
        name: "optimize", seedExtensions: ["jpg", "png", "gif", "webp", "apng"],
        seeds: { [Fixtures.jpeg, Fixtures.png] }
    ) { input in
        guard let last = input.last else { return }
        let keeping = MetadataPolicy.allCases[Int(last) % MetadataPolicy.allCases.count]
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16, appliesOrientation: false)
        // The strongest compression of libdeflate and libwebp takes seconds for a megapixel.
        var smallLimits = FuzzTarget.losslessLimits
        smallLimits.maximumPixelCount = 1 << 15
        smallLimits.maximumFrameCount = 16
        let smaller =
            (try? JPEGOptimization.smaller(input, keeping: keeping, limits: FuzzTarget.losslessLimits))
            ?? (try? PNGOptimization.smaller(input, keeping: keeping, limits: smallLimits))
            ?? (try? GIFOptimization.smaller(input, keeping: keeping, limits: smallLimits))
            ?? (try? WebPOptimization.smaller(input, keeping: keeping, limits: smallLimits))
        guard let smaller else { return }
        precondition(smaller.count < input.count)
        guard let before = try? ImageSource.decode(input, options: options).bitmap,
            let after = try? ImageSource.decode(smaller, options: options).bitmap
        else { preconditionFailure("it can't be decoded any more") }
        precondition(before.size == after.size)
    }

    /// A file's tags: read, set, shifted and removed, and the image data stays.
    static let metadataEdit = FuzzTarget(
        name: "metadata-edit", seedExtensions: ["jpg", "png", "webp"], seeds: { [Fixtures.jpeg, Fixtures.png] }
    ) { input in
        guard var metadata = try? FileMetadata(input, limits: FuzzTarget.losslessLimits) else { return }
        _ = metadata.values
        try? metadata.shiftDates(bySeconds: -90_061)
        for name in ["Artist", "GPSLatitude", "XMP:Title", "XMP:Subject", "IPTC:Keywords"] {
            guard let tag = MetadataTag.named(name).first else { preconditionFailure(name) }
            let text = name == "GPSLatitude" ? "-12.5" : "ä"
            guard (try? metadata.set(tag, to: [text])) != nil else { continue }
            precondition(metadata.values(of: tag) == [text], name)
        }
        try? metadata.removePosition()
        guard let changed = try? metadata.assembled() else { return }
        guard let again = try? FileMetadata(changed, limits: .standard) else {
            preconditionFailure("a file that was written can't be read")
        }
        precondition(again.values == metadata.values)
    }

    /// What an input of some kilobytes may ask for.
    private static let losslessLimits: DecodingLimits = {
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 20
        limits.maximumWorkingByteCount = 64 << 20
        return limits
    }()
}
