#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

@Suite("HEIF: AVC", .enabled(if: AVCFixture.canBeDecoded, "libheif or libopenh264 is missing"))
struct HEIFAVCTests {
    static let size = PixelSize(width: 74, height: 46)

    /// Four fields of grey, 10, 90, 170 and 250, with edges at 16, in 38 by 30 pixels: High profile in CABAC, by x264.
    private static let gray = (
        sequence: bytes("6764000af36635e2ee6c800000030080000019078912cd"), picture: bytes("68e97818cb22c0"),
        slice: bytes(
            "65888400abfef7c0ff029bc011fabe581ef892269d89bcf31a1eb89d8cbb884f81")
    )

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// A file of x264's units.
    private static func file(
        _ units: (sequence: [UInt8], picture: [UInt8], slice: [UInt8]), _ properties: [[UInt8]] = []
    ) -> [UInt8] {
        let fixture = AVCFixture(size)
        func counted(_ unit: [UInt8]) -> [UInt8] { HEIFFixture.number(unit.count, 2) + unit }
        let configuration = HEIFFixture.box(
            "avcC", [1, 100, 0, 10, 0xFF, 0xE1] + counted(units.sequence) + [1] + counted(units.picture))
        return fixture.file(
            data: fixture.data(of: [units.slice]),
            properties: [HEIFFixture.size(PixelSize(width: 38, height: 30)), configuration] + properties)
    }

    private static func error(_ file: [UInt8], limits: DecodingLimits = .standard) -> ImageError? {
        do {
            return try HEIFCodecTests.decode(file, DecodingOptions(color: .asStored, limits: limits)).error
        } catch {
            return error as? ImageError
        }
    }

    // MARK: Pixels

    @Test("Samples become RGB as the standard says, cropped at each side", arguments: [16, 38, 74], [0, 2, 6])
    func samples(width: Int, crop: Int) throws {
        var fixture = AVCFixture(PixelSize(width: width, height: 46))
        fixture.crop = (crop, crop / 2 * 2)
        let decoded = try HEIFCodecTests.decode(fixture.file())
        #expect(decoded.error == nil && decoded.header.format == .heif && decoded.header.size == fixture.size)
        #expect(decoded.bitmap.format == .rgba8 && decoded.bitmap.alpha == .none)
        #expect(fixture.largestDifference(from: decoded.bitmap) < 0.51)
    }

    @Test(
        "Matrix and range are those of the stream, unless the file has its own",
        arguments: [1, 2, 6, 9], [false, true])
    func colors(matrix: Int, isFullRange: Bool) throws {
        var fixture = AVCFixture(Self.size)
        fixture.colors = ([1, 13, matrix], isFullRange)
        fixture.profile = 100
        let coded = try HEIFCodecTests.decode(fixture.file()).bitmap
        #expect(fixture.largestDifference(from: coded, matrix: matrix, isFullRange: isFullRange) < 0.51)
        let codes = Array("nclx".utf8) + [0, 1, 0, 13, 0, UInt8(matrix), isFullRange ? 0x80 : 0]
        fixture.colors = ([1, 13, matrix == 1 ? 6 : 1], !isFullRange)
        let declared = try HEIFCodecTests.decode(fixture.file([HEIFFixture.box("colr", codes)])).bitmap
        // An unspecified matrix is that of the stream.
        let applied = matrix == 2 ? 1 : matrix
        #expect(fixture.largestDifference(from: declared, matrix: applied, isFullRange: isFullRange) < 0.51)
        // Only the range is in the stream.
        fixture.colors = ([], isFullRange)
        let partly = try HEIFCodecTests.decode(fixture.file()).bitmap
        #expect(fixture.largestDifference(from: partly, isFullRange: isFullRange) < 0.51)
    }

    @Test("Slices and lengths of each size make the same image", arguments: [2, 4], [1, 2, 3])
    func slices(lengthByteCount: Int, sliceCount: Int) throws {
        var fixture = AVCFixture(Self.size)
        (fixture.lengthByteCount, fixture.sliceCount) = (lengthByteCount, sliceCount)
        let decoded = try HEIFCodecTests.decode(fixture.file())
        #expect(decoded.error == nil && fixture.largestDifference(from: decoded.bitmap) < 0.51)
    }

