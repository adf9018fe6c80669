#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// Turns and crops of a tone-mapped primary item, which apply to its base and its map together.
@Suite(
    "Transformations of a tone-mapped primary item",
    .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct ToneMappedTransformationTests {
    private typealias Fixtures = ToneMappedPrimaryTests

    /// A transformation, as a property of the file and as an operation on pixels.
    private enum Step: CustomTestStringConvertible {
        /// Anticlockwise quarter turns.
        case turn(UInt8)
        /// 0 exchanges top and bottom; 1 exchanges left and right.
        case mirror(UInt8)
        /// A part of the image as it is before this step.
        case crop(PixelRect)

        func box(in size: PixelSize) -> [UInt8] {
            switch self {
            case .turn(let angle): HEIFFixture.box("irot", [angle])
            case .mirror(let axis): HEIFFixture.box("imir", [axis])
            case .crop(let rect):
                // The distance of the centres in halves of a pixel.
                HEIFFixture.box(
                    "clap",
                    [
                        rect.width, 1, rect.height, 1, 2 * rect.x + rect.width - size.width, 2,
                        2 * rect.y + rect.height - size.height, 2,
                    ].flatMap { HEIFFixture.number($0, 4) })
            }
        }

        /// Applies the step to the image, or to a map with half as many columns and as many rows.
        func apply(to bitmap: Bitmap, isMap: Bool, isTurned: inout Bool) throws -> Bitmap {
            switch self {
            case .turn(let angle):
                if angle % 2 == 1 { isTurned.toggle() }
                return try bitmap.oriented(by: [.up, .left, .down, .right][Int(angle)])
            case .mirror(let axis): return try bitmap.oriented(by: axis == 0 ? .downMirrored : .upMirrored)
            case .crop(var rect):
                if isMap, isTurned {
                    (rect.y, rect.height) = (rect.y / 2, rect.height / 2)
                } else if isMap {
                    (rect.x, rect.width) = (rect.x / 2, rect.width / 2)
                }
                return try bitmap.cropped(to: rect)
            }
        }

        var testDescription: String { "\(self)" }
    }

    /// Steps of the base, then of the tone-mapped image.
    private static let cases: [(base: [Step], primary: [Step])] = [
        ([], [.turn(1)]), ([], [.turn(2)]), ([], [.turn(3)]), ([], [.mirror(0)]), ([], [.mirror(1)]),
        ([], [.crop(PixelRect(x: 30, y: 15, width: 64, height: 33))]),
        ([], [.crop(PixelRect(x: 30, y: 15, width: 64, height: 33)), .turn(3), .mirror(0)]),
        // In the coordinates of the turned image.
        ([], [.turn(1), .crop(PixelRect(x: 5, y: 40, width: 50, height: 80))]),
        ([], [.turn(1), .mirror(1), .crop(PixelRect(x: 5, y: 40, width: 50, height: 80)), .turn(1)]),
        ([.turn(1)], [.turn(1)]), ([.turn(1)], [.turn(3)]), ([.turn(3)], [.mirror(0)]),
        ([.crop(PixelRect(x: 32, y: 0, width: 64, height: 64))], [.turn(1)]),
        (
            [.crop(PixelRect(x: 32, y: 8, width: 64, height: 48)), .turn(1)],
            [.crop(PixelRect(x: 3, y: 10, width: 40, height: 30)), .mirror(1)]
        ),
    ]

    /// Applies steps to the image or its map.
    private static func applied(_ steps: [Step], to bitmap: Bitmap, isMap: Bool = false) throws -> Bitmap {
        var (bitmap, isTurned) = (bitmap, false)
        for step in steps { bitmap = try step.apply(to: bitmap, isMap: isMap, isTurned: &isTurned) }
        return bitmap
    }

    /// Adds steps to the properties of an item of `size`.
    private static func add(_ steps: [Step], to item: Int, of fixture: inout HEIFFixture, _ size: PixelSize) throws {
        var plain = try Bitmap.plain(RGBA8(0, 0, 0), size)
        for step in steps {
            fixture.properties.append(step.box(in: plain.size))
            fixture.items[item].properties.append(fixture.properties.count)
            plain = try applied([step], to: plain)
        }
    }

    private static func file(_ format: ImageFormat, _ base: [Step], _ primary: [Step]) throws -> HEIFFixture {
        var fixture = try Fixtures.fixture(format)
        let size = try Fixtures.base.get().size
        try add(base, to: 0, of: &fixture, size)
        let shown = try applied(base, to: Bitmap.plain(RGBA8(0, 0, 0), size)).size
        fixture.properties.append(HEIFFixture.size(shown))
        fixture.items[2].properties.append(fixture.properties.count)
        try add(primary, to: 2, of: &fixture, shown)
        return fixture
    }

    @Test("The image is turned and cropped after its base", arguments: ISOGainMapFileTests.formats, cases.indices)
    func image(format: ImageFormat, index: Int) throws {
        let (base, primary) = Self.cases[index]
        let file = try Self.file(format, base, primary).bytes
        let expected = try Self.applied(base + primary, to: Fixtures.base.get())
        let decoded = try ImageSource.decode(file)
        #expect(decoded.error == nil && decoded.header.size == expected.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
        // A part is that of the shown image.
        let part = PixelRect(x: 7, y: 5, width: 20, height: 11)
        let region = try ImageSource.decode(file, plan: DecodingPlan(region: part)).bitmap
        #expect(try region.tightBytes() == expected.cropped(to: part).tightBytes())
        // libavif 0.11 reads it as a still only.
        if format == .heic { #expect(try AnimatedImageSource(file).header?.size == expected.size) }
    }

    @Test("The map is turned and cropped with it", arguments: ISOGainMapFileTests.formats, cases.indices)
    func map(format: ImageFormat, index: Int) throws {
        let (base, primary) = Self.cases[index]
        // The map is that of the base's shown pixels, upright.
        guard base.isEmpty else { return }
        let map = try #require(try Image(data: Self.file(format, base, primary).bytes).gainMap)
        let expected = try Self.applied(primary, to: Fixtures.gains.get(), isMap: true)
        #expect(map.metadata == GainMapFixture.colored && map.image.size == expected.size)
        #expect(try map.image.bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("The rendition is that of the untransformed file, transformed", arguments: ISOGainMapFileTests.formats)
    func rendition(format: ImageFormat) throws {
        let plain = try Image(data: Fixtures.fixture(format).bytes).rendered(for: .high(headroom: 4)).bitmap()
        for (base, primary) in Self.cases where base.isEmpty {
            let file = try Self.file(format, base, primary).bytes
            let rendered = try Image(data: file).rendered(for: .high(headroom: 4)).bitmap()
            let expected = try Self.applied(primary, to: plain)
            #expect(rendered.size == expected.size)
            let noise = rendered.noise(against: expected)
            #expect(noise ?? 100 > 45, "\(primary): \(noise ?? 100) dB")
        }
    }

    @Test("A base of tiles")
    func grid() throws {
        let whole = try Fixtures.base.get()
        let tiles = try [0, 64].map { x in
            try HEIFFixture.Coded(whole.cropped(to: PixelRect(x: x, y: 0, width: 64, height: 64)))
        }
        var fixture = HEIFFixture(grid: tiles, columns: 2, size: whole.size)
        fixture.add(try HEIFFixture.Coded(Fixtures.gains.get()), isHidden: true)
        fixture.items.append(
            HEIFFixture.Item(type: "tmap", data: [0] + GainMapFixture.gray.iso21496, properties: [], parts: [1, 4]))
        fixture.primary = 5
        let steps: [Step] = [.crop(PixelRect(x: 30, y: 15, width: 64, height: 33)), .turn(1)]
        try Self.add(steps, to: 4, of: &fixture, whole.size)
        let decoded = try ImageSource.decode(fixture.bytes)
        #expect(decoded.error == nil)
        #expect(try decoded.bitmap.tightBytes() == Self.applied(steps, to: whole).tightBytes())
        #expect(try Image(data: fixture.bytes).gainMap?.metadata == GainMapFixture.gray)
    }

    @Test("Declarations that contradict each other are errors", arguments: ISOGainMapFileTests.formats)
    func contradictions(format: ImageFormat) throws {
        func code(_ boxes: [[UInt8]], _ change: (inout HEIFFixture) -> Void = { _ in }) throws -> ImageError.Code? {
            var fixture = try Fixtures.fixture(format)
            for box in boxes {
                fixture.properties.append(box)
                fixture.items[2].properties.append(fixture.properties.count)
            }
            change(&fixture)
            return errorCode { try Image(data: fixture.bytes).bitmap() }
        }
        func crop(_ numbers: [Int]) -> [UInt8] {
            HEIFFixture.box("clap", numbers.flatMap { HEIFFixture.number($0, 4) })
        }
        let turn = HEIFFixture.box("irot", [1])
        #expect(try code([turn]) == nil)
        #expect(try code([HEIFFixture.size(PixelSize(width: 128, height: 64)), turn]) == nil)
        // The size before the turn, and that of the turned image.
        #expect(try code([HEIFFixture.size(PixelSize(width: 64, height: 128)), turn]) == .corrupt)
        // Crops that reach over the edge, have no pixels, divide by 0, or are truncated.
        #expect(try code([crop([128, 1, 64, 1, 0, 1, 0, 1])]) == nil)
        #expect(try code([crop([130, 1, 64, 1, 0, 1, 0, 1])]) == .corrupt)
        #expect(try code([crop([64, 1, 64, 1, 33, 1, 0, 1])]) == .corrupt)
        #expect(try code([crop([64, 1, 64, 1, -33, 1, 0, 1])]) == .corrupt)
        #expect(try code([crop([0, 1, 64, 1, 0, 1, 0, 1])]) == .corrupt)
        #expect(try code([crop([Int(UInt32.max), 1, Int(UInt32.max), 1, 0, 1, 0, 1])]) == .corrupt)
        #expect(try code([crop([64, 1, 64, 1, Int(Int32.min), 1, Int(Int32.max), 1])]) == .corrupt)
        for place in [1, 3, 5, 7] {
            var numbers = [64, 1, 32, 1, 0, 1, 0, 1]
            numbers[place] = 0
            #expect(try code([crop(numbers)]) == .corrupt)
        }
        #expect(try code([crop([64, 1, 32, 1, 0, 1, 0])]) == .corrupt)
        #expect(try code([HEIFFixture.box("irot", [])]) == .corrupt)
        // A base that declares another size than it has (libavif 0.11 believes the declaration), or none.
        let contradicted = try code([turn]) { fixture in
            fixture.properties.append(HEIFFixture.size(PixelSize(width: 64, height: 64)))
            fixture.items[0].properties = fixture.items[0].properties.map { $0 == 2 ? fixture.properties.count : $0 }
        }
        #expect(contradicted != nil || format == .avif)
        #expect(try code([turn]) { $0.items[0].properties.removeAll { $0 == 2 } } != nil)
        #expect(
            try code([turn]) { fixture in
                fixture.items[2].properties += [Int](repeating: fixture.properties.count, count: 120)
            } == .unsupported)
    }

    @Test("Every byte of the boxes may be anything", arguments: ISOGainMapFileTests.formats)
    func anyByte(format: ImageFormat) throws {
        let (base, primary) = Self.cases[Self.cases.count - 1]
        try ISOGainMapDamageTests.forEachDamaged(Self.file(format, base, primary).bytes) { damaged in
            guard let header = try? ImageSource.header(of: damaged) else { return }
            let map = try? ImageSource.gainMap(in: Source(damaged), header: header)
            #expect(map?.image.size.isEmpty != true)
            let decoded = try? ImageSource.decode(damaged)
            #expect(decoded == nil || decoded?.bitmap.size == decoded?.header.size)
        }
    }
}
#endif
