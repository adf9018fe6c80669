import ImageFormats
import ImageFormatsTestSupport
import JPEGBitstream
import Raster
import Testing
import TestSupport

@Suite("JPEG at an eighth")
struct JPEGEighthTests {
    /// What a session makes of `file` at an eighth of its size; `.every` has libjpeg decode where there is one scan.
    static func session(
        _ file: [UInt8], splits: [Int] = [], delivery: PassDelivery = .last,
        options: DecodingOptions = DecodingOptions(color: .asStored)
    ) -> DecoderSession {
        var plan = DecodingPlan.full
        if let size = DecoderSession(JPEGCodec(), file, options: DecodingOptions(color: .asStored)).header?.storedSize {
            plan.targetSize = PixelSize(width: max(1, size.width / 16), height: max(1, size.height / 16))
        }
        return DecoderSession(JPEGCodec(), file, splits: splits, plan: plan, delivery: delivery, options: options)
    }

    /// The picture that is made without libjpeg, if it is.
    static func picture(_ file: [UInt8]) -> JPEGEighthPicture? {
        guard let offset = JPEGStructure(of: file.span.bytes).scans.first?.dataOffset,
            let scan = JPEGEighthScan(header: file.span.bytes.extracting(first: offset))
        else { return nil }
        return scan.decode(file.span.bytes.extracting(droppingFirst: offset))
    }