    @Test("Other encoders' files in High profile are decoded, grey as grey")
    func high() throws {
        let gray = try HEIFCodecTests.decode(Self.file(Self.gray))
        #expect(gray.error == nil && gray.header.colorModel == .gray && gray.bitmap.format == .gray8)
        let expected: [UInt8] = (0..<38 * 30).map { place in
            [10, 90, 170, 250][(place % 38 < 16 ? 0 : 1) + (place / 38 < 16 ? 0 : 2)]
        }
        #expect(gray.bitmap.tightBytes() == expected)

        // White is 235 here, so 40 is 28: (40 - 16) · 255 / 219. Red is that and 1.596 · (Cr - 128) of 200.
        let color = try HEIFCodecTests.decode(CodedAVC.file).bitmap
        #expect(color.size == PixelSize(width: 38, height: 30))
        #expect(Array(color.tightBytes()[..<4]) == [143, 0, 0, 255])
    }

    @Test("An image is turned by the file, and in parts too", arguments: HEIFGridTests.turns)
    func turns(transforms: [[UInt8]], orientation: Orientation) throws {
        let fixture = AVCFixture(Self.size)
        let expected = try HEIFCodecTests.decode(fixture.file()).bitmap.oriented(by: orientation)
        let file = fixture.file(transforms)
        let decoded = try HEIFCodecTests.decode(file)
        #expect(decoded.header.size == expected.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
        let region = PixelRect(x: 5, y: 9, width: 21, height: 11)
        let part = try HEIFCodecTests.part(region, of: file)
        #expect(part.tightBytes() == (try expected.cropped(to: region).tightBytes()))
    }

    @Test("Tiles in AVC are put together, and turned", arguments: HEIFGridTests.turns)
    func grid(transforms: [[UInt8]], orientation: Orientation) throws {
        let size = PixelSize(width: 52, height: 40)
        // The tiles differ by what is cut off at their left.
        let tiles = (0..<4).map { index in
            var tile = AVCFixture(PixelSize(width: 32, height: 32))
            tile.crop.left = 2 * index
            return tile
        }
        let first = tiles[0]
        var properties = [HEIFFixture.size(first.size), HEIFFixture.size(size)]
        let ofGrid = [2] + transforms.indices.map { 3 + $0 }
        properties += transforms
        var items = [
            HEIFFixture.Item(
                type: "grid", data: [0, 1, 1, 1] + HEIFFixture.number(52, 4) + HEIFFixture.number(40, 4),
                properties: ofGrid, parts: [2, 3, 4, 5])
        ]
        for tile in tiles {
            properties.append(tile.configuration)
            items.append(
                HEIFFixture.Item(type: "avc1", data: tile.data, properties: [1, properties.count], isHidden: true))
        }
        let file = HEIFFixture(brand: "mif1", items, properties: properties).bytes
        var whole = try MutableBitmap(BitmapInfo(size: PixelSize(width: 64, height: 64), format: .rgba8))
        for (index, tile) in tiles.enumerated() {
            whole.draw(try HEIFCodecTests.decode(tile.file()).bitmap, x: index % 2 * 32, y: index / 2 * 32)
        }
        let expected = try whole.freeze().cropped(to: PixelRect(size)).oriented(by: orientation)
        let decoded = try HEIFCodecTests.decode(file)
        #expect(decoded.error == nil && decoded.header.size == expected.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
        let region = PixelRect(x: 13, y: 9, width: 24, height: 20)
        let part = try HEIFCodecTests.part(region, of: file)
        #expect(part.tightBytes() == (try expected.cropped(to: region).tightBytes()))
    }

