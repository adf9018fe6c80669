internal import Raster

/// The frames of a file's image sequence track (ISO/IEC 23008-12, 7), coded as HEVC.
struct ISOImageSequence {
    /// A frame of the track, in decoding order.
    struct Sample {
        /// The range of its bytes in the file.
        var bytes: Range<Int>
        /// The display time in seconds.
        var duration: Double
        /// The index of the sample at which decoding must begin: its own if it depends on no other.
        var start: Int
    }

    /// The size in the sample description.
    let size: PixelSize
    /// The contents of `hvcC` and, if present, of `colr`.
    let configuration: Range<Int>
    let colors: Range<Int>?
    let samples: [Sample]
    /// Whether the file contains all samples that the track declares.
    let isComplete: Bool
    /// Whether decoding order is display order. libheif 1.15 delivers only the first frame otherwise.
    let isInOrder: Bool

    /// Reads the first HEVC image track in `file` that is neither a thumbnail nor a mask; nil if there is none.
    /// - Throws: `limitExceeded` for more frames than the limits allow; `corrupt` for invalid sample tables.
    init?(_ file: [UInt8], limits: DecodingLimits) throws(ImageError) {
        let top = ISOBoxReader(file, 0..<file.count)
        guard var movie = top.first("moov").map({ top.contents(of: $0) }) else { return nil }
        while let box = movie.box() {
            guard box.type == "trak",
                let found = try Self(track: movie.contents(of: box), fileByteCount: file.count, limits)
            else { continue }
            self = found
            return
        }
        return nil
    }

    private init?(track: ISOBoxReader, fileByteCount: Int, _ limits: DecodingLimits) throws(ImageError) {
        func inner(_ reader: ISOBoxReader, _ type: FourCharacterCode) -> ISOBoxReader? {
            reader.first(type).map { reader.contents(of: $0) }
        }
        // A track with one of these references is the thumbnail or mask of another.
        if let references = inner(track, "tref"), references.first("thmb") != nil || references.first("auxl") != nil {
            return nil
        }
        guard let media = inner(track, "mdia"), Self.isPictures(inner(media, "hdlr")),
            let timescale = Self.timescale(inner(media, "mdhd")),
            let tables = inner(media, "minf").flatMap({ inner($0, "stbl") }),
            let (size, configuration, colors) = Self.description(inner(tables, "stsd"))
        else { return nil }
        guard let found = try Self.samples(tables, fileByteCount: fileByteCount, limits), !found.0.isEmpty else {
            throw ImageError(.corrupt, "the HEIC sequence's table of frames is damaged")
        }
        var samples = found.0
        let ticks = Self.ticks(inner(tables, "stts"), count: samples.count)
        for index in samples.indices { samples[index].duration = Double(ticks[index]) / Double(timescale) }
        Self.readStarts(inner(tables, "stss"), &samples)
        (self.size, self.configuration, self.colors, self.samples) = (size, configuration, colors, samples)
        isComplete = found.isComplete
        isInOrder = Self.isInOrder(inner(tables, "ctts"), ticks)
    }

    private static func isPictures(_ handler: ISOBoxReader?) -> Bool {
        guard var reader = handler, reader.versionAndFlags() != nil, reader.skip(4) else { return false }
        return reader.code() == "pict"
    }

    private static func timescale(_ header: ISOBoxReader?) -> Int? {
        guard var reader = header, let (version, _) = reader.versionAndFlags(), reader.skip(version == 1 ? 16 : 8),
            let scale = reader.number(4), scale > 0
        else { return nil }
        return scale
    }

