#if TIFF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("TIFF corpus", .needsCorpus)
struct TIFFCorpusTests {
    /// Files of which libvips' samples aren't what a picture shows, by the end of their name, and why.
    private static let exceptions = [
        "zackthecat.tif": "libvips doesn't read subsampled YCbCr: compared with Pillow, within 3 of 255",
        "cielab-dagams.tiff": "L*a*b*: compared with the formulas of CIE 15 in floating point, within 1 of 255",
        "contig-08.tif": "inks: compared with the plain formula",
        "rgba-5181991f.tiff": "associated alpha: libvips takes it out in floating point, within 1 of 65535",
        "lzw_tiled_planar.tif": "libvips doesn't read tiles of planes: compared with Pillow",
        "16bit_RGBa.tiff":
            "libvips doesn't read tiles of planes: compared with Pillow's eight bits where alpha is half, within 4",
    ]

    @Test(
        "Every page of every valid file has libvips's pixels", .needs(Vips.tool),
        arguments: Corpus.files("valid/tiff"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let first = try TIFFFixture.decode(file)
        let reason = Self.exceptions.first { path.hasSuffix($0.key) }?.value
        if let reason { print("TIFF corpus: \(path.split(separator: "/").last!): \(reason)") }
        for page in 0..<(first.header.sequence?.count ?? 1) {
            let decoded = try TIFFFixture.decode(file, page: page)
            #expect(decoded.error == nil)
            let samples = decoded.bitmap.samples16
            let tolerances = ["zackthecat.tif": 3, "lzw_tiled_planar.tif": 0, "16bit_RGBa.tiff": 4]
            if let tolerance = tolerances.first(where: { path.hasSuffix($0.key) })?.value {
                guard Pillow.isInstalled else { continue }
                let oracle = try #require(try Pillow.page(of: file, as: "RGBA")).samples
                let bytes = try TIFFFixture.bitmap(file, bits: 8).tightBytes()
                #expect(bytes.count == oracle.count)
                // Pillow drops half of the bits before it takes alpha out.
                let compared = bytes.indices.filter { bytes[$0 | 3] >= 128 }
                #expect(compared.allSatisfy { abs(Int(bytes[$0]) - Int(oracle[$0])) <= tolerance })
                #expect(compared.count > bytes.count / 10)
                continue
            }
            let oracle = try #require(try Vips.decode(path, page: page))
            #expect(oracle.size == decoded.bitmap.size)
            switch oracle.interpretation {
            case "cmyk": #expect(decoded.bitmap.tightBytes() == Self.plainRGB(oracle.bytes))
            case "labs":
                let expected = Self.labRGB(try #require(oracle.samplesOfLab))
                let differences = zip(samples, expected).map { abs(Int($0) - Int($1)) }
                #expect(expected.count == samples.count && differences.max()! <= 257)
            default:
                let expected = try #require(oracle.rgba16)
                let differences = zip(samples, expected).map { abs(Int($0) - Int($1)) }
                #expect(samples.count == expected.count && differences.max()! <= (reason == nil ? 0 : 1))
                let reduced = try TIFFFixture.bitmap(file, bits: 8, page: page)
                #expect(reduced.samples16 == samples.atEightBits.map { $0 * 257 })
            }
        }
    }

    @Test("Every valid file decodes the same for any split of its bytes", arguments: Corpus.files("valid/tiff"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let options = DecodingOptions(color: .asStored)
        let expected = try ImageSource.decode(file, options: options, registry: TIFFFixture.registry)
        let source = ImageSource(options: options, registry: TIFFFixture.registry)
        var random = SeededGenerator(UInt64(file.count))
        var start = 0
        while start < file.count {
            let end = min(file.count, start + Int.random(in: 1...(1 << 14), using: &random))
            try source.append(Array(file[start..<end]))
            start = end
        }
        try source.finish()
        #expect(try source.currentBitmap()?.tightBytes() == expected.bitmap.tightBytes())
        #expect(source.header == expected.header)
    }

    @Test("Every region of every valid file is a part of the whole", arguments: Corpus.files("valid/tiff"))
    func regions(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = try TIFFFixture.bitmap(file)
        var random = SeededGenerator(UInt64(file.count))
        for _ in 0..<4 {
            let x = Int.random(in: 0..<whole.width, using: &random)
            let y = Int.random(in: 0..<whole.height, using: &random)
            let region = PixelRect(
                x: x, y: y, width: Int.random(in: 1...(whole.width - x), using: &random),
                height: Int.random(in: 1...(whole.height - y), using: &random))
            let part = try TIFFFixture.bitmap(file, plan: DecodingPlan(region: region))
            #expect(part.tightBytes() == (try whole.cropped(to: region)).tightBytes())
        }
    }

    @Test("A pyramid's levels are used for small sizes")
    func pyramid() throws {
        let path = try #require(Corpus.files("valid/tiff").first { $0.contains("3res") })
        let file = try Corpus.bytes(path)
        for (target, width) in [(64, 64), (17, 64), (16, 32), (8, 16), (3, 16)] {
            let plan = DecodingPlan(targetSize: PixelSize(width: target, height: target * 7 / 8))
            #expect(try TIFFFixture.bitmap(file, plan: plan).width == width)
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/tiff"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        var limits = DecodingLimits.standard
        limits.maximumWorkingByteCount = 256 << 20
        // An error is one of ours by its type; libtiff reads through some damage.
        guard let decoded = try? TIFFFixture.decode(file, limits: limits) else { return }
        #expect(decoded.bitmap.size == decoded.header.storedSize)
    }

    @Test("Every valid file can be written and read back", arguments: Corpus.files("valid/tiff"))
    func rewriting(path: String) throws {
        let decoded = try TIFFFixture.decode(try Corpus.bytes(path))
        let options = EncodingOptions(metadata: decoded.header.metadata)
        let written = try ImageDestination(format: .tiff, options: options, registry: TIFFFixture.registry)
            .encode(decoded.bitmap)
        let again = try TIFFFixture.decode(written)
        #expect(again.bitmap.info == decoded.bitmap.info)
        #expect(again.bitmap.tightBytes() == decoded.bitmap.tightBytes())
        #expect(again.header.metadata.orientation == decoded.header.metadata.orientation)
        #expect(again.header.metadata.xmp == decoded.header.metadata.xmp)
    }

    // MARK: What libvips leaves to others

    private static func plainRGB(_ inks: [UInt8]) -> [UInt8] {
        var colors: [UInt8] = []
        for index in stride(from: 0, to: inks.count, by: 4) {
            let paper = 255 - Int(inks[index + 3])
            for ink in inks[index..<(index + 3)] {
                let light = (255 - Int(ink)) * paper
                colors.append(UInt8((light + 127) / 255))
            }
            colors.append(255)
        }
        return colors
    }

    /// L*a*b* under D50 to sRGB: by way of XYZ, Bradford's matrix to D65 and the standard's matrix (IEC 61966-2-1).
    private static func labRGB(_ lab: [SIMD3<Double>]) -> [UInt16] {
        lab.flatMap { lab -> [UInt16] in
            let fy = (lab.x + 16) / 116
            let f = SIMD3(fy + lab.y / 500, fy, fy - lab.z / 200)
            func inverse(_ t: Double) -> Double { t > 6.0 / 29 ? t * t * t : (t - 16.0 / 116) / 7.787037 }
            let d50 = SIMD3(0.9642 * inverse(f.x), inverse(f.y), 0.8249 * inverse(f.z))
            let x = 0.9555766 * d50.x - 0.0230393 * d50.y + 0.0631636 * d50.z
            let y = -0.0282895 * d50.x + 1.0099416 * d50.y + 0.0210077 * d50.z
            let z = 0.0122982 * d50.x - 0.0204830 * d50.y + 1.3299098 * d50.z
            let light = [
                3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
                0.0557 * x - 0.2040 * y + 1.0570 * z,
            ]
            return light.map { light in
                let clipped = min(1, max(0, light))
                let encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055
                return UInt16((encoded * 65535).rounded())
            } + [65535]
        }
    }
}

extension Vips.Picture {
    /// L*, a* and b* of libvips' form of 16 bits: 32767 for 100, and 256 for 1.
    var samplesOfLab: [SIMD3<Double>]? {
        guard interpretation == "labs", bandCount == 3 else { return nil }
        return stride(from: 0, to: bytes.count, by: 6).map { index in
            func value(_ band: Int) -> Double {
                Double(Int16(bitPattern: UInt16(bytes[index + 2 * band]) | UInt16(bytes[index + 2 * band + 1]) << 8))
            }
            return SIMD3(value(0) * 100 / 32767, value(1) / 256, value(2) / 256)
        }
    }
}
#endif