    @Test("A mask in AVC becomes alpha")
    func mask() throws {
        let fixture = AVCFixture(PixelSize(width: 38, height: 30))
        let units = Self.gray
        func counted(_ unit: [UInt8]) -> [UInt8] { HEIFFixture.number(unit.count, 2) + unit }
        let properties = [
            HEIFFixture.size(fixture.size), fixture.configuration,
            HEIFFixture.box(
                "avcC", [1, 100, 0, 10, 0xFF, 0xE1] + counted(units.sequence) + [1] + counted(units.picture)),
            HEIFFixture.fullBox("auxC", 0, Array("urn:mpeg:avc:2015:auxid:1\0".utf8)),
        ]
        let items = [
            HEIFFixture.Item(type: "avc1", data: fixture.data, properties: [1, 2]),
            HEIFFixture.Item(
                type: "avc1", data: fixture.data(of: [units.slice]), properties: [1, 3, 4],
                references: [(type: "auxl", items: [1])], isHidden: true),
        ]
        let decoded = try HEIFCodecTests.decode(HEIFFixture(brand: "mif1", items, properties: properties).bytes)
        #expect(decoded.error == nil && decoded.bitmap.alpha == .straight)
        #expect(fixture.largestDifference(from: decoded.bitmap) < 0.51)
        let bytes = decoded.bitmap.tightBytes()
        #expect([bytes[3], bytes[4 * 37 + 3], bytes[4 * 38 * 29 + 3], bytes[4 * 38 * 30 - 1]] == [10, 90, 170, 250])
    }

    @Test("Each brand of AVC is HEIF", arguments: ["avci", "avcs", "mif1"])
    func brands(brand: String) throws {
        var file = AVCFixture(Self.size).file(brand: brand)
        // Without the general brand among the others.
        file.replaceSubrange(16..<20, with: Array(brand.utf8))
        #expect(try HEIFCodecTests.decode(file).header.format == .heif)
    }

    // MARK: Failures

    @Test("What the library doesn't decode is named")
    func unsupported() {
        func message(_ change: (inout AVCFixture) -> Void) -> String {
            var fixture = AVCFixture(Self.size)
            change(&fixture)
            let error = Self.error(fixture.file())
            return error?.code == .unsupported ? error?.message ?? "" : "\(error as Any)"
        }
        let text = "can't decode the AVC image in the HEIF file: "
        #expect(message { ($0.profile, $0.bits) = (110, 10) } == text + "it has 10 bits per sample")
        #expect(message { ($0.profile, $0.chromaFormat) = (122, 2) } == text + "it is coded in 4:2:2")
        #expect(message { ($0.profile, $0.chromaFormat) = (244, 3) } == text + "it is coded in 4:4:4")
        #expect(message { $0.isInterlaced = true } == text + "it is interlaced")
        #expect(message { $0.profile = 88 } == text + "its profile is 88, not Baseline, Main or High")
        #expect(message { $0.colors = ([1, 13, 0], true) } == text + "its matrix is 0")
        let large = "macroblocks of 16x16 pixels; libopenh264's limit is 36864"
        #expect(message { $0.declared = PixelSize(width: 193, height: 192) } == text + "it has 193x192 \(large)")
        #expect(message { $0.declared = PixelSize(width: 544, height: 5) } == text + "it has 544x5 \(large)")
    }

