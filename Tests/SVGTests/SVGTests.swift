import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

private func svg(_ content: String, attributes: String = #"width="40" height="30""#) -> [UInt8] {
    Array(
        #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \#(attributes)>\#(content)</svg>"#
            .utf8)
}

/// The picture drawn at `size`, straight alpha, sixteen bits as libpng would expand them.
private func draw(_ document: [UInt8], at size: PixelSize? = nil, region: PixelRect? = nil) throws -> Bitmap {
    let decoded = try ImageSource.decode(document, plan: DecodingPlan(region: region, targetSize: size))
    if let error = decoded.error { throw error }
    return decoded.bitmap
}

@Suite("SVG")
struct SVGTests {
    static let drawing = svg(
        """
        <rect width="20" height="15" fill="#ff0000"/><rect x="20" y="15" width="20" height="15" fill="#00ff00" opacity="0.5"/>
        <circle cx="30" cy="8" r="6" fill="blue"/>
        """)

    @Test("A document is drawn at its own size, premultiplied, in sRGB")
    func ownSize() throws {
        let decoded = try ImageSource.decode(Self.drawing)
        #expect(decoded.header.format == .svg && decoded.header.hasAlpha && decoded.error == nil)
        let bitmap = decoded.bitmap
        #expect(bitmap.size == PixelSize(width: 40, height: 30) && bitmap.alpha == .premultiplied)
        let (top, bottom) = (bitmap.rows.row(3, as: RGBA8.self), bitmap.rows.row(20, as: RGBA8.self))
        #expect(top[3] == RGBA8(255, 0, 0, 255) && bottom[3] == RGBA8(0, 0, 0, 0))
        #expect(bottom[30] == RGBA8(0, 128, 0, 128))
    }

