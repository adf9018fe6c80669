import ImageFormats
import Raster
import Testing
import TestSupport

/// Colours of real files' profiles beside what lcms2's own calculator makes of them, in floating point.
@Suite("Conversion to sRGB, compared with transicc", .needs(CommandLineTool("transicc")), .needsCorpus)
struct TransiccTests {
    /// Debian has it in liblcms2-utils.
    private static let transicc = CommandLineTool("transicc")

    /// Runs lines of numbers through transicc, bounded and with the perceptual intent.
    private func transicc(_ profile: [UInt8], _ lines: [[Double]], isTarget: Bool = false) throws -> [[Double]] {
        let folder = try TemporaryFolder()
        let path = try folder.write(profile, to: "profile.icc")
        let text = lines.map { $0.map { String($0) }.joined(separator: " ") }.joined(separator: "\n") + "\n"
        try folder.write(Array(text.utf8), to: "colors.txt")
        let result = try #require(
            try Self.transicc.output(
                ["-v0", "-n", "-s"]
                    + (isTarget ? ["-t1", "-i", "*sRGB", "-o", path] : ["-t0", "-i", path, "-o", "*sRGB"]),
                input: folder.file("colors.txt")))
        return String(decoding: result, as: UTF8.self).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            return numbers.count == 3 ? numbers : nil
        }
    }

    private func profile(of file: String) throws -> [UInt8] {
        let bytes = try Corpus.bytes("\(Corpus.folder!)/valid/\(file)")
        let header = try ImageSource.header(of: bytes, options: DecodingOptions(color: .asStored))
        guard case .icc(let profile) = header.profile else {
            Issue.record("\(file) has no profile")
            return []
        }
        return profile
    }

    private func compare(_ result: [RGBA8], _ expected: [[Double]], largest: Double, mean: Double) {
        #expect(result.count == expected.count)
        var errors: [Double] = []
        for (pixel, expected) in zip(result, expected) {
            errors += zip([pixel.red, pixel.green, pixel.blue], expected).map { abs(Double($0) - $1) }
        }
        #expect(errors.max()! <= largest)
        #expect(errors.reduce(0, +) / Double(errors.count) <= mean)
    }

    /// Matrix profiles are exact. Of a table lcms2 makes one of 33 steps a side for bytes, which misses what lies between,
    /// most of all where a profile folds colours over as XYB's does.
    static let files: [(name: String, largest: Double, mean: Double)] = [
        ("jpeg/kimaging__pizza-rgb8-displayp3.jpg", 1, 0.3), ("jpeg/kimaging__pizza-rgb8-prophotorgb.jpg", 1, 0.3),
        ("png/wuffs__red-blue-gradient.dcip3d65-no-chrm-no-gama.png", 1, 0.3),
        ("jpeg/sdweb__TestICCProfile.jpg", 33, 0.9), ("jpeg/pillow__icc_profile_big.jpg", 5, 0.6),
        ("jpeg/exifsamples__Nikon_D70.jpg", 1.5, 0.3), ("jpeg/kimaging__pizza-jpegli.jpeg", 30, 0.6),
    ]

    @Test("Colours agree with transicc", arguments: files)
    func colors(_ file: (name: String, largest: Double, mean: Double)) throws {
        let profile = try profile(of: file.name)
        var random = SeededGenerator(5)
        let colors = (0..<2000).map { _ in
            RGBA8(
                .random(in: 0...255, using: &random), .random(in: 0...255, using: &random),
                .random(in: 0...255, using: &random))
        }
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: colors.count, height: 1), format: .rgba8, profile: .icc(profile)))
        let info = bitmap.info
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA8.self)
        for x in colors.indices { row[x] = colors[x] }
        try ColorConverter(from: info)?.convert(&rows)
        let expected = try transicc(profile, colors.map { [Double($0.red), Double($0.green), Double($0.blue)] })
        let result = colors.indices.map { bitmap.rows.row(0, as: RGBA8.self)[$0] }
        compare(result, expected, largest: file.largest, mean: file.mean)
    }

    @Test("Colours for a display agree with transicc, and alpha is kept", arguments: files.prefix(2))
    func displayColors(_ file: (name: String, largest: Double, mean: Double)) throws {
        let profile = try profile(of: file.name)
        var random = SeededGenerator(7)
        let colors = (0..<2000).map { _ in
            RGBA8(
                .random(in: 0...255, using: &random), .random(in: 0...255, using: &random),
                .random(in: 0...255, using: &random), .random(in: 0...255, using: &random))
        }
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: colors.count, height: 1), format: .rgba8, alpha: .straight))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA8.self)
        for x in colors.indices { row[x] = colors[x] }
        let display = try #require(DisplayColors(profile: profile))
        let shown = try display.converted(bitmap.freeze())
        let expected = try transicc(
            profile, colors.map { [Double($0.red), Double($0.green), Double($0.blue)] }, isTarget: true)
        let result = colors.indices.map { shown.rows.row(0, as: RGBA8.self)[$0] }
        compare(result, expected, largest: 1.5, mean: 0.4)
        #expect(result.map(\.alpha) == colors.map(\.alpha))
        // Neither other bytes nor a printer's profile are a display's.
        #expect(DisplayColors(profile: [1, 2, 3]) == nil)
        #expect(DisplayColors(profile: try self.profile(of: "jpeg/kimaging__pizza-cmyk8-usswop.jpg")) == nil)
    }

    @Test(
        "Profiles have names",
        arguments: [
            ("jpeg/kimaging__pizza-rgb8-displayp3.jpg", "P3"),
            ("jpeg/kimaging__pizza-rgb8-prophotorgb.jpg", "ProPhoto"),
        ])
    func names(_ file: String, _ part: String) throws {
        let name = try #require(ColorProfile.icc(try profile(of: file)).name)
        #expect(name.contains(part), "\(name)")
        #expect(ColorProfile.icc([1, 2, 3]).name == nil)
    }

    @Test("CMYK colours agree with transicc")
    func inks() throws {
        let profile = try profile(of: "jpeg/kimaging__pizza-cmyk8-usswop.jpg")
        var random = SeededGenerator(6)
        let inks = (0..<8000).map { _ in UInt8.random(in: 0...255, using: &random) }
        var row = [RGBA8](repeating: RGBA8(0, 0, 0), count: 2000)
        var span = row.mutableSpan
        CMYKConverter(profile: profile, isInverted: false).convert(inks.span.bytes, into: &span)
        let percent = stride(from: 0, to: 8000, by: 4).map { start in (0..<4).map { Double(inks[start + $0]) / 2.55 } }
        compare(row, try transicc(profile, percent), largest: 16, mean: 0.7)
    }
}
