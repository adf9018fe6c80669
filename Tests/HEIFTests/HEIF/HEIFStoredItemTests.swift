#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

@Suite("HEIF: images that are JPEGs or not compressed", .enabled(if: HEIFCodec().canDecode, "libheif is missing"))
struct HEIFStoredItemTests {
    private static let size = PixelSize(width: 74, height: 46)

    private static func jpeg() throws -> [UInt8] {
        let bitmap = try SamplePicture.valley.makeBitmap(size: size)
        return try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9)).encode(bitmap)
    }

    /// An auxiliary image.
    private struct Mask {
        var kind = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
        var type = "jpeg"
        var data: [UInt8]
        var size = HEIFStoredItemTests.size
        var properties: [[UInt8]] = []
        var isPremultiplied = false
    }

    /// A file with one image of this type.
    private static func file(
        _ type: String, _ data: [UInt8], _ properties: [[UInt8]], size: PixelSize = size, mask: Mask? = nil
    ) -> [UInt8] {
        let all = [HEIFFixture.size(size)] + properties
        let item = HEIFFixture.Item(type: type, data: data, properties: Array(1...all.count))
        var fixture = HEIFFixture(brand: "mif1", [item], properties: all)
        if let mask {
            fixture.properties.append(HEIFFixture.fullBox("auxC", 0, Array("\(mask.kind)\0".utf8)))
            let first = fixture.properties.count
            fixture.properties += [HEIFFixture.size(mask.size)] + mask.properties
            fixture.items.append(
                HEIFFixture.Item(
                    type: mask.type, data: mask.data, properties: Array(first...fixture.properties.count),
                    references: [(type: "auxl", items: [1])], isHidden: true))
            if mask.isPremultiplied { fixture.items[0].references = [(type: "prem", items: [2])] }
        }
        return fixture.bytes
    }

    private static func error(_ file: [UInt8], limits: DecodingLimits = .standard) -> ImageError? {
        do {
            return try HEIFCodecTests.decode(file, DecodingOptions(color: .asStored, limits: limits)).error
        } catch {
            return error as? ImageError
        }
    }

    // MARK: JPEG

    @Test("A JPEG has its own pixels, whether its first bytes are beside it or a property", arguments: [0, 2, 200])
    func jpeg(prefixCount: Int) throws {
        let jpeg = try Self.jpeg()
        let prefix = prefixCount == 0 ? [] : [HEIFFixture.box("jpgC", Array(jpeg.prefix(prefixCount)))]
        let decoded = try HEIFCodecTests.decode(Self.file("jpeg", Array(jpeg.dropFirst(prefixCount)), prefix))
        let expected = try ImageSource.decode(jpeg, options: DecodingOptions(color: .asStored)).bitmap
        #expect(decoded.error == nil && decoded.header.format == .heif && decoded.header.size == Self.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
    }

    @Test("A JPEG is turned by the file, and in parts too", arguments: HEIFGridTests.turns)
    func turns(transforms: [[UInt8]], orientation: Orientation) throws {
        let jpeg = try Self.jpeg()
        let file = Self.file("jpeg", jpeg, transforms)
        let decoded = try HEIFCodecTests.decode(file)
        let expected = try ImageSource.decode(jpeg, options: DecodingOptions(color: .asStored)).bitmap
            .oriented(by: orientation)
        #expect(decoded.header.size == expected.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())
        let region = PixelRect(x: 5, y: 9, width: 20, height: 11)
        let part = try HEIFCodecTests.part(region, of: file)
        #expect(part.tightBytes() == (try expected.cropped(to: region).tightBytes()))
    }

    @Test("A JPEG's size must be the declared one, its bytes must be there, and so must its mask's")
    func jpegDamage() throws {
        let jpeg = try Self.jpeg()
        #expect(Self.error(Self.file("jpeg", jpeg, [], size: PixelSize(width: 70, height: 46)))?.code == .corrupt)
        #expect(Self.error(Self.file("jpeg", Array(jpeg.prefix(100)), []))?.code == .truncated)
        #expect(Self.error(Self.file("jpeg", [], [])) != nil)
        CodedFile(Self.file("jpeg", jpeg, []), HEIFCodecTests.registry).expectNoTrapWhenDamaged(seed: 3, first: 700)
    }

    // MARK: Masks

    private static func opacity(_ size: PixelSize = size) throws -> (bitmap: Bitmap, jpeg: [UInt8]) {
        let bitmap = try SamplePicture.fruit.makeBitmap(size: size).converted(to: .gray8, alpha: AlphaMode.none)
        let jpeg = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9)).encode(bitmap)
        return (try ImageSource.decode(jpeg, options: DecodingOptions(color: .asStored)).bitmap, jpeg)
    }

    @Test(
        "A mask becomes alpha, whatever its type is called",
        arguments: [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1",
        ], HEIFGridTests.turns)
    func masks(kind: String, turn: ([[UInt8]], Orientation)) throws {
        let (jpeg, opacity) = (try Self.jpeg(), try Self.opacity())
        let file = Self.file(
            "jpeg", jpeg, turn.0, mask: Mask(kind: kind, data: opacity.jpeg, properties: turn.0))
        let decoded = try HEIFCodecTests.decode(file)
        let colors = try ImageSource.decode(jpeg, options: DecodingOptions(color: .asStored)).bitmap
        #expect(decoded.error == nil && decoded.header.hasAlpha && decoded.bitmap.alpha == .straight)
        let alpha = opacity.bitmap.tightBytes()
        var expected = colors.tightBytes()
        for place in alpha.indices { expected[4 * place + 3] = alpha[place] }
        var info = decoded.bitmap.info
        info.size = Self.size
        var whole = try MutableBitmap(info)
        var samples = expected[...]
        whole.withMutableRows(0..<Self.size.height) { rows in
            for y in 0..<rows.count {
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    row[x] = RGBA8(
                        samples.removeFirst(), samples.removeFirst(), samples.removeFirst(), samples.removeFirst())
                }
            }
        }
        let turned = try whole.freeze().oriented(by: turn.1)
        #expect(decoded.bitmap.size == turned.size && decoded.bitmap.tightBytes() == turned.tightBytes())
        let region = PixelRect(x: 5, y: 9, width: 20, height: 11)
        let part = try HEIFCodecTests.part(region, of: file)
        #expect(part.tightBytes() == (try turned.cropped(to: region).tightBytes()))
    }

    @Test("Premultiplied colours are divided by their mask, and grey ones get alpha too")
    func premultipliedMasks() throws {
        let layout = Layout(kinds: [0])
        let mask = [UInt8](repeating: 128, count: Self.size.pixelCount)
        for isPremultiplied in [false, true] {
            let file = Self.file(
                "unci", layout.bytes(Self.size), layout.properties,
                mask: Mask(
                    type: "unci", data: mask, properties: layout.properties, isPremultiplied: isPremultiplied))
            let decoded = try HEIFCodecTests.decode(file)
            #expect(decoded.error == nil && decoded.bitmap.format == .rgba8 && decoded.bitmap.alpha == .straight)
            let gray = layout.bytes(Self.size)
            let expected = gray.flatMap { value -> [UInt8] in
                let straight = isPremultiplied ? UInt8(min(255, (Int(value) * 255 + 64) / 128)) : value
                return [straight, straight, straight, 128]
            }
            #expect(decoded.bitmap.tightBytes() == expected)
        }
    }

    @Test("Other auxiliary images aren't masks; masks of other sizes and codings are errors")
    func otherMasks() throws {
        let (jpeg, opacity) = (try Self.jpeg(), try Self.opacity())
        for kind in ["urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:hevc:2015:auxid:10", ""] {
            let decoded = try HEIFCodecTests.decode(
                Self.file("jpeg", jpeg, [], mask: Mask(kind: kind, data: opacity.jpeg)))
            #expect(decoded.error == nil && !decoded.header.hasAlpha)
        }
        func code(_ mask: Mask, _ properties: [[UInt8]] = []) -> ImageError.Code? {
            Self.error(Self.file("jpeg", jpeg, properties, mask: mask))?.code
        }
        #expect(code(Mask(data: opacity.jpeg)) == nil)
        #expect(code(Mask(type: "hvc1", data: opacity.jpeg)) == .unsupported)
        #expect(code(Mask(data: opacity.jpeg), [HEIFFixture.box("irot", [1])]) == .unsupported)
        let size = PixelSize(width: 37, height: 23)
        #expect(code(Mask(data: try Self.opacity(size).jpeg, size: size)) == .unsupported)
        #expect(code(Mask(data: opacity.jpeg, size: size)) == .corrupt)
        #expect(code(Mask(data: Array(opacity.jpeg.prefix(100)))) == .truncated)
        let layout = Layout(kinds: [0, 7])
        let file = Self.file(
            "unci", layout.bytes(Self.size), layout.properties, mask: Mask(data: opacity.jpeg))
        #expect(Self.error(file)?.code == .unsupported)
    }

    // MARK: Uncompressed

    /// A layout of samples: `uncC` and `cmpd`, and the bytes of an image in it.
    struct Layout: CustomTestStringConvertible {
        /// By their numbers in the standard: 0 grey, 4 to 6 red, green and blue, 7 alpha, 12 padding.
        var kinds: [Int]
        var bits = 8
        /// 0 for planes, 1 for pixels, 3 for rows.
        var interleave = 1
        var isLittleEndian = false
        var pixelByteCount = 0
        var rowAlignment = 0
        var tileAlignment = 0
        var tiles = (across: 1, down: 1)

        var testDescription: String {
            "\(kinds) of \(bits) bits, \(interleave), \(tiles), aligned \(rowAlignment) \(tileAlignment)"
        }

        var properties: [[UInt8]] {
            func number(_ value: Int, _ byteCount: Int) -> [UInt8] { HEIFFixture.number(value, byteCount) }
            var configuration: [UInt8] = [0, 0, 0, 0]
            configuration += number(kinds.count, 4)
            for index in kinds.indices {
                configuration += number(index, 2)
                configuration += [UInt8(bits - 1), 0, 0]
            }
            configuration += [0, UInt8(interleave), 0, isLittleEndian ? 0x80 : 0]
            for value in [pixelByteCount, rowAlignment, tileAlignment, tiles.across - 1, tiles.down - 1] {
                configuration += number(value, 4)
            }
            // Of the two, `cmpd` has no version.
            var definitions = number(kinds.count, 4)
            for kind in kinds { definitions += number(kind, 2) }
            return [HEIFFixture.box("cmpd", definitions), HEIFFixture.fullBox("uncC", 0, configuration)]
        }

        /// A sample that differs from its neighbours.
        func sample(_ component: Int, _ x: Int, _ y: Int) -> Int {
            (x * 7 + y * 31 + component * 101) * (bits > 8 ? 211 : 1) % (1 << bits)
        }

        func bytes(_ size: PixelSize) -> [UInt8] {
            let (width, height) = (size.width / tiles.across, size.height / tiles.down)
            var bytes: [UInt8] = []
            func add(_ component: Int, _ x: Int, _ y: Int) {
                let stored = HEIFFixture.number(sample(component, x, y), bits / 8)
                bytes += isLittleEndian ? stored.reversed() : stored
            }
            func align(_ alignment: Int, from start: Int) {
                while alignment > 1, (bytes.count - start) % alignment != 0 { bytes.append(0xEE) }
            }
            for tile in 0..<tiles.across * tiles.down {
                let (left, top) = (tile % tiles.across * width, tile / tiles.across * height)
                let start = bytes.count
                for plane in interleave == 0 ? Array(kinds.indices) : [-1] {
                    for y in top..<top + height {
                        let row = bytes.count
                        for part in interleave == 3 ? Array(kinds.indices) : [plane] {
                            for x in left..<left + width {
                                let first = bytes.count
                                for component in part < 0 ? Array(kinds.indices) : [part] { add(component, x, y) }
                                while part < 0, bytes.count - first < pixelByteCount { bytes.append(0xEE) }
                            }
                        }
                        align(rowAlignment, from: row)
                    }
                }
                align(tileAlignment, from: start)
            }
            return bytes
        }
    }

    private static let layouts: [Layout] = [
        Layout(kinds: [0]), Layout(kinds: [4, 5, 6]), Layout(kinds: [4, 5, 6], interleave: 0),
        Layout(kinds: [4, 5, 6], interleave: 3), Layout(kinds: [6, 5, 4, 7]), Layout(kinds: [0, 7], interleave: 0),
        Layout(kinds: [4, 5, 6, 12]), Layout(kinds: [4, 5, 6], pixelByteCount: 4, rowAlignment: 64),
        Layout(kinds: [0], bits: 16), Layout(kinds: [4, 5, 6], bits: 16, isLittleEndian: true),
        Layout(kinds: [4, 5, 6, 7], bits: 16, interleave: 0, rowAlignment: 16, tileAlignment: 4096, tiles: (2, 2)),
        Layout(kinds: [4, 5, 6], interleave: 3, tiles: (37, 23)),
        Layout(kinds: [4, 5, 6], rowAlignment: 10, tileAlignment: 100, tiles: (2, 1)),
    ]

    @Test("Samples that aren't compressed are read in each layout", arguments: layouts)
    func samples(layout: Layout) throws {
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let file = Self.file("unci", layout.bytes(Self.size), layout.properties)
        let decoded = try HEIFCodecTests.decode(file, options)
        let bitmap = decoded.bitmap
        #expect(decoded.error == nil && bitmap.size == Self.size)
        #expect(
            bitmap.format.bitsPerChannel == layout.bits
                && bitmap.alpha == (layout.kinds.contains(7) ? .straight : .none))
        let scale = layout.bits == 8 ? 257 : 1
        // Red, green, blue and alpha of each pixel, with 16 bits.
        let samples = bitmap.samples16
        for (place, kind) in [4, 5, 6, 7].enumerated() {
            guard
                let component = layout.kinds.firstIndex(of: kind) ?? (kind == 7 ? nil : layout.kinds.firstIndex(of: 0))
            else {
                continue
            }
            let expected = (0..<Self.size.pixelCount).map {
                UInt16(layout.sample(component, $0 % Self.size.width, $0 / Self.size.width) * scale)
            }
            let isEqual = stride(from: place, to: samples.count, by: 4).map { samples[$0] } == expected
            #expect(isEqual, "component \(kind)")
        }
        let region = PixelRect(x: 30, y: 20, width: 17, height: 9)
        let part = try HEIFCodecTests.part(region, of: file, options)
        #expect(part.tightBytes() == (try bitmap.cropped(to: region).tightBytes()))
    }

    @Test("The short form of a configuration names its components", arguments: ["rgb3", "rgba", "abgr"])
    func profiles(profile: String) throws {
        let kinds = ["rgb3": [4, 5, 6], "rgba": [4, 5, 6, 7], "abgr": [7, 6, 5, 4]][profile]!
        let layout = Layout(kinds: kinds)
        let bytes = layout.bytes(Self.size)
        let short = try HEIFCodecTests.decode(
            Self.file("unci", bytes, [HEIFFixture.fullBox("uncC", 1, Array(profile.utf8))]))
        let long = try HEIFCodecTests.decode(Self.file("unci", bytes, layout.properties))
        #expect(short.bitmap.tightBytes() == long.bitmap.tightBytes())
    }

    @Test("Other layouts, missing bytes and sizes beyond the limits are errors")
    func uncompressedDamage() throws {
        let layout = Layout(kinds: [4, 5, 6])
        let (bytes, properties) = (layout.bytes(Self.size), layout.properties)
        #expect(Self.error(Self.file("unci", bytes, properties)) == nil)
        #expect(Self.error(Self.file("unci", Array(bytes.dropLast()), properties))?.code == .truncated)
        #expect(Self.error(Self.file("unci", bytes, []))?.code == .corrupt)
        #expect(
            Self.error(Self.file("unci", bytes, properties + [HEIFFixture.fullBox("cmpC", 0, [0, 0, 0, 0])]))?.code
                == .unsupported)
        var other = layout
        other.kinds = [1, 2, 3]
        #expect(Self.error(Self.file("unci", bytes, other.properties))?.code == .unsupported)
        other.kinds = [4, 4, 6]
        #expect(Self.error(Self.file("unci", bytes, other.properties))?.code == .unsupported)
        (other.kinds, other.interleave) = ([4, 5, 6], 2)
        #expect(Self.error(Self.file("unci", bytes, other.properties))?.code == .unsupported)
        (other.interleave, other.tiles) = (1, (3, 1))
        #expect(Self.error(Self.file("unci", bytes, other.properties))?.code == .corrupt)
        other.tiles = (1 << 31, 1 << 31)
        #expect(Self.error(Self.file("unci", bytes, other.properties)) != nil)
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = Self.size.pixelCount - 1
        #expect(Self.error(Self.file("unci", bytes, properties), limits: limits)?.code == .limitExceeded)
        let file = CodedFile(Self.file("unci", bytes, properties), HEIFCodecTests.registry)
        file.expectErrorsWhenTruncated()
        file.expectNoTrapWhenDamaged(seed: 4, first: 400)
    }
}
#endif