    /// The size, configuration and colours in the first sample description; nil if it isn't HEVC.
    private static func description(_ box: ISOBoxReader?) -> (PixelSize, Range<Int>, Range<Int>?)? {
        guard var reader = box, reader.versionAndFlags() != nil, reader.number(4) ?? 0 > 0, let entry = reader.box(),
            entry.type == "hvc1"
        else { return nil }
        // The size is surrounded by the common fields of samples and of images (ISO/IEC 14496-12, 8.5.2 and 12.1.3).
        var fields = reader.contents(of: entry)
        guard fields.skip(24), let width = fields.number(2), let height = fields.number(2), fields.skip(50),
            width > 0, height > 0, let configuration = fields.first("hvcC")
        else { return nil }
        return (PixelSize(width: width, height: height), configuration.contents, fields.first("colr")?.contents)
    }

    /// Locates the samples from the tables of their sizes, samples per chunk, and chunk offsets. Ends before the first
    /// sample that extends beyond the file; nil if the tables are inconsistent.
    private static func samples(
        _ tables: ISOBoxReader, fileByteCount: Int, _ limits: DecodingLimits
    ) throws(ImageError) -> ([Sample], isComplete: Bool)? {
        guard var sizes = tables.first("stsz").map({ tables.contents(of: $0) }), sizes.versionAndFlags() != nil,
            let common = sizes.number(4), let count = sizes.number(4)
        else { return nil }
        guard count <= limits.maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the HEIC sequence has \(count) frames; the limit is \(limits.maximumFrameCount)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
        let isWide = tables.first("stco") == nil
        guard var chunks = tables.first(isWide ? "co64" : "stco").map({ tables.contents(of: $0) }),
            chunks.versionAndFlags() != nil, let chunkCount = chunks.number(4),
            var runs = tables.first("stsc").map({ tables.contents(of: $0) }), runs.versionAndFlags() != nil,
            runs.skip(4)
        else { return nil }
        /// The next run of chunks: the first chunk's number, and the samples per chunk.
        func run() -> (first: Int, count: Int)? {
            guard let first = runs.number(4), let count = runs.number(4), runs.skip(4) else { return nil }
            return (first, count)
        }
        var samples: [Sample] = []
        var (perChunk, next) = (0, run())
        for chunk in 0..<chunkCount {
            guard samples.count < count else { break }
            while let following = next, following.first <= chunk + 1 { (perChunk, next) = (following.count, run()) }
            guard var offset = chunks.number(isWide ? 8 : 4) else { return nil }
            for _ in 0..<min(perChunk, count - samples.count) {
                guard let size = common > 0 ? common : sizes.number(4) else { return nil }
                guard offset <= fileByteCount, size <= fileByteCount - offset else {
                    return (samples, isComplete: false)
                }
                samples.append(Sample(bytes: offset..<(offset + size), duration: 0, start: samples.count))
                offset += size
            }
        }
        return samples.count == count ? (samples, isComplete: true) : nil
    }

    /// The display time of each sample in units of the track's timescale.
    private static func ticks(_ box: ISOBoxReader?, count: Int) -> [Int] {
        var ticks: [Int] = []
        if var reader = box, reader.versionAndFlags() != nil, let runs = reader.number(4) {
            for _ in 0..<runs {
                guard ticks.count < count, let run = reader.number(4), let duration = reader.number(4) else { break }
                ticks += [Int](repeating: duration, count: min(run, count - ticks.count))
            }
        }
        return ticks + [Int](repeating: 0, count: count - ticks.count)
    }

    /// Whether decoding order is display order. `box` contains the offsets from decoding to display times.
    private static func isInOrder(_ box: ISOBoxReader?, _ ticks: [Int]) -> Bool {
        guard var reader = box, reader.versionAndFlags() != nil, let runs = reader.number(4) else { return true }
        var (index, time, last) = (0, 0, Int.min)
        for _ in 0..<runs {
            guard index < ticks.count, let run = reader.number(4), let offset = reader.number(4) else { break }
            // Offsets may be negative.
            let shift = Int(Int32(truncatingIfNeeded: offset))
            for _ in 0..<min(run, ticks.count - index) {
                guard time + shift > last || ticks[index] == 0 else { return false }
                last = time + shift
                time += ticks[index]
                index += 1
            }
        }
        return true
    }

