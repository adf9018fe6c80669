import FoundationEssentials
import ImageFormats
import ImageLoading
import ImageServer

extension FuzzTarget {
    /// A data URL: what it holds isn't more than it is long.
    static let dataURL = FuzzTarget(
        name: "data-url", seedExtensions: [],
        seeds: {
            [
                "data:,a%20b", "data:image/png;base64,iVBORw0KGgo=", "data:text/plain;charset=utf-8;base64,YQ==#b",
                "DATA:;base64, Y W J j ",
            ].map { Array($0.utf8) }
        }
    ) { input in
        guard let url = try? DataURL(String(decoding: input, as: UTF8.self)) else { return }
        precondition(url.data.count <= input.count * 3)
        precondition(!url.mediaType.isEmpty)
    }

    /// What stores send: XML, and answers of several parts. Nothing is longer than the input.
    static let storeAnswer = FuzzTarget(
        name: "store-answer", seedExtensions: [],
        seeds: {
            [
                "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>a &amp; b</Message></Error>",
                "<l:List xmlns:l='x'><!-- --><Contents><Key>&#xE4;</Key><Size>3</Size></Contents><E/></l:List>",
                "--x\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n--x--\r\n",
            ].map { Array($0.utf8) }
        }
    ) { input in
        func count(_ element: XMLElement) -> Int {
            element.text.utf8.count + element.children.reduce(0) { $0 + count($1) }
        }
        // A byte that isn't text becomes three.
        if let root = XMLElement(input) { precondition(count(root) <= input.count * 3) }
        for part in MultipartRanges.parts(of: input, boundary: "x") ?? [] {
            precondition(part.bytes.count == part.range.last - part.range.first + 1)
            precondition(part.bytes.count <= input.count)
        }
    }

    /// The fields of HTTP, a line each in any order: dates are written as they were read, ranges lie in the file.
    static let httpFields = FuzzTarget(
        name: "http-fields", seedExtensions: [],
        seeds: {
            [
                "Sun, 06 Nov 1994 08:49:37 GMT\nSunday, 06-Nov-94 08:49:37 GMT\nSun Nov  6 08:49:37 1994",
                "bytes=0-499\nbytes=-5\nbytes=9500-\nbytes 10-99/100\nbytes 0-0/*",
                "max-age=60, no-cache=\"a,b\", no-store\nimage/webp;q=0.8,*/*;q=0.001\n\"a\", W/\"b\", *",
            ].map { Array($0.utf8) }
        }
    ) { input in
        for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
            let text = String(line)
            if let seconds = HTTPDate.secondsSince1970(text), seconds >= 0, seconds < 253_402_300_800 {
                precondition(HTTPDate.secondsSince1970(HTTPDate.text(seconds)) == seconds, text)
            }
            for count in [0, 1, 1000, Int.max] {
                guard case .part(let range) = ByteRange(text, of: count) else { continue }
                precondition(range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= count, text)
            }
            if let range = ContentRange(text) {
                precondition(range.first <= range.last && range.last < range.total ?? .max, text)
            }
            let age = CacheControl(["Cache-Control": text]).maximumAge
            precondition(age ?? 0 >= 0, text)
            precondition(0...1 ~= AcceptHeader(text).weight(of: "image/webp"), text)
            _ = EntityTag.list(text, contains: "\"a\"")
        }
    }

    /// What a file is by its first bytes, videos among them. What a beginning is, the whole is.
    static let identify = FuzzTarget(
        name: "identify", seedExtensions: ["webm", "mkv", "mp4", "mov", "svg"],
        seeds: {
            [
                [0x1A, 0x45, 0xDF, 0xA3, 0x93, 0x42, 0x82, 0x84] + Array("webm".utf8) + [0x42, 0x86, 0x81, 0x01],
                [0, 0, 0, 24] + Array("ftypmp42\0\0\0\0mp42isom".utf8),
                [0, 0, 0, 28] + Array("ftypmif1\0\0\0\0avifheic".utf8),
                Array("<?xml version=\"1.0\"?><!DOCTYPE svg [ <!ENTITY a 'b'> ]><!-- c --><svg xmlns=\"a\"/>".utf8),
                Fixtures.jpeg, Fixtures.png,
            ]
        }
    ) { input in
        let whole = ImageFormat(data: Data(input))
        for count in [3, 12, 40, input.count / 2] where count <= input.count {
            let bytes = input.span.bytes.extracting(first: count)
            guard case .match(let format, _) = CodecRegistry.default.identify(FormatProbe(streamPrefix: bytes)) else {
                continue
            }
            precondition(whole == format || whole == .jpng, "\(format) at first, then \(String(describing: whole))")
        }
    }
}
