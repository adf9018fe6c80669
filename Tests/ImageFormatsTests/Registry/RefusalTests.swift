import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// What is said of files that nothing here reads.
@Suite("Files that can't be read")
struct RefusalTests {
    private static func padded(_ bytes: [UInt8], to count: Int = 64) -> [UInt8] {
        bytes + [UInt8](repeating: 0x11, count: max(0, count - bytes.count))
    }

    private static func text(_ text: String) -> [UInt8] { padded(Array(text.utf8)) }

    static let files: [(String, [UInt8])] = [
        ("JPEG XR can't be read", padded([0x49, 0x49, 0xBC, 1])),
        ("FLIF can't be read", text("FLIF")),
        ("DDS can't be read", text("DDS |")),
        ("PFM (Netpbm's floating-point numbers) can't be read", text("PF\n3 3\n-1.0\n")),
        ("PFM (Netpbm's floating-point numbers) can't be read", text("Pf 3 3 1.0\n")),
        ("TGA can't be read", [0, 0, 2] + [UInt8](repeating: 7, count: 80) + Array("TRUEVISION-XFILE.\0".utf8)),
        ("DICOM can't be read", [UInt8](repeating: 0, count: 128) + Array("DICM\u{2}\0\0\0".utf8)),
        ("(RAF) can't be read", text("FUJIFILMCCD-RAW 0201")),
        ("(CR3) can't be read", padded([0, 0, 0, 16] + Array("ftypcrx \0\0\0\u{1}".utf8))),
        ("a PostScript document, not an image", text("%!PS-Adobe")),
        ("an MP4 or QuickTime video, not an image", padded([0, 0, 0, 16] + Array("ftypisom\0\0\0\u{1}".utf8))),
        ("a WebM or Matroska video, not an image", padded([0x1A, 0x45, 0xDF, 0xA3])),
        ("a zip archive, not an image", padded([0x50, 0x4B, 3, 4])),
        ("an HTML page, not an image", text("\u{FEFF}\r\n <!DOCTYPE HTML><html>")),
        ("an HTML page, not an image", text("<html><svg>")),
        ("an XML document, not an image", text("<?xml version='1.0'?><plist>")),
        ("not in any format", text("P6 is a paper size")),
        ("not in any format", text("P8\n3 3\n255\n")),
        ("not in any format", text("P7 332\n")),
        ("not in any format", padded([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 0])),
        ("not in any format", text("Dear Sir or Madam")),
        ("there are no bytes", []),
    ]

    @Test("A refusal names the format if it is known", arguments: files)
    func names(words: String, file: [UInt8]) throws {
        let whole = try #require(throws: ImageError.self) { try ImageSource.decode(file) }
        #expect(whole.code == .unknownFormat && whole.message.contains(words), "\(whole)")
        let source = ImageSource()
        let arriving = try #require(throws: ImageError.self) {
            if !file.isEmpty { _ = try source.append(file) }
            _ = try source.finish()
        }
        // A TGA is told by its end, which a stream shows last.
        #expect(arriving.code == .unknownFormat)
        if !words.contains("TGA") { #expect(arriving.message.contains(words), "\(arriving)") }
    }

    @Test("A truncated signature is no format", arguments: files)
    func cut(words: String, file: [UInt8]) {
        for count in 0..<min(file.count, 48) {
            #expect(throws: ImageError.self) { try ImageSource.decode(Array(file.prefix(count))) }
        }
    }

    @Test("Formats missing from the registry are named")
    func missingCodecs() throws {
        let registry = CodecRegistry([PNGCodec()])
        for (words, file) in [
            ("WebP", Self.text("RIFF\u{10}\0\0\0WEBPVP8 ")), ("TIFF", Self.padded([0x49, 0x49, 42, 0, 8, 0, 0, 0])),
            ("AVIF", Self.padded([0, 0, 0, 16] + Array("ftypavif\0\0\0\0".utf8))),
            ("PSD", Self.text("8BPS\0\u{1}")), ("OpenEXR", Self.padded([0x76, 0x2F, 0x31, 1])),
            ("Radiance HDR", Self.text("#?RADIANCE\n")), ("JPEG XL", Self.padded([0xFF, 10])),
            ("PNM", Self.text("P6\n3 3\n255\n")),
            ("PNM", Self.text("P7\nWIDTH 3\n")),
            ("TGA", [0, 0, 2] + [UInt8](repeating: 7, count: 80) + Array("TRUEVISION-XFILE.\0".utf8)),
        ] {
            let error = try #require(throws: ImageError.self) { try ImageSource.decode(file, registry: registry) }
            #expect(error.message.contains("\(words) can't be read here"), "\(error)")
        }
    }

    @Test("SVG without its program says what to install")
    func missingWorker() throws {
        let registry = CodecRegistry([PNGCodec(), WorkerlessCodec()])
        let file = Array("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>".utf8)
        let error = try #require(throws: ImageError.self) { try ImageSource.decode(file, registry: registry) }
        #expect(error.code == .unsupported && error.message == "install the worker")
        #expect(!registry.canDecode(.svg))
    }

}

/// A codec that knows its files, and lacks what it takes to decode them.
private struct WorkerlessCodec: ImageCodec {
    var format: ImageFormat { .svg }
    var capabilities: ImageCapabilities { [] }
    var missingRequirement: String? { "install the worker" }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: Array("<svg".utf8)) {
        case true: .match(.svg)
        case nil: .needMoreData(minimum: 4)
        default: .unknown
        }
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        throw ImageError(.unsupported, "install the worker")
    }
}