    /// Whether a session gives what libjpeg gives, down to the error.
    static func expectSame(
        _ file: [UInt8], splits: [Int] = [], _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
    ) {
        let ours = session(file, splits: splits)
        let theirs = session(file, delivery: .every)
        let isSame = ours.bitmap?.tightBytes() == theirs.bitmap?.tightBytes()
        #expect(isSame && ours.info == theirs.info, comment, sourceLocation: location)
        #expect(ours.rows == theirs.rows && ours.isComplete == theirs.isComplete, comment, sourceLocation: location)
        #expect(
            ours.error?.code == theirs.error?.code && ours.error?.byteOffset == theirs.error?.byteOffset
                && ours.error?.message == theirs.error?.message, comment, sourceLocation: location)
    }

    static let samplings: [(UInt8, UInt8)] = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (3, 1), (1, 4)]

    @Test("Every size, sampling and restart interval agrees with libjpeg and djpeg", arguments: samplings)
    func sizes(subsampling: (UInt8, UInt8)) throws {
        for width in [1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 130] {
            for (height, restarts) in [(8, 0), (17, 1), (33, 0), (64, 2), (75, 1)] {
                let file = JPEGFixture.file(
                    JPEGFixture.Kind(
                        subsampling: subsampling, restartRows: UInt16(restarts),
                        size: PixelSize(width: width, height: height)))
                #expect(Self.picture(file) != nil, "\(width) × \(height)")
                Self.expectSame(file, "\(width) × \(height)")
            }
        }
    }

    @Test("Pixels are djpeg's", .needs(DJPEG.tool), arguments: samplings)
    func djpeg(subsampling: (UInt8, UInt8)) throws {
        for size in [PixelSize(width: 130, height: 75), PixelSize(width: 333, height: 257)] {
            let file = JPEGFixture.file(JPEGFixture.Kind(subsampling: subsampling, size: size))
            let expected = try #require(try DJPEG.decode(file, arguments: ["-scale", "1/8"]))
            let ours = Self.session(file)
            #expect(ours.bitmap?.size == expected.size && ours.bitmap?.pnmSamples == expected.samples)
        }
    }

    @Test("Grey, optimised tables and any quality agree")
    func tables() throws {
        let size = PixelSize(width: 201, height: 99)
        for quality in [0.01, 0.1, 0.5, 0.9, 1] {
            for format in [PixelFormat.gray8, .rgba8] {
                for optimizes in [false, true] {
                    var options = EncodingOptions()
                    options.quality = quality
                    options.jpeg.optimizesTables = optimizes
                    let file = try ImageDestination(format: .jpeg, options: options)
                        .encode(Bitmap.grainy(size, format: format))
                    #expect(Self.picture(file) != nil)
                    Self.expectSame(file, "\(quality), \(format)")
                }
            }
        }
    }

    @Test("Extreme noise is clamped")
    func noise() throws {
        var random = SeededGenerator(3)
        for subsampling in [(1, 1), (2, 2)] as [(UInt8, UInt8)] {
            let kind = JPEGFixture.Kind(subsampling: subsampling, size: PixelSize(width: 160, height: 160))
            let blocks = (0..<(160 * 160 / 16)).map { _ in UInt8.random(in: 0...1, using: &random) * 255 }
            let pixels = (0..<(160 * 160 * 4)).map { index in
                let (x, y) = (index / 4 % 160, index / 640)
                return index % 4 == 3 ? 255 : blocks[(y / 4 * 40 + x / 4 + index % 4 * 77) % blocks.count]
            }
            let file = JPEGFixture.file(kind, pixels: pixels)
            #expect(Self.picture(file) != nil)
            Self.expectSame(file)
        }
    }

    @Test("Any split gives the same pixels", arguments: [1, 7, 100, 1000])
    func pieces(length: Int) throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(restartRows: 1))
        Self.expectSame(file, splits: Array(stride(from: length, to: file.count, by: length)))
    }

    @Test("A truncated file agrees with libjpeg", arguments: JPEGFixture.kinds)
    func truncated(kind: JPEGFixture.Kind) throws {
        let file = JPEGFixture.file(kind)
        for end in stride(from: 0, to: file.count, by: 97) {
            Self.expectSame(Array(file[..<end]), "\(end)")
            Self.expectSame(Array(file[..<end]), splits: [end / 2], "\(end)")
        }
        for end in (file.count - 20)..<file.count { Self.expectSame(Array(file[..<end]), "\(end)") }
    }

    @Test("Mutated files agree with libjpeg, and never trap", arguments: 0..<10)
    func mutated(seed: Int) throws {
        let kind = JPEGFixture.kinds[[0, 2, 3, 4, 4, 5, 7, 11, 11, 16][seed]]
        let file = JPEGFixture.file(kind)
        let dataOffset = try #require(JPEGStructure(of: file.span.bytes).scans.first?.dataOffset)
        var random = SeededGenerator(UInt64(seed))
        for round in 0..<200 {
            var mutant = file
            let range = round % 2 == 0 ? dataOffset..<file.count : 0..<file.count
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: range, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: mutant[place] = 0xFF
                case 1: mutant[place] = 0
                case 2: mutant[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 3: mutant.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 4 where mutant.count > place + 1: mutant.remove(at: place)
                default: mutant[min(place, mutant.count - 1)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            Self.expectSame(mutant, "seed \(seed), round \(round)")
        }
    }

    @Test("A source that ends early gives its rows")
    func brokenSource() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 64, height: 640)))
        let plan = DecodingPlan(targetSize: PixelSize(width: 4, height: 40))
        let decoder = try JPEGCodec().makeDecoder(
            for: FormatProbe(whole: file.span.bytes), options: DecodingOptions())
        try decoder.append(file.span.bytes.extracting(first: file.count / 2))
        let info = try decoder.start(plan, delivery: .last)
        var bitmap = try MutableBitmap(info)
        func read() throws -> RowDelivery {
            try bitmap.withMutableRows(0..<80) { (rows) throws(ImageError) in try decoder.read(into: &rows) }
        }
        #expect(try read() == .needMoreData)
        guard case .rows(let count) = try read() else {
            Issue.record("no rows of the half")
            return
        }
        #expect(20..<60 ~= count)
    }

    @Test("Memory stays within the limit")
    func limit() throws {
        let file = JPEGFixture.file(JPEGFixture.Kind(size: PixelSize(width: 640, height: 640)))
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumInputByteCount = file.count / 2
        let splits = Array(stride(from: 1000, to: file.count, by: 1000))
        let session = Self.session(file, splits: splits, options: options)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        #expect(session.bitmap?.tightBytes() == Self.session(file).bitmap?.tightBytes())
    }

    @Test(
        "Real files agree with djpeg",
        .needsCorpus,
        arguments: Corpus.files("valid/jpeg") + Corpus.files("invalid/jpeg"))
    func corpus(path: String) throws {
        let file = try Corpus.bytes(path)
        Self.expectSame(file)
        let ours = Self.session(file)
        guard DJPEG.tool.isInstalled, ours.error == nil, let header = ours.header, header.colorModel != .cmyk,
            header.bitsPerChannel == 8, min(header.storedSize.width, header.storedSize.height) >= 16
        else { return }
        let expected = try #require(try DJPEG.decode(file, arguments: ["-scale", "1/8"]))
        #expect(ours.bitmap?.size == expected.size && ours.bitmap?.pnmSamples == expected.samples)
    }
}