    @Test(
        "It is drawn at any requested size, without scaling pixels",
        .needs(RSVGConvert.tool),
        arguments: [
            PixelSize(width: 20, height: 15), PixelSize(width: 400, height: 300), PixelSize(width: 100, height: 31),
            // More than is handed over at a time.
            PixelSize(width: 2001, height: 1500),
        ])
    func asked(size: PixelSize) throws {
        let bitmap = try draw(Self.drawing, at: size)
        let oracle = try #require(
            try RSVGConvert.draw(Self.drawing, arguments: ["-w", "\(size.width)", "-h", "\(size.height)"]))
        #expect(bitmap.size == size && oracle.size == size)
        #expect(try bitmap.converted(to: .rgba8, alpha: .straight).differs(from: oracle.samples) <= 1)
    }

    @Test("A region is the same part of the whole")
    func region() throws {
        let rect = PixelRect(x: 10, y: 5, width: 20, height: 20)
        let whole = try draw(Self.drawing, at: PixelSize(width: 80, height: 60))
        let part = try draw(Self.drawing, at: PixelSize(width: 40, height: 40), region: rect)
        #expect(
            part.tightBytes()
                == (try whole.cropped(to: PixelRect(x: 20, y: 10, width: 40, height: 40))).tightBytes())
    }

    @Test(
        "The size comes from width and height, from one of them, from the view box, or from the drawing's extent",
        arguments: [
            (#"width="40" height="30""#, 40, 30), (#"viewBox="0 0 7 9""#, 7, 9),
            (#"width="1in" height="25.4mm""#, 96, 96),
            (#"width="100%" height="100%" viewBox="0 0 12 10""#, 12, 10), ("", 20, 15),
            (#"width="10.2" height="10""#, 11, 10),
            // One of them, as Chromium has it: by the view box's proportions, or the 300 and 150 of CSS.
            (#"width="50" viewBox="0 0 100 200""#, 50, 100), (#"height="50" viewBox="0 0 100 200""#, 25, 50),
            (#"width="2in" viewBox="0 0 100 200""#, 192, 384),
            (#"width="50%" height="20" viewBox="0 0 100 200""#, 10, 20),
            (#"width="50""#, 50, 150), (#"height="50""#, 300, 50), (#"width="50" viewBox="0 0 0 0""#, 50, 150),
        ] as [(String, Int, Int)])
    func sizes(attributes: String, width: Int, height: Int) throws {
        let header = try ImageSource.header(
            of: svg(#"<rect width="20" height="15"/>"#, attributes: attributes))
        #expect(header.storedSize == PixelSize(width: width, height: height))
    }

    @Test(
        "XML with an svg element is identified from any prefix that is long enough",
        arguments: [
            ("<svg xmlns='x'/>", true), ("\u{FEFF}<?xml version='1.0'?>\n<!-- <svg> -->\n<svg ", true),
            ("<!DOCTYPE svg PUBLIC 'a' 'b' [ <!ENTITY x '<svg>'> ]><svg:svg>", true), ("  <svg>", true),
            ("<html><svg>", false), ("<svgx>", false), ("svg", false), ("<!-- <svg> --><p>", false),
            ("RIFF<svg ", false),
        ] as [(String, Bool)])
    func identification(text: String, isSVG: Bool) {
        let bytes = Array(text.utf8)
        let codec = SVGCodec()
        #expect(codec.identify(FormatProbe(whole: bytes.span.bytes)) == (isSVG ? .match(.svg) : .unknown))
        for count in 0..<bytes.count {
            let prefix = Array(bytes[..<count])
            switch codec.identify(FormatProbe(streamPrefix: prefix.span.bytes)) {
            case .match: #expect(isSVG)
            case .unknown: #expect(!isSVG)
            case .needMoreData(let minimum): #expect(minimum > count)
            }
        }
    }

    @Test("Other files and URLs are not read")
    func references() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID()).svg")
        try Data(svg(#"<rect width="40" height="30"/>"#)).write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        for address in [folder.path, "file://\(folder.path)", "http://127.0.0.1:9/a.svg"] {
            let bitmap = try draw(svg(#"<image width="40" height="30" xlink:href="\#(address)"/>"#))
            #expect(bitmap.tightBytes().allSatisfy { $0 == 0 })
        }
        let entity = Array(
            #"<!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><text y="20">&e;</text></svg>"#
                .utf8)
        if let bitmap = try? draw(entity) { #expect(bitmap.tightBytes().allSatisfy { $0 == 0 }) }
    }

    @Test("The codec's path to the worker is used")
    func workerPath() throws {
        let folder = try TemporaryFolder()
        // Under a sanitizer, the one that is built without it.
        let named = ProcessInfo.processInfo.environment["TESSERA_SVG_WORKER"]
        let beside = BuiltProgram("tessera-svg").path
        // No copy: a process that another test starts meanwhile may have it open for writing.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("drawer"), withDestinationPath: named ?? beside)
        let known = CodecRegistry([SVGCodec(workerPath: folder.file("drawer"))])
        #expect(try ImageSource.decode(Self.drawing, registry: known).bitmap.size == PixelSize(width: 40, height: 30))
        let wrong = CodecRegistry([SVGCodec(workerPath: folder.file("nothing"))])
        let error = try #require(throws: ImageError.self) { try ImageSource.decode(Self.drawing, registry: wrong) }
        #expect(error.message.contains(folder.file("nothing")), "\(error)")
    }

    @Test("A program that isn't a worker fails", arguments: ["/bin/true", "/bin/cat"])
    func noWorker(path: String) {
        let registry = CodecRegistry([SVGCodec(workerPath: path)])
        #expect(errorCode { try ImageSource.decode(Self.drawing, registry: registry) } == .workerFailed)
    }

    @Test("A document may be longer than one message")
    func long() throws {
        let comment = "<!--" + String(repeating: "long ", count: 200_000) + "-->"
        let document = svg(comment + "<rect width='40' height='30' fill='red'/>")
        let bitmap = try draw(document)
        #expect(bitmap.rows.row(29, as: RGBA8.self)[39] == RGBA8(255, 0, 0, 255))
    }

    @Test("A document may be larger than the limit of a drawing")
    func large() throws {
        let document = svg("<rect width='2e9' height='2e9'/>", attributes: "width='2e9' height='2e9'")
        let bitmap = try draw(document, at: PixelSize(width: 8, height: 8))
        #expect(bitmap.rows.row(7, as: RGBA8.self)[7] == RGBA8(0, 0, 0, 255))
        #expect(errorCode { try draw(document) } == .limitExceeded)
    }

    @Test("A document that takes too long is ended with an error")
    func tooLong() throws {
        let filters = (0..<40).map { _ in
            #"<feTurbulence baseFrequency="0.01" numOctaves="200"/><feGaussianBlur stdDeviation="50"/>"#
        }
        let document = svg(
            #"<filter id="f" x="0" y="0" width="1" height="1">\#(filters.joined())</filter><rect width="3000" height="3000" filter="url(#f)"/>"#,
            attributes: #"width="3000" height="3000""#)
        let registry = CodecRegistry([SVGCodec(processorSeconds: 1)])
        let decoded = errorCode { try ImageSource.decode(document, registry: registry) }
        #expect(decoded == .limitExceeded)
    }

    @Test("A document's memory is limited")
    func tooMuch() throws {
        let floods = (0..<24).map { #"<feFlood flood-color="red" result="f\#($0)"/>"# }
        let document = svg(
            #"<filter id="f" x="0" y="0" width="1" height="1">\#(floods.joined())</filter><rect width="2000" height="2000" filter="url(#f)"/>"#,
            attributes: #"width="2000" height="2000""#)
        var options = DecodingOptions()
        #expect(try ImageSource.decode(document, options: options).error == nil)
        options.limits.maximumWorkingByteCount = 32 << 20
        // librsvg ends, or says so by itself.
        let code = errorCode { try ImageSource.decode(document, options: options) }
        #expect(code == .limitExceeded || code == .corrupt)
    }

    @Test("Limits are checked before drawing")
    func limits() throws {
        var options = DecodingOptions()
        options.limits.maximumPixelCount = 1000
        #expect(errorCode { try ImageSource.decode(Self.drawing, options: options) } == .limitExceeded)
        #expect(errorCode { try draw(Self.drawing, at: PixelSize(width: 40000, height: 10)) } == .limitExceeded)
        options = DecodingOptions()
        options.limits.maximumInputByteCount = 100
        #expect(errorCode { try ImageSource.decode(Self.drawing, options: options) } == .limitExceeded)
        let huge = svg("", attributes: #"width="1e30" height="1e30""#)
        #expect(errorCode { try ImageSource.decode(huge) } != nil)
    }

    @Test(
        "A document that can't be drawn is an error with the reason",
        arguments: [
            "<svg", "<svg></svg>", "<svg xmlns='http://www.w3.org/2000/svg' width='0' height='4'/>", "<svg><a></svg>",
        ])
    func broken(text: String) {
        let code = errorCode { try ImageSource.decode(Array(text.utf8)) }
        #expect(code == .corrupt || code == .unknownFormat)
    }
}

extension Bitmap {
    /// The largest difference of a channel from `samples`, where neither is transparent.
    fileprivate func differs(from samples: [UInt16]) -> Int {
        let own = samples16
        return own.indices.reduce(0) { largest, index in
            own[index / 4 * 4 + 3] == 0 && samples[index / 4 * 4 + 3] == 0
                ? largest : max(largest, abs(Int(own[index]) - Int(samples[index])) / 257)
        }
    }
}

@Suite("SVG corpus", .needsCorpus, .needs(RSVGConvert.tool))
struct SVGCorpusTests {
    @Test("Every valid file agrees with rsvg-convert", arguments: Corpus.files("valid/svg"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let bitmap = try draw(file)
        let oracle = try #require(try RSVGConvert.draw(file))
        #expect(bitmap.size == oracle.size)
        #expect(try bitmap.converted(to: .rgba8, alpha: .straight).differs(from: oracle.samples) <= 1)
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/svg"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let code = errorCode { try ImageSource.decode(file) }
        #expect([nil, .corrupt, .limitExceeded].contains(code))
    }
}
