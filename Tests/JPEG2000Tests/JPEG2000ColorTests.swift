#if JPEG2000
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("JPEG 2000: colours and metadata", .needs(OpenJPEG.compress))
struct JPEG2000ColorTests {
    private static let size = PixelSize(width: 20, height: 10)

    private func codestream(_ count: Int, bits: Int = 8) throws -> ([UInt8], [OpenJPEG.Component]) {
        let components = (0..<count).map { OpenJPEG.Component.grainy(Self.size, bits: bits, seed: $0) }
        return (try #require(try OpenJPEG.codestream(components, arguments: ["-mct", "0", "-n", "1"])), components)
    }

    private func decoded(_ file: [UInt8], color: DecodingOptions.Color = .asStored) throws -> Bitmap {
        let decoded = try ImageSource.decode(file, options: DecodingOptions(color: color))
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }

    @Test("A palette's colours replace its indices, and its columns may be in any order")
    func palette() throws {
        let (stream, components) = try codestream(1, bits: 4)
        let colors = (0..<16).map { (index: Int) -> [UInt8] in
            [UInt8(index * 16), UInt8(255 - index), UInt8(index * index)]
        }
        let file = Boxes.file(
            stream, Boxes.palette(colors) + Boxes.mapping([(0, 2), (0, 0), (0, 1)]) + Boxes.color(16))
        let header = try ImageSource.header(of: Source(file))
        #expect(header.colorModel == .indexed && header.bitsPerChannel == 8 && header.format == .jpeg2000)
        let expected = components[0].samples.map { RGBA8(colors[$0][2], colors[$0][0], colors[$0][1]) }
        #expect(try decoded(file).pixels == expected)
    }

    @Test("An index beyond the palette is its last colour; a column that doesn't exist is an error")
    func paletteEnds() throws {
        let (stream, components) = try codestream(1, bits: 8)
        let colors: [[UInt8]] = [[1, 2, 3], [4, 5, 6]]
        let boxes = Boxes.palette(colors) + Boxes.mapping([(0, 0), (0, 1), (0, 2)]) + Boxes.color(16)
        let expected = components[0].samples.map { $0 == 0 ? RGBA8(1, 2, 3) : RGBA8(4, 5, 6) }
        #expect(try decoded(Boxes.file(stream, boxes)).pixels == expected)
        for mapping in [[(0, 0), (0, 1), (0, 3)], [(0, 0), (1, 1), (0, 2)]] {
            let file = Boxes.file(stream, Boxes.palette(colors) + Boxes.mapping(mapping) + Boxes.color(16))
            #expect(errorCode { try decoded(file) } == .corrupt)
        }
    }

    @Test("Channel definitions order colours and name alpha")
    func definitions() throws {
        let (stream, components) = try codestream(4)
        func pixels(_ order: [Int], divided: Bool = false) -> [RGBA8] {
            (0..<Self.size.pixelCount).map { index in
                let values = order.map { UInt8(components[$0].samples[index]) }
                guard divided else { return RGBA8(values[0], values[1], values[2], values[3]) }
                let alpha = Int(values[3])
                func color(_ value: UInt8) -> UInt8 {
                    alpha == 0 ? value : UInt8(min(255, (Int(value) * 255 + alpha / 2) / alpha))
                }
                return RGBA8(color(values[0]), color(values[1]), color(values[2]), values[3])
            }
        }
        let entries = [(0, 1, 0), (1, 0, 3), (2, 0, 2), (3, 0, 1)]
        let file = Boxes.file(stream, Boxes.color(16) + Boxes.definitions(entries))
        #expect(try ImageSource.header(of: Source(file)).hasAlpha)
        #expect(try decoded(file).pixels == pixels([3, 2, 1, 0]))
        let premultiplied = [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 2, 0)]
        let other = Boxes.file(stream, Boxes.color(16) + Boxes.definitions(premultiplied))
        #expect(try decoded(other).pixels == pixels([0, 1, 2, 3], divided: true))
        // Without definitions, a fourth channel is alpha, as in Pillow.
        #expect(try decoded(stream).pixels == pixels([0, 1, 2, 3]))
        let wrong = Boxes.file(stream, Boxes.color(16) + Boxes.definitions([(0, 0, 1), (9, 0, 2), (2, 0, 3)]))
        #expect(errorCode { try decoded(wrong) } == .corrupt)
    }

    @Test("Grey may have alpha")
    func grayAlpha() throws {
        let (stream, components) = try codestream(2)
        let file = Boxes.file(stream, Boxes.color(17) + Boxes.definitions([(0, 0, 1), (1, 1, 0)]))
        let expected = (0..<Self.size.pixelCount).map { index in
            let gray = UInt8(components[0].samples[index])
            return RGBA8(gray, gray, gray, UInt8(components[1].samples[index]))
        }
        #expect(try decoded(file).pixels == expected)
        #expect(try ImageSource.header(of: Source(file)).colorModel == .gray)
    }

