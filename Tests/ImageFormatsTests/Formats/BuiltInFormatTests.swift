import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// What every format of the package declares in its folder.
@Suite struct BuiltInFormatTests {
    @Test(
        "signatures are those that the format's files begin with, and enough to know them", arguments: ImageFormat.all)
    func signatures(_ format: ImageFormat) throws {
        for signature in format.signatures {
            #expect(signature.count >= 2)
            #expect(match(signature, format) == .match(format))
            #expect(match(signature.dropLast(), format) == .unknown)
        }
        guard CodecRegistry.builtIn.canEncode(format) else { return }
        let file = try ImageDestination(format: format).encode(Bitmap.pattern(24, 16, .rgba8, alpha: .straight))
        #expect(format.signatures.isEmpty || format.signatures.contains { file.starts(with: $0) })
        guard case .match(let found, _) = CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) else {
            Issue.record("\(format) isn't known by its own file")
            return
        }
        // A HEIF file whose pictures are HEVC is HEIC.
        #expect(found == format || (found, format) == (.heic, .heif))
    }

    private func match(_ bytes: [UInt8], _ format: ImageFormat) -> FormatMatch {
        FormatProbe(whole: bytes.span.bytes).match(format)
    }

    @Test("a format's name in addresses is one of its extensions, and no other's")
    func namesInAddresses() {
        let names = ImageFormat.all.compactMap(\.iiifName)
        #expect(Set(names).count == names.count && Set(names).isSuperset(of: ["jpg", "png", "gif", "webp", "tif"]))
        for format in ImageFormat.all {
            #expect(format.iiifName.map(format.filenameExtensions.contains) ?? true)
        }
    }

    @Test("the viewer's desktop entry has every format's media type", arguments: ImageFormat.all)
    func desktopEntry(_ format: ImageFormat) throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let path = root.appendingPathComponent("Resources/org.tessera.View.desktop")
        let entry = try String(contentsOf: path, encoding: .utf8)
        let line = try #require(entry.split(separator: "\n").first { $0.hasPrefix("MimeType=") })
        #expect(line.dropFirst("MimeType=".count).split(separator: ";").contains { $0 == format.mimeType })
    }

    // MARK: Options

    /// The words for options, which formats have them, and what they take at the ends of their range and beyond.
    private static let options: [(name: String, formats: [ImageFormat], taken: [String], refused: [String])] = [
        ("subsampling", [.jpng, .jpeg, .tiff], ["4:4:4", "420", "4:1:1"], ["4:2:1", "", "42"]),
        ("progressive", [.jpng, .jpeg], [""], []),
        ("optimize", [.jpng, .jpeg], [""], []),
        ("trellis", [.jpng, .jpeg], [""], []),
        ("jpng-version", [.jpng], ["1", "2"], ["0", "3", "x"]),
        ("mask-quality", [.jpng], ["0", "1", "0.5"], ["-0.1", "1.5", "nan", "good"]),
        ("no-jpng-tag", [.jpng], [""], []),
        ("compression-level", [.jpng, .png], ["0", "9"], ["-1", "10", "5.5"]),
        ("colors", [.gif], ["2", "256"], ["1", "257", "many"]),
        ("no-dither", [.gif], [""], []),
        ("lossless", [.webP, .heic, .heif, .avif, .jpegXL, .jpeg2000, .jpeg2000Codestream], [""], []),
        ("webp-method", [.webP], ["0", "6"], ["-1", "7", ""]),
        ("tiff-compression", [.tiff], ["none", "LZW", "deflate", "jpeg"], ["zip", ""]),
        ("tile", [.tiff], ["16x16", "256x32"], ["16", "24x16", "0x16", "-16x16", "axb", "16x16x16"]),
        ("avif-speed", [.avif], ["0", "10"], ["-1", "11"]),
        ("jxl-effort", [.jpegXL], ["1", "9"], ["0", "10"]),
        ("jp2-tile", [.jpeg2000, .jpeg2000Codestream], ["32x32", "256x512"], ["64", "16x64", "axb", "9999x9999"]),
        ("jp2-levels", [.jpeg2000, .jpeg2000Codestream], ["0", "30"], ["-1", "31", "x"]),
        ("jp2-layers", [.jpeg2000, .jpeg2000Codestream], ["2", "32"], ["0", "33"]),
        ("tga-rle", [.tga], [""], []),
    ]

    @Test("every option is declared with the formats that have it")
    func declaredOptions() {
        #expect(FormatOption.builtIn.map(\.option.name) == Self.options.map(\.name))
        #expect(FormatOption.builtIn.map(\.formats) == Self.options.map(\.formats))
        for (option, _) in FormatOption.builtIn {
            #expect(
                !option.name.isEmpty && option.name.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".contains($0) })
            #expect(option.help.hasSuffix("."))
        }
    }

    @Test("an option takes its range and nothing else, and changes its own format's options only")
    func ranges() throws {
        for (option, row) in zip(FormatOption.builtIn.map(\.option), Self.options) {
            #expect((option.valueName == nil) == row.refused.isEmpty, "\(row.name)")
            var changed: Set<EncodingOptions> = []
            for text in row.taken {
                var options = EncodingOptions()
                try option.set(text, &options)
                changed.insert(options)
            }
            #expect(changed.count == row.taken.count && changed != [EncodingOptions()], "\(row.name)")
            for text in row.refused {
                var options = EncodingOptions()
                #expect(errorCode { try option.set(text, &options) } == .invalidParameter, "\(row.name) \(text)")
            }
        }
    }

    @Test("what an option says is its standard value is that")
    func standardValues() throws {
        let standards = FormatOption.builtIn.compactMap(\.option.standard)
        #expect(standards == ["4:2:0", "1", "5", "256", "4", "lzw", "6", "7", "1"])
        for (option, _) in FormatOption.builtIn {
            guard let standard = option.standard else { continue }
            var options = EncodingOptions()
            try option.set(standard, &options)
            #expect(options == EncodingOptions(), "\(option.name)")
        }
    }
}