    @Test("Damage, other pictures and sizes that contradict each other are errors")
    func damage() throws {
        let fixture = AVCFixture(Self.size)
        let (size, configuration) = (HEIFFixture.size(Self.size), fixture.configuration)
        func code(_ units: [[UInt8]], _ properties: [[UInt8]]? = nil) -> ImageError.Code? {
            Self.error(fixture.file(data: fixture.data(of: units), properties: properties ?? [size, configuration]))?
                .code
        }
        let slice = fixture.slices[0]
        #expect(code([slice]) == nil)
        // No configuration, an empty one, and one without an image that shows something.
        #expect(code([slice], [size]) == .corrupt)
        #expect(code([slice], [size, HEIFFixture.box("avcC", [])]) == .corrupt)
        #expect(code([slice], [size, HEIFFixture.box("avcC", [1, 66, 0, 52, 0xFF, 0xE0, 0])]) == .corrupt)
        #expect(
            code([slice], [size, HEIFFixture.box("avcC", Array(configuration.dropFirst(8).dropLast(4)))]) == .corrupt)
        var other = fixture
        (other.size.width, other.crop.left) = (0, 16)
        #expect(code([slice], [size, other.configuration]) == .corrupt)
        // Another size than the declared one, or than the slices'.
        #expect(code([slice], [HEIFFixture.size(PixelSize(width: 76, height: 46)), configuration]) == .corrupt)
        other = fixture
        other.size = PixelSize(width: 96, height: 46)
        #expect(code([slice], [HEIFFixture.size(other.size), other.configuration]) == .corrupt)
        // No slices, parts of them, garbage, and pictures that depend on others.
        #expect(code([]) == .corrupt)
        #expect(code([[6, 5, 1, 0, 0x80]]) == .corrupt)
        #expect(code([Array(slice.prefix(slice.count / 2))]) == .corrupt)
        var garbage = slice
        // The second macroblock has a type that doesn't exist.
        for place in 5..<garbage.count { garbage[place] = 1 }
        #expect(code([garbage]) == .corrupt)
        #expect(code([[0x41] + slice.dropFirst()]) == .unsupported)
        #expect(code([[0xE5] + slice.dropFirst()]) == .corrupt)
        #expect(code([[]]) == .corrupt)
        // A second picture isn't decoded; a parameter set among the slices isn't used, and one inside of a slice is an error.
        #expect(code([slice, slice]) == .unsupported)
        other.size = PixelSize(width: 4096, height: 2304)
        #expect(code([other.sequenceParameterSet, slice]) == nil)
        #expect(code([slice + [0, 0, 1] + other.sequenceParameterSet]) == .corrupt)
        #expect(code([slice + [0, 0, 0, 1] + other.sequenceParameterSet]) == .corrupt)
        // More slices than rows of macroblocks.
        other = fixture
        other.sliceCount = 4
        #expect(code(other.slices) == .unsupported)
        // Lengths beyond the item.
        var data = fixture.data(of: [slice])
        data.replaceSubrange(0..<4, with: HEIFFixture.number(slice.count + 1, 4))
        #expect(Self.error(fixture.file(data: data, properties: [size, configuration]))?.code == .truncated)
        data.replaceSubrange(0..<4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.error(fixture.file(data: data, properties: [size, configuration]))?.code == .truncated)
        let short = fixture.data(of: [slice]) + [0, 0, 0]
        #expect(Self.error(fixture.file(data: short, properties: [size, configuration]))?.code == .truncated)
    }

    @Test("The sizes and the reference pictures in the stream are within the limits before memory is allocated")
    func limits() {
        var fixture = AVCFixture(Self.size)
        fixture.referenceCount = 16
        func code(_ change: (inout DecodingLimits) -> Void) -> ImageError.Code? {
            var limits = DecodingLimits.standard
            change(&limits)
            return Self.error(fixture.file(), limits: limits)?.code
        }
        let coded = PixelSize(width: 80, height: 48)
        #expect(code { _ in } == nil)
        #expect(code { $0.maximumPixelCount = coded.pixelCount } == nil)
        #expect(code { $0.maximumPixelCount = coded.pixelCount - 1 } == .limitExceeded)
        #expect(code { $0.maximumSideLength = 79 } == .limitExceeded)
        #expect(code { $0.maximumWorkingByteCount = 40 * coded.pixelCount } == .limitExceeded)
        fixture.declared = PixelSize(width: 1 << 20, height: 1 << 20)
        #expect(code { _ in } == .limitExceeded)
        fixture.declared = PixelSize(width: 1 << 31, height: 1 << 31)
        #expect(code { _ in } == .limitExceeded)
    }

    @Test("A damaged or truncated file gives an error, and nothing worse")
    func damagedFiles() {
        let file = CodedFile(AVCFixture(PixelSize(width: 38, height: 30)).file(), HEIFCodecTests.registry)
        file.expectErrorsWhenTruncated()
        file.expectNoTrapWhenDamaged(seed: 5, first: 700)
        for (seed, file) in [Self.file(Self.gray), CodedAVC.file].enumerated() {
            CodedFile(file, HEIFCodecTests.registry).expectNoTrapWhenDamaged(seed: UInt64(6 + seed))
        }
    }
}
#endif
