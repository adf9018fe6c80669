import ImageFormats
import Raster

extension FuzzTarget {
    /// A gain map's metadata in ISO 21496-1's binary form: what is read has sound numbers, and is written alike.
    static let gainMapISO = FuzzTarget(
        name: "gain-map-iso", seedExtensions: [], seeds: { GainMapSeeds.all.map(\.iso21496) }
    ) { input in
        guard let metadata = try? GainMapMetadata(iso21496: input) else { return }
        GainMapSeeds.check(metadata)
        let again = try? GainMapMetadata(iso21496: metadata.iso21496)
        precondition(again != nil)
    }

    /// The same as properties of an XMP packet.
    static let gainMapXMP = FuzzTarget(
        name: "gain-map-xmp", seedExtensions: [], seeds: { GainMapSeeds.all.map(\.xmp) }
    ) { input in
        guard let metadata = try? GainMapMetadata(xmp: input) else { return }
        GainMapSeeds.check(metadata)
        precondition((try? GainMapMetadata(xmp: metadata.xmp)) == metadata)
    }

    /// A JPEG with a gain map: places in the file, both forms of metadata, and the map's pixels.
    static let gainMapFile = FuzzTarget(
        name: "gain-map-file", seedExtensions: ["jpg", "jpeg"], seeds: { GainMapSeeds.files }
    ) { input in
        guard let header = try? ImageSource.header(of: input), header.storedSize.pixelCount < 1 << 20,
            let map = try? ImageSource.gainMap(in: Source(input), header: header)
        else { return }
        GainMapSeeds.check(map.metadata)
        guard map.image.size.pixelCount < 1 << 20, let image = try? Image(data: input) else { return }
        _ = try? image.rendered(for: .high(headroom: 4)).bitmap()
        if let file = try? image.data(as: .jpeg) {
            precondition((try? Image(data: file))?.gainMap != nil)
        }
    }
}

private enum GainMapSeeds {
    static let all = [
        GainMapMetadata(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5),
        GainMapMetadata(
            red: .init(minimum: -0.3, maximum: 1.7, gamma: 1.1), green: .init(minimum: 0, maximum: 2.3, gamma: 0.9),
            blue: .init(minimum: 0.1, maximum: 1.9), baseHeadroom: 3, alternateHeadroom: 0),
    ]

    /// Files with a grey map and one of colours.
    static let files: [[UInt8]] = [PixelFormat.gray8, .rgba8].compactMap { format in
        let info = BitmapInfo(size: PixelSize(width: 16, height: 8), format: format)
        guard let pixels = try? Fixtures.gradient(info) else { return nil }
        let map = GainMap(Image(pixels), all[0])
        return try? Image(pixels).withGainMap(map).data(as: .jpeg)
    }

    static func check(_ metadata: GainMapMetadata) {
        for channel in [metadata.red, metadata.green, metadata.blue] {
            precondition(channel.gamma > 0 && channel.minimum <= channel.maximum)
            precondition((channel.minimum + channel.maximum + channel.baseOffset + channel.alternateOffset).isFinite)
        }
        precondition(abs(metadata.weight(forHeadroom: 2)) <= 1)
    }
}
