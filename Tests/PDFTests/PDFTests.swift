import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// poppler's own program. It is there where the library is.
private let oracle = CommandLineTool("pdftocairo")

@Suite("PDF", .needs(oracle))
struct PDFTests {
    private static let document = PDFFile.bytes([
        PDFFile.Page(200, 100, "1 0 0 rg 20 20 60 60 re f BT /F 24 Tf 0 0 1 rg 90 40 Td (Hello) Tj ET"),
        PDFFile.Page(120.5, 160, "0 0.5 0 rg 0 0 m 120 0 l 60 160 l f"),
        PDFFile.Page(100, 50, "0 0 1 rg 0 0 50 50 re f", entries: "/Rotate 90"),
    ])

    private func draw(
        _ file: [UInt8], page: Int? = nil, at size: PixelSize? = nil, region: PixelRect? = nil
    ) throws -> Bitmap {
        let decoded = try ImageSource.decode(
            file, plan: DecodingPlan(region: region, targetSize: size), options: DecodingOptions(imageIndex: page))
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }

    @Test("Pages are counted, and each has its size: a pixel for 1/72 inch, as it is turned")
    func pages() throws {
        for (page, size) in [(0, (200, 100)), (1, (121, 160)), (2, (50, 100))] {
            let header = try ImageSource.header(of: Self.document, options: DecodingOptions(imageIndex: page))
            #expect(header.format == .pdf && !header.hasAlpha)
            #expect(header.sequence?.kind == .pages && header.sequence?.count == 3)
            #expect(header.storedSize == PixelSize(width: size.0, height: size.1))
        }
    }

    @Test("A page is drawn on white, opaque, in sRGB")
    func paper() throws {
        let bitmap = try draw(Self.document)
        #expect(bitmap.size == PixelSize(width: 200, height: 100) && bitmap.alpha == AlphaMode.none)
        #expect(bitmap.rows.row(5, as: RGBA8.self)[5] == RGBA8(255, 255, 255))
        #expect(bitmap.rows.row(50, as: RGBA8.self)[50] == RGBA8(255, 0, 0))
    }

    @Test(
        "A page is what pdftocairo draws, at any size",
        arguments: [(0, 72, 200, 100), (0, 288, 800, 400), (0, 720, 2000, 1000), (2, 144, 100, 200)])
    func pixels(page: Int, resolution: Int, width: Int, height: Int) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Self.document, to: "document.pdf")
        let number = "\(page + 1)"
        #expect(
            try oracle.run([
                "-png", "-singlefile", "-r", "\(resolution)", "-f", number, "-l", number, input, folder.file("page"),
            ]))
        let expected = try ImageSource.decode(folder.read("page.png")).bitmap.converted(
            to: .rgba8, alpha: AlphaMode.none)
        let own = try draw(Self.document, page: page, at: PixelSize(width: width, height: height))
        #expect(own.size == expected.size && own.tightBytes() == expected.tightBytes())
    }

    @Test("A region is the same part of the whole")
    func region() throws {
        let whole = try draw(Self.document, at: PixelSize(width: 400, height: 200))
        let part = try draw(
            Self.document, at: PixelSize(width: 120, height: 100),
            region: PixelRect(x: 70, y: 30, width: 60, height: 50))
        #expect(
            part.tightBytes() == (try whole.cropped(to: PixelRect(x: 140, y: 60, width: 120, height: 100))).tightBytes()
        )
    }

    @Test("A page that the document lacks is an error", arguments: [3, 1000, -1, Int.max])
    func missingPage(index: Int) {
        #expect(errorCode { try draw(Self.document, page: index) } == .invalidParameter)
    }

    @Test("A document with a password is unsupported, and says so")
    func encrypted() throws {
        let zeros = String(repeating: "00", count: 32)
        let file = PDFFile.bytes(
            [PDFFile.Page(40, 30, "0 0 9 9 re f")],
            trailer: "/Encrypt << /Filter /Standard /V 1 /R 2 /O <\(zeros)> /U <\(zeros)> /P -4 >> /ID [<00><00>]")
        let error = try #require(throws: ImageError.self) { try ImageSource.decode(file) }
        #expect(error.code == .unsupported && error.message.contains("password"), "\(error)")
    }

    @Test(
        "What isn't a document with a page is an error",
        arguments: [
            Array("%PDF-1.7".utf8), Array("%PDF-1.7\nand so on".utf8), Array(document.prefix(200)), PDFFile.bytes([]),
        ])
    func broken(file: [UInt8]) {
        #expect(errorCode { try ImageSource.decode(file) } == .corrupt)
    }

    @Test("A file is identified by its first five bytes")
    func identification() {
        let codec = PDFCodec()
        for (text, match) in [
            ("%PDF-1.4", FormatMatch.match(.pdf)), (" %PDF-1.4", .unknown), ("%PDX-", .unknown), ("%!PS", .unknown),
        ] {
            #expect(codec.identify(FormatProbe(whole: Array(text.utf8).span.bytes)) == match)
        }
        #expect(codec.identify(FormatProbe(streamPrefix: Array("%PD".utf8).span.bytes)) == .needMoreData(minimum: 5))
    }

    @Test("Limits are checked before drawing")
    func limits() throws {
        var options = DecodingOptions()
        options.limits.maximumPixelCount = 1000
        #expect(errorCode { try ImageSource.decode(Self.document, options: options) } == .limitExceeded)
        #expect(errorCode { try draw(Self.document, at: PixelSize(width: 40000, height: 10)) } == .limitExceeded)
        let large = PDFFile.bytes([PDFFile.Page(1e6, 1e6, "0 0 1000000 1000000 re f")])
        #expect(errorCode { try ImageSource.decode(large) } == .limitExceeded)
        #expect(try draw(large, at: PixelSize(width: 8, height: 8)).rows.row(4, as: RGBA8.self)[4] == RGBA8(0, 0, 0))
    }

    @Test("A page that takes too long is ended with an error")
    func tooLong() throws {
        let registry = CodecRegistry([PDFCodec(processorSeconds: 1)])
        #expect(errorCode { try ImageSource.decode(PDFFile.formsInForms(), registry: registry) } == .limitExceeded)
    }
}