    /// Sets the samples' starts. Without a table of sync samples, no sample depends on another.
    private static func readStarts(_ box: ISOBoxReader?, _ samples: inout [Sample]) {
        guard var reader = box, reader.versionAndFlags() != nil, let count = reader.number(4) else { return }
        var sync: Set<Int> = []
        for _ in 0..<count {
            guard let number = reader.number(4) else { break }
            sync.insert(number - 1)
        }
        var start = 0
        for index in samples.indices {
            if sync.contains(index) { start = index }
            samples[index].start = start
        }
    }
}

extension ISOImageSequence {
    /// A HEIF file with a single image, the sample at `index`, for a reader of still images.
    ///
    /// The image's data begins with the samples that it depends on; the decoder delivers the last one.
    /// - Throws: `unsupported` if it depends on too many samples; `limitExceeded`.
    func still(_ index: Int, of file: [UInt8], limits: DecodingLimits) throws(ImageError) -> [UInt8] {
        let first = samples[index].start
        guard index - first < Self.maximumDistance else {
            throw ImageError(
                .unsupported,
                "frame \(index) of the HEIC sequence builds on \(index - first) others; the limit is \(Self.maximumDistance - 1)"
            )
        }
        // Samples may share bytes. The decoder holds a copy too.
        let byteCount = samples[first...index].reduce(0) { $0 + $1.bytes.count }
        try limits.checkWorkingMemory(2 * byteCount, for: "frame \(index) of the HEIC sequence")
        let data = samples[first...index].flatMap { file[$0.bytes] }
        var properties = [
            ISOBoxWriter.box("hvcC", Array(file[configuration])),
            ISOBoxWriter.box("ispe", version: 0, size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4)),
        ]
        if let colors { properties.append(ISOBoxWriter.box("colr", Array(file[colors]))) }
        return ISOStill.file("hvc1", properties: properties, data: data)
    }

    /// The maximum number of samples decoded for one frame. All are decoded again for each frame.
    private static let maximumDistance = 256
}

/// Builds a HEIF file with a single coded image.
enum ISOStill {
    /// A file with an item of `type` with `data`, and with its properties: boxes in the order in which they apply.
    static func file(_ type: FourCharacterCode, properties: [[UInt8]], data: [UInt8]) -> [UInt8] {
        let fileType = ISOBoxWriter.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
        let start = fileType.count + meta(type, properties, offset: 0, byteCount: data.count).count + 8
        return fileType + meta(type, properties, offset: start, byteCount: data.count) + ISOBoxWriter.box("mdat", data)
    }

    private static func meta(
        _ type: FourCharacterCode, _ properties: [[UInt8]], offset: Int, byteCount: Int
    ) -> [UInt8] {
        let handler = [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
        // Offsets and lengths have four bytes; there is one item with one extent.
        let location =
            [0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1] as [UInt8] + offset.bigEndianBytes(4)
            + byteCount.bigEndianBytes(4)
        let entry = ISOBoxWriter.box(
            "infe", version: 2, [0, 1, 0, 0] + Int(type.rawValue).bigEndianBytes(4) + [0])
        // Property numbers have seven bits; none is marked as essential.
        let associations = [0, 0, 0, 1, 0, 1, UInt8(properties.count)] + (0..<properties.count).map { UInt8($0 + 1) }
        return ISOBoxWriter.box(
            "meta", version: 0,
            ISOBoxWriter.box("hdlr", version: 0, handler) + ISOBoxWriter.box("pitm", version: 0, [0, 1])
                + ISOBoxWriter.box("iloc", version: 0, location)
                + ISOBoxWriter.box("iinf", version: 0, [0, 1] + entry)
                + ISOBoxWriter.box(
                    "iprp",
                    ISOBoxWriter.box("ipco", properties.flatMap { $0 })
                        + ISOBoxWriter.box("ipma", version: 0, associations)))
    }
}