    @Test("sYCC and e-sYCC become RGB within a step of the formula", arguments: [18, 24])
    func ycc(_ number: Int) throws {
        let (stream, components) = try codestream(3)
        let pixels = try decoded(Boxes.file(stream, Boxes.color(number))).pixels
        for index in 0..<Self.size.pixelCount {
            let y = Double(components[0].samples[index])
            let (blue, red) = (Double(components[1].samples[index]) - 128, Double(components[2].samples[index]) - 128)
            let expected = [y + 1.402 * red, y - 0.344136 * blue - 0.714136 * red, y + 1.772 * blue]
            let found = [pixels[index].red, pixels[index].green, pixels[index].blue]
            for (value, expected) in zip(found, expected) {
                #expect(abs(Double(value) - min(255, max(0, expected))) < 1)
            }
        }
    }

    @Test("L*a*b* becomes sRGB as in OpenJPEG's tools", arguments: [8, 16], [true, false])
    func lab(_ bits: Int, _ hasFields: Bool) throws {
        let half = 1 << (bits - 1)
        // In the middle of the range, where sRGB has the colours.
        let components = (0..<3).map { index in
            let grainy = OpenJPEG.Component.grainy(Self.size, bits: bits, seed: index)
            let samples = grainy.samples.map { index == 0 ? $0 : half + ($0 - half) / 12 }
            return OpenJPEG.Component(size: Self.size, bits: bits, samples: samples)
        }
        let stream = try #require(try OpenJPEG.codestream(components, arguments: ["-mct", "0", "-n", "1"]))
        let fields = [100, 0, 255, half, 255, half].flatMap { Boxes.big($0, 4) } + Array("\0D50".utf8)
        let color = Boxes.box("colr", [1, 0, 0] + Boxes.big(14, 4) + (hasFields ? fields : []))
        let file = Boxes.file(stream, color)
        let deep = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let found = try ImageSource.decode(file, options: deep).bitmap
        #expect(found.format == (bits == 8 ? .rgba8 : .rgba16))
        let theirs = try #require(try OpenJPEG.components(file, type: "jp2"))
        try #require(theirs.count == 3 && theirs.allSatisfy { $0.bits == 16 })
        let pixels = try found.converted(to: .rgba8).pixels
        for (index, pixel) in pixels.enumerated() {
            for (value, component) in zip([pixel.red, pixel.green, pixel.blue], theirs) {
                #expect(abs(Double(value) - Double(component.samples[index]) / 257) < 1.6, "pixel \(index)")
            }
        }
    }

    @Test("CMYK becomes RGB, with 0 for no ink")
    func cmyk() throws {
        let (stream, components) = try codestream(4)
        let file = Boxes.file(stream, Boxes.color(12))
        #expect(try ImageSource.header(of: Source(file)).colorModel == .cmyk)
        let expected = (0..<Self.size.pixelCount).map { index in
            let inks = components.map { 255 - $0.samples[index] }
            func color(_ ink: Int) -> UInt8 { UInt8((inks[ink] * inks[3] + 127) / 255) }
            return RGBA8(color(0), color(1), color(2))
        }
        #expect(try decoded(file).pixels == expected)
    }

    @Test("An ICC profile that fits is the image's; one of other colours isn't")
    func profiles() throws {
        let (stream, _) = try codestream(3)
        let profile = TestProfiles.rgb(
            red: [0.515, 0.241, -0.001], green: [0.292, 0.692, 0.042], blue: [0.157, 0.067, 0.784], gamma: 2.2)
        let file = Boxes.file(stream, Boxes.profile(profile))
        #expect(try ImageSource.header(of: Source(file)).profile == .icc(profile))
        #expect(try decoded(file, color: .sRGB).pixels != decoded(file).pixels)
        let (gray, _) = try codestream(1)
        #expect(try ImageSource.header(of: Source(Boxes.file(gray, Boxes.profile(profile)))).profile == .sRGB)
        // The first colour space that is understood counts.
        let both = Boxes.file(stream, Boxes.box("colr", [1, 0, 0, 0, 0, 0, 99]) + Boxes.color(18) + Boxes.color(16))
        #expect(try decoded(both).pixels == decoded(Boxes.file(stream, Boxes.color(18))).pixels)
    }

    @Test("Resolution, Exif with its orientation, and XMP are metadata")
    func metadata() throws {
        let (stream, _) = try codestream(3)
        let exif: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        // 11811 points per metre are 300 per inch.
        let resolution = Boxes.box(
            "res ", Boxes.box("resc", Boxes.big(11811, 2) + [0, 1] + Boxes.big(11811, 2) + [0, 10, 0, 1]))
        let identifier: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
        ]
        let file = Boxes.file(
            stream, Boxes.color(16) + resolution,
            others: Boxes.box("uuid", Array("JpgTiffExif->JP2".utf8) + exif) + Boxes.box("uuid", identifier + xmp))
        let header = try ImageSource.header(of: Source(file))
        #expect(header.metadata.exif == exif && header.metadata.xmp == xmp && header.metadata.orientation == .right)
        #expect(header.size == PixelSize(width: 10, height: 20))
        let found = try #require(header.metadata.resolution)
        #expect(abs(found.horizontal - 300) < 0.01 && abs(found.vertical - 300) < 0.01)
        // Longer blocks than the limit are left out.
        var options = DecodingOptions()
        options.limits.maximumMetadataByteCount = 200
        let small = Boxes.file(
            stream, Boxes.color(16), others: Boxes.box("uuid", identifier + [UInt8](repeating: 32, count: 300)))
        #expect(try ImageSource.header(of: Source(small), options: options).metadata.xmp == nil)
    }
}
#endif
