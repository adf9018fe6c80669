import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("JPEGs of 12 bits")
struct JPEGDeepTests {
    private static let deep = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)

    /// The channels of a file's pixels, of 12 bits each; alpha is left out.
    static func decode(_ file: [UInt8], plan: DecodingPlan = .full) throws -> [Int] {
        let session = DecoderSession(JPEGCodec(), file, plan: plan, options: deep)
        if let error = session.error { throw error }
        return try channels(#require(session.bitmap))
    }

    private static func channels(_ bitmap: Bitmap) -> [Int] {
        let bytes = bitmap.tightBytes()
        let count = bitmap.format == .gray16 ? 1 : 4
        return (0..<(bytes.count / 2)).filter { count == 1 || $0 % 4 < 3 }.map {
            let value = Int(bytes[2 * $0]) | Int(bytes[2 * $0 + 1]) << 8
            // The lower four bits repeat the upper four.
            return (value & 0xFFF0) | (value >> 12) == value ? value >> 4 : -1000
        }
    }

    /// The pixels of a file whose components aren't subsampled.
    private static func expected(_ file: PlainJPEG, isRGB: Bool) -> [Double] {
        let planes = file.components.indices.map { file.samples($0) }
        var channels: [Double] = []
        for y in 0..<file.height {
            for x in 0..<file.width {
                let values = planes.map { $0[y][x] }
                guard values.count == 3, !isRGB else {
                    channels += values
                    continue
                }
                let (luma, blue, red) = (values[0], values[1] - 2048, values[2] - 2048)
                channels += [luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue]
                    .map { min(max($0, 0), 4095) }
            }
        }
        return channels
    }

    private static func isClose(_ channels: [Int], _ expected: [Double], within tolerance: Double) -> Bool {
        channels.count == expected.count && zip(channels, expected).allSatisfy { abs(Double($0) - $1) <= tolerance }
    }

    @Test("Grey files decode to a plain decoder's samples", arguments: [(1, 1), (8, 8), (9, 17), (75, 61)])
    func gray(width: Int, height: Int) throws {
        let file = PlainJPEG(width: width, height: height, seed: 1)
        let expected = Self.expected(file, isRGB: false)
        for bytes in [file.sequential(), file.sequential(restartInterval: 3), file.progressive(file.scans)] {
            #expect(Self.isClose(try Self.decode(bytes), expected, within: 1.5))
        }
        let header = try #require(DecoderSession(JPEGCodec(), file.sequential()).header)
        #expect(header.bitsPerChannel == 12 && header.colorModel == .gray && !header.isProgressive)
        #expect(DecoderSession(JPEGCodec(), file.sequential(), options: Self.deep).info?.format == .gray16)
    }

    @Test("Eight bits are delivered where more aren't requested", arguments: [1, 3])
    func narrowed(componentCount: Int) throws {
        let components = (1...componentCount).map { (UInt8($0), 1, 1) }
        let file = PlainJPEG(width: 43, height: 29, seed: 2, components: components)
        for bytes in [file.sequential(), file.progressive(file.scans)] {
            let deep = try #require(DecoderSession(JPEGCodec(), bytes, options: Self.deep).bitmap)
            let narrow = try #require(DecoderSession(JPEGCodec(), bytes).bitmap)
            let format: PixelFormat = componentCount == 1 ? .gray8 : .rgba8
            #expect(narrow.format == format)
            #expect(narrow.tightBytes() == (try deep.converted(to: format, alpha: deep.alpha).tightBytes()))
        }
    }

    @Test("YCbCr and RGB files decode to a plain decoder's colours", arguments: [false, true])
    func color(isRGB: Bool) throws {
        let identifiers: [UInt8] = isRGB ? [82, 71, 66] : [1, 2, 3]
        let file = PlainJPEG(width: 43, height: 29, seed: 2, components: identifiers.map { ($0, 1, 1) })
        let expected = Self.expected(file, isRGB: isRGB)
        let tolerance = isRGB ? 1.5 : 4.5
        for bytes in [
            file.sequential(), file.sequential(isInterleaved: false), file.progressive(file.scans),
            file.progressive(file.scans, restartInterval: 2),
        ] {
            #expect(Self.isClose(try Self.decode(bytes), expected, within: tolerance))
        }
    }

    @Test(
        "Every order of scans gives the same pixels, whatever the sampling",
        arguments: [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2)])
    func scripts(across: Int, down: Int) throws {
        let file = PlainJPEG(
            width: 75, height: 61, seed: 3, components: [(1, across, down), (2, 1, 1), (3, 1, 1)])
        let whole = try Self.decode(file.sequential())
        for interval in [0, 1, 7] {
            #expect(try Self.decode(file.sequential(restartInterval: interval)) == whole)
            #expect(try Self.decode(file.progressive(file.scans, restartInterval: interval)) == whole)
        }
    }

    @Test("A region has the pixels of the whole image")
    func region() throws {
        let file = PlainJPEG(width: 75, height: 61, seed: 4, components: [(1, 2, 2), (2, 1, 1), (3, 1, 1)])
        let whole = try Self.decode(file.progressive(file.scans))
        for region in [
            PixelRect(x: 0, y: 0, width: 75, height: 61), PixelRect(x: 5, y: 47, width: 9, height: 14),
            PixelRect(x: 74, y: 16, width: 1, height: 1), PixelRect(x: 0, y: 31, width: 75, height: 2),
        ] {
            let part = try Self.decode(file.progressive(file.scans), plan: DecodingPlan(region: region))
            var expected: [Int] = []
            for y in region.y..<(region.y + region.height) {
                let start = 3 * (y * 75 + region.x)
                expected += whole[start..<(start + 3 * region.width)]
            }
            #expect(part == expected)
        }
    }

    /// The means of squares of samples, which a reduced image has: the inverse DCT of fewer frequencies gives them.
    private static func means(_ rows: [[Double]], of side: Int) -> [Double] {
        stride(from: 0, to: rows.count, by: side).flatMap { y in
            stride(from: 0, to: rows[0].count, by: side).map { x in
                let square = rows[y..<(y + side)].flatMap { $0[x..<(x + side)] }
                return min(max(square.reduce(0, +) / Double(square.count), 0), 4095)
            }
        }
    }

    @Test("At a half, a quarter and an eighth samples are the means of a plain decoder's", arguments: [2, 4, 8])
    func reduced(divisor: Int) throws {
        let file = PlainJPEG(width: 96, height: 64, seed: 6)
        let expected = Self.means(file.samples(0, isClamped: false), of: divisor)
        // The decoder leaves the last halving to the resampler.
        let target = PixelSize(width: 48 / divisor, height: 32 / divisor)
        for bytes in [file.sequential(), file.progressive(file.scans)] {
            let channels = try Self.decode(bytes, plan: DecodingPlan(targetSize: target))
            #expect(Self.isClose(channels, expected, within: 2))
        }
        let bytes = file.progressive(file.scans)
        let part = PixelRect(x: 16, y: 8, width: 48, height: 40)
        let plan = DecodingPlan(
            region: part, targetSize: PixelSize(width: 24 / divisor, height: 20 / divisor))
        let width = part.width / divisor
        let session = DecoderSession(JPEGCodec(), bytes, plan: plan, options: Self.deep)
        #expect(session.info?.size == PixelSize(width: width, height: part.height / divisor))
        let whole = try Self.decode(bytes, plan: DecodingPlan(targetSize: target))
        var rows: [Int] = []
        for y in 0..<(part.height / divisor) {
            let start = (part.y / divisor + y) * (96 / divisor) + part.x / divisor
            rows += whole[start..<(start + width)]
        }
        #expect(try Self.channels(#require(session.bitmap)) == rows)
    }

    @Test("At a half chroma of half the size has all its samples")
    func reducedColor() throws {
        let file = PlainJPEG(width: 96, height: 64, seed: 7, components: [(1, 2, 2), (2, 1, 1), (3, 1, 1)])
        let luma = Self.means(file.samples(0, isClamped: false), of: 2)
        let (blue, red) = (file.samples(1).flatMap { $0 }, file.samples(2).flatMap { $0 })
        var expected: [Double] = []
        for (index, luma) in luma.enumerated() {
            let (blue, red) = (blue[index] - 2048, red[index] - 2048)
            expected += [luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue]
                .map { min(max($0, 0), 4095) }
        }
        let plan = DecodingPlan(targetSize: PixelSize(width: 24, height: 16))
        for bytes in [file.sequential(), file.progressive(file.scans)] {
            #expect(Self.isClose(try Self.decode(bytes, plan: plan), expected, within: 5))
        }
    }

    @Test("A file truncated anywhere gives the rows before that, and an error", arguments: [false, true])
    func truncated(isProgressive: Bool) throws {
        let file = PlainJPEG(width: 17, height: 41, seed: 5)
        let bytes = isProgressive ? file.progressive(file.scans) : file.sequential()
        let whole = try Self.decode(bytes)
        // Without its end marker the file is whole.
        for count in 0..<(bytes.count - 2) {
            let session = DecoderSession(JPEGCodec(), Array(bytes[..<count]), options: Self.deep)
            #expect(session.error?.code == .truncated, "\(count): \(String(describing: session.error))")
            #expect(session.error?.byteOffset.map { $0 <= count } ?? true)
            guard !isProgressive, let bitmap = session.bitmap else { continue }
            // The last row of blocks may be incomplete.
            let sound = max(0, (session.rows - 1) / 8 * 8) * 17
            #expect(Self.channels(bitmap).prefix(sound) == whole.prefix(sound))
        }
        let split = DecoderSession(JPEGCodec(), bytes, splits: Array(1..<bytes.count), options: Self.deep)
        #expect(split.error == nil && split.bitmap.map { Self.channels($0) } == whole)
    }

    @Test("Scans that are missing from the end leave the others' image")
    func missingScans() throws {
        let file = PlainJPEG(width: 33, height: 33, seed: 6, components: [(1, 2, 1), (2, 1, 1), (3, 1, 1)])
        for count in 1..<file.scans.count {
            let session = DecoderSession(
                JPEGCodec(), Array(file.progressive(Array(file.scans.prefix(count))).dropLast(2)))
            #expect(session.rows == 33 && session.error?.code == .truncated)
        }
        // With an end, what there is is the image.
        #expect(throws: Never.self) { try Self.decode(file.progressive(Array(file.scans.prefix(3)))) }
        let luma = [PlainJPEG.Scan(components: [0], band: 0...0)]
        let session = DecoderSession(JPEGCodec(), file.progressive(luma))
        #expect(session.rows == 33 && session.error?.code == .corrupt)
    }

    @Test(
        "Impossible scans end the image, which has the scans before them",
        arguments: [
            PlainJPEG.Scan(components: [0], band: 0...5), PlainJPEG.Scan(components: [0, 1], band: 1...5),
            PlainJPEG.Scan(components: [0], band: 1...64), PlainJPEG.Scan(components: [0], band: 1...5, low: 14),
            PlainJPEG.Scan(components: [0], band: 1...5, high: 3, low: 1),
            PlainJPEG.Scan(components: [0, 0], band: 0...0),
        ])
    func illegal(scan: PlainJPEG.Scan) throws {
        let file = PlainJPEG(width: 20, height: 20, seed: 7, components: [(1, 1, 1), (2, 1, 1), (3, 1, 1)])
        var bytes = file.progressive([PlainJPEG.Scan(components: [0, 1, 2], band: 0...0)]).dropLast(2)
        let place = bytes.count
        let members: [UInt8] = scan.components.flatMap { [UInt8($0 + 1), 0] }
        bytes += [0xFF, 0xDA, 0, UInt8(6 + members.count), UInt8(scan.components.count)] + members
        bytes += [UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound), UInt8(scan.high << 4 | scan.low)]
        bytes += [0x12, 0x34, 0xFF, 0xD9]
        let session = DecoderSession(JPEGCodec(), Array(bytes))
        #expect(session.rows == 20 && session.error?.code == .corrupt)
        #expect(session.error?.byteOffset == place)
    }

    @Test("Missing tables, CMYK, arithmetic coding and fractional sampling are refused")
    func refused() throws {
        let file = PlainJPEG(width: 20, height: 20, seed: 8)
        let bytes = file.sequential()
        func without(_ marker: UInt8) throws -> [UInt8] {
            let start = try #require((0..<bytes.count).first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
            let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            return Array(bytes[..<start] + bytes[(start + 2 + length)...])
        }
        for marker in [0xC4, 0xDB] as [UInt8] {
            #expect(DecoderSession(JPEGCodec(), try without(marker)).error?.code == .corrupt)
        }
        let inks = PlainJPEG(width: 20, height: 20, seed: 8, components: (1...4).map { ($0, 1, 1) })
        #expect(DecoderSession(JPEGCodec(), inks.sequential()).error?.code == .unsupported)
        let odd = PlainJPEG(width: 20, height: 20, seed: 8, components: [(1, 3, 1), (2, 2, 1), (3, 1, 1)])
        #expect(DecoderSession(JPEGCodec(), odd.sequential()).error?.code == .unsupported)
        var arithmetic = bytes
        let frame = try #require((0..<bytes.count).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC1 })
        arithmetic[frame + 1] = 0xC9
        #expect(DecoderSession(JPEGCodec(), arithmetic).error?.code == .unsupported)
        // Nine bits, which no process has.
        var nine = bytes
        nine[frame + 4] = 9
        #expect(DecoderSession(JPEGCodec(), nine).error?.code == .unsupported)
    }

    @Test("Limits hold")
    func limits() throws {
        let file = PlainJPEG(width: 300, height: 40, seed: 9)
        let bytes = file.progressive(file.scans)
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumScanCount = file.scans.count - 1
        #expect(DecoderSession(JPEGCodec(), bytes, options: options).error?.code == .limitExceeded)
        options.limits.maximumScanCount = file.scans.count
        #expect(DecoderSession(JPEGCodec(), bytes, options: options).error == nil)
        options.limits.maximumWorkingByteCount = 10_000
        #expect(DecoderSession(JPEGCodec(), bytes, options: options).error?.code == .limitExceeded)
        options.limits = .standard
        options.limits.maximumInputByteCount = 1000
        let pieces = Array(stride(from: 500, to: bytes.count, by: 500))
        #expect(DecoderSession(JPEGCodec(), bytes, splits: pieces, options: options).error?.code == .limitExceeded)
    }

    @Test("Changed bytes never trap, and give the same for any split")
    func mutations() throws {
        var random = SeededGenerator(10)
        let small = PlainJPEG(width: 33, height: 29, seed: 10, components: [(1, 2, 2), (2, 1, 1), (3, 1, 1)])
        let files = [
            small.sequential(restartInterval: 2), small.sequential(isInterleaved: false),
            small.progressive(small.scans, restartInterval: 3), small.progressive(small.scans),
        ]
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumPixelCount = 1 << 20
        for round in 0..<400 {
            var file = files[round % files.count]
            for _ in 0..<(1 << Int.random(in: 0..<4, using: &random)) {
                file[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = DecoderSession(JPEGCodec(), file, options: options)
            let pieces = Array(stride(from: 61, to: file.count, by: 61))
            let split = DecoderSession(JPEGCodec(), file, splits: pieces, options: options)
            #expect(whole.error?.code == split.error?.code, "round \(round)")
            #expect(whole.bitmap?.tightBytes() == split.bitmap?.tightBytes(), "round \(round)")
        }
    }
}
