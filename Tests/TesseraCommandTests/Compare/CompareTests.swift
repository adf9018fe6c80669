import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// The measures of two images.
@Suite("tessera compare")
struct CompareTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let photograph = try Pictures.photograph()
        try folder.write(photograph.file(.png), to: "a.png")
        let lossy = try ImageSource.decode(photograph.file(.jpeg, EncodingOptions(quality: 0.5))).bitmap
        try folder.write(lossy.file(.png), to: "b.png")
    }

    private func compare(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["compare"] + arguments, in: folder)
    }

    private func measures(_ arguments: String...) throws -> [String: Any] {
        let outcome = try Command.run(["compare", "--json"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
    }

    private func number(_ name: String, in measures: [String: Any]) throws -> Double {
        try #require((measures[name] as? NSNumber)?.doubleValue)
    }

    /// Makes an image of 8-bit pixels with straight alpha.
    private func image(
        _ width: Int, _ height: Int, alpha: AlphaMode = .straight, _ pixel: (Int, Int) -> RGBA8
    ) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width { row[x] = pixel(x, y) }
        }
        return bitmap.freeze()
    }

    @Test("Identical images have no differences")
    func identical() throws {
        let outcome = try compare("a.png", "a.png", "--max-difference", "0", "--min-ssim", "1", "--min-psnr", "100")
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(
            outcome.text == """
                PSNR:               infinite
                SSIM:               1.00000
                SSIMULACRA2:        100.00
                largest difference: 0 of 255
                different pixels:   0 of 2400 (0.00 %)

                """)
        let measures = try measures("a.png", "a.png")
        #expect(measures["identical"] as? Bool == true)
        #expect(measures["psnr"] is NSNull)
    }

    private static let hasPillow = (try? CommandLineTool.python.run(["-c", "import PIL.Image"])) ?? false

    @Test("PSNR, the largest difference and the count are Pillow's", .enabled(if: hasPillow, "Pillow isn't installed"))
    func pillow() throws {
        let program = """
            import sys
            from PIL import Image, ImageChops
            a, b = (Image.open(path).convert("RGB") for path in sys.argv[1:3])
            difference = ImageChops.difference(a, b)
            squares = sum(count * (index % 256) ** 2 for index, count in enumerate(difference.histogram()))
            pixels = zip(*[iter(difference.tobytes())] * 3)
            largest = max(high for _, high in difference.getextrema())
            print(squares / (3 * a.width * a.height), largest, sum(any(pixel) for pixel in pixels))
            """
        let output = try #require(
            try CommandLineTool.python.output(["-c", program, folder.file("a.png"), folder.file("b.png")]))
        let expected = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Double($0)
        }
        try #require(expected.count == 3 && expected[2] > 0)
        let measures = try measures("a.png", "b.png")
        #expect(try abs(number("psnr", in: measures) - 10 * log10(255 * 255 / expected[0])) < 1e-9)
        #expect(try number("largestDifference", in: measures) == expected[1])
        #expect(try number("differentPixels", in: measures) == expected[2])
        #expect(measures["identical"] as? Bool == false)
    }

    @Test("SSIM is that of its definition", arguments: [("a.png", "b.png"), ("b.png", "a.png")])
    func similarity(_ first: String, _ second: String) throws {
        let expected = try ReferenceSimilarity.mean(
            ImageSource.decode(folder.read(first)).bitmap, ImageSource.decode(folder.read(second)).bitmap)
        #expect(expected < 0.999)
        #expect(try abs(number("ssim", in: measures(first, second)) - expected) < 1e-4)
    }

    @Test("Images of one window have an SSIM, smaller ones none")
    func smallImages() throws {
        for width in [10, 11] {
            try folder.write(
                image(width, 11) { x, y in RGBA8(UInt8(x * 20), UInt8(y * 20), 0) }.file(.png), to: "c.png")
            try folder.write(image(width, 11) { x, y in RGBA8(UInt8(x * 20), UInt8(y * 9), 0) }.file(.png), to: "d.png")
            let measures = try measures("c.png", "d.png")
            guard width == 11 else {
                #expect(measures["ssim"] is NSNull)
                #expect(try compare("c.png", "d.png").text.contains("SSIM:               none"))
                #expect(try compare("c.png", "d.png", "--min-ssim", "0").status == 1)
                continue
            }
            let expected = try ReferenceSimilarity.mean(
                ImageSource.decode(folder.read("c.png")).bitmap, ImageSource.decode(folder.read("d.png")).bitmap)
            #expect(try abs(number("ssim", in: measures) - expected) < 1e-3)
        }
    }

    @Test("The colours of transparent pixels don't count, and alpha does")
    func alpha() throws {
        let opaque = try image(16, 16) { _, _ in RGBA8(100, 150, 200) }
        try folder.write(opaque.file(.png), to: "opaque.png")
        for (name, color) in [("red.png", RGBA8(255, 0, 0, 0)), ("blue.png", RGBA8(0, 0, 255, 0))] {
            try folder.write(image(16, 16) { x, _ in x < 4 ? color : RGBA8(100, 150, 200) }.file(.png), to: name)
        }
        #expect(try measures("red.png", "blue.png")["identical"] as? Bool == true)

        let measures = try measures("opaque.png", "red.png")
        #expect(measures["alpha"] as? Bool == true)
        #expect(try number("largestDifference", in: measures) == 255)
        #expect(try number("differentPixels", in: measures) == 64)
        let mean = Double(100 * 100 + 150 * 150 + 200 * 200 + 255 * 255) / 4 / 4
        #expect(try abs(number("psnr", in: measures) - 10 * log10(255 * 255 / mean)) < 1e-9)

        // Black on black: only alpha differs, and SSIM sees it over white.
        try folder.write(image(16, 16) { _, _ in RGBA8(0, 0, 0) }.file(.png), to: "black.png")
        try folder.write(image(16, 16) { x, _ in RGBA8(0, 0, 0, x < 4 ? 0 : 255) }.file(.png), to: "clear.png")
        let shadow = try self.measures("black.png", "clear.png")
        #expect(try number("differentPixels", in: shadow) == 64)
        #expect(try number("ssim", in: shadow) < 0.9)
    }

    @Test("Differences smaller than a step of 8 bits are found in 16-bit images")
    func deep() throws {
        for (name, value) in [("c.png", 30_000), ("d.png", 30_001)] as [(String, UInt16)] {
            var bitmap = try MutableBitmap(
                BitmapInfo(size: PixelSize(width: 12, height: 12), format: .gray16, alpha: .none))
            var rows = bitmap.mutableRows
            for y in 0..<12 {
                var row = rows.row(y, as: Gray16.self)
                for x in 0..<12 { row[x] = Gray16(x == 0 && y == 0 ? value : 30_000) }
            }
            try folder.write(bitmap.freeze().file(.png), to: name)
        }
        let measures = try measures("c.png", "d.png")
        #expect(try number("bitsPerChannel", in: measures) == 16)
        #expect(try number("differentPixels", in: measures) == 1)
        #expect(try abs(number("largestDifference", in: measures) - 255.0 / 65535) < 1e-9)
        #expect(try abs(number("psnr", in: measures) - 10 * log10(65535 * 65535 * 144)) < 1e-9)
        #expect(try compare("c.png", "d.png", "--max-difference", "0").status == 1)
    }

    @Test("Images are compared upright", arguments: [Orientation.down, .upMirrored, .right])
    func upright(_ orientation: Orientation) throws {
        var options = EncodingOptions()
        options.metadata.orientation = orientation
        let stored = try Pictures.photograph()
        try folder.write(stored.file(.png, options), to: "turned.png")
        try folder.write(stored.oriented(by: orientation).file(.png), to: "upright.png")
        #expect(try measures("turned.png", "upright.png")["identical"] as? Bool == true)
    }

    @Test("Formats and kinds of pixels don't matter, only pixels")
    func formats() throws {
        let gray = try Pictures.mask()
        try folder.write(gray.file(.png), to: "gray.png")
        try folder.write(gray.converted(to: .rgba8, alpha: AlphaMode.none).file(.qoi), to: "color.qoi")
        #expect(try measures("gray.png", "color.qoi")["identical"] as? Bool == true)
    }

    @Test("One image can be standard input")
    func standardInput() throws {
        for arguments in [["-", "b.png"], ["b.png", "-"]] {
            let outcome = try Command.run(
                ["compare", "--max-difference", "0"] + arguments, in: folder, input: folder.read("b.png"))
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test("The image of differences has the absolute difference of each channel, or of alpha where that is larger")
    func differenceImage() throws {
        let first = try image(3, 1) { x, _ in [RGBA8(10, 20, 30), RGBA8(10, 20, 30), RGBA8(10, 20, 30)][x] }
        let second = try image(3, 1) { x, _ in [RGBA8(10, 20, 30), RGBA8(15, 0, 31), RGBA8(0, 0, 0, 0)][x] }
        try folder.write(first.file(.png), to: "c.png")
        try folder.write(second.file(.png), to: "d.png")
        let outcome = try compare("c.png", "d.png", "--difference", "out.png")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text == (try compare("c.png", "d.png")).text)
        let difference = try ImageSource.decode(folder.read("out.png")).bitmap.converted(to: .rgba8, alpha: .straight)
        let row = difference.rows.row(0, as: RGBA8.self)
        #expect(row[0] == RGBA8(0, 0, 0) && row[1] == RGBA8(5, 20, 1) && row[2] == RGBA8(255, 255, 255))

        let refused = try compare("a.png", "b.png", "--difference", "out.png")
        #expect(refused.status == 66)
        #expect(refused.errors.contains("out.png exists already"))
        #expect(try compare("a.png", "b.png", "--difference", "out.png", "--force").status == 0)
        #expect(try ImageSource.header(of: folder.read("out.png")).size == PixelSize(width: 60, height: 40))
    }

    @Test("Memory holds rows, not images", .needs(.python), .needsNoSanitizer("sanitizers take memory too"))
    func memory() throws {
        let size = PixelSize(width: 8000, height: 3000)
        let bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .straight)).freeze()
        for name in ["c.png", "d.png"] { try folder.write(bitmap.file(.png), to: name) }
        let program = """
            import resource, subprocess, sys
            status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
            print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let output = try #require(
            try CommandLineTool.python.output(
                [
                    "-c", program, Command.program, "compare", folder.file("c.png"), folder.file("d.png"),
                    "--max-difference", "0", "--difference", folder.file("out.png"),
                ]))
        let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Int($0)
        }
        try #require(numbers.count == 2 && numbers[0] == 0)
        // One image alone has 96 MB; Linux counts in kilobytes.
        #if os(Linux)
        #expect(numbers[1] < 90_000)
        #endif
    }
}
