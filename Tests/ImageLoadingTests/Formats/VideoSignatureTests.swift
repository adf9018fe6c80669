import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Testing

@Suite("Signatures of videos")
struct VideoSignatureTests {
    private static func fileType(_ major: String, _ compatible: String...) -> Data {
        let brands = compatible.joined()
        var box = Data([0, 0, 0, UInt8(16 + brands.utf8.count)])
        box += Data("ftyp\(major)".utf8) + Data([0, 0, 2, 0]) + Data(brands.utf8)
        return box
    }

    private static func ebml(_ elements: [UInt8], length: [UInt8]? = nil) -> Data {
        Data([0x1A, 0x45, 0xDF, 0xA3] + (length ?? [0x80 | UInt8(elements.count)]) + elements)
    }

    private static func docType(_ name: String) -> [UInt8] {
        [0x42, 0x82, 0x80 | UInt8(name.utf8.count)] + Array(name.utf8)
    }

    private static let version: [UInt8] = [0x42, 0x86, 0x81, 1]

    static let videos: [(Data, ImageFormat)] = [
        (fileType("isom", "isom", "iso2", "avc1", "mp41"), .mp4),
        (fileType("mp42"), .mp4),
        (fileType("iso6", "dash"), .mp4),
        (fileType("????", "abcd", "isom"), .mp4),
        (fileType("M4V ", "mp42", "isom"), .m4v),
        (fileType("M4VH", "isom"), .m4v),
        (fileType("qt  "), .quickTime),
        (fileType("qt  ", "isom"), .quickTime),
        (ebml(version + docType("webm")), .webM),
        (ebml(docType("matroska") + version), .matroska),
        (ebml(version + docType("webm\0\0")), .webM),
        (ebml(version + docType("webm"), length: [0x01, 0, 0, 0, 0, 0, 0, 11]), .webM),
    ]

    @Test("A video is recognised by its header, and by nothing shorter", arguments: videos)
    func aVideoIsKnownByItsHeadAndByNoLess(head: Data, format: ImageFormat) throws {
        #expect(ImageFormat(data: head) == format && format.isVideo)
        let (registry, request) = (ImageDecoderRegistry(), ImageRequest(url: URL(string: "https://example.com/v")!))
        let all = head + Data(repeating: 0xFF, count: 40)
        for count in 0...all.count {
            // A slice, whose first index isn't 0.
            let data = (Data([9]) + all.prefix(count)).dropFirst()
            let decoder = registry.decoder(
                for: ImageDecodingContext(request: request, data: data, isCompleted: false))
            let isEnough = decoder != nil
            // The document's type may stand before the end.
            #expect(isEnough == (count >= head.count) || format == .matroska)
            if let decoder { #expect(try decoder.decode(data).type == format) }
        }
    }

    static let others: [Data] = [
        fileType("M4A ", "mp42", "isom"),
        fileType("M4B ", "isom"),
        fileType("avis", "msf1", "iso8", "mif1", "miaf"),
        fileType("hevc", "msf1", "iso8"),
        fileType("jp2 ", "jp2 "),
        Data([0, 0, 0, 8]) + Data("ftyp".utf8),
        Data([0, 0, 0, 16]) + Data("moovisom".utf8) + Data(count: 4),
        Data([0, 1, 0, 16]) + Data("ftypisom".utf8) + Data(count: 4),
        ebml(version + docType("other")),
        ebml(version),
        // Lengths that reach beyond what there is, that are left open, that have no end.
        ebml([0x42, 0x82, 0xFF] + Array("webm".utf8)),
        ebml([0x42, 0x82, 0x86] + Array("webm".utf8)),
        ebml(version + docType("webm"), length: [0xFF]),
        ebml(docType("webm"), length: [0x01, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ebml(docType("webm"), length: [0x00]),
        ebml([0x00, 0x42, 0x82] + docType("webm")),
        ebml([0x42]), ebml([0x42, 0x82]), ebml([]),
    ]

    @Test("Other files aren't taken for videos", arguments: others)
    func whatIsNoVideoIsNotTakenForOne(head: Data) {
        let formats = [ImageFormat.mp4, .m4v, .quickTime, .webM, .matroska]
        for count in 0...head.count {
            let format = ImageFormat(data: head.prefix(count))
            #expect(format.map { !formats.contains($0) } ?? true)
        }
        let (registry, request) = (ImageDecoderRegistry(), ImageRequest(url: URL(string: "https://example.com/v")!))
        for data in [head, head + Data(count: 64)] {
            for isCompleted in [false, true] {
                let context = ImageDecodingContext(request: request, data: data, isCompleted: isCompleted)
                #expect(!(registry.decoder(for: context) is ImageDecoders.Empty))
            }
        }
    }

    @Test("Images are identified by content")
    func picturesAreToldByTheirContent() throws {
        let bitmap = try TestPicture.bitmap(4, 4)
        for format in [ImageFormat.png, .jpeg, .jpng, .gif, .bmp] {
            #expect(ImageFormat(data: try TestPicture.file(format, bitmap)) == format)
            #expect(!format.isVideo)
        }
        #expect(ImageFormat(data: Data()) == nil)
        #expect(ImageFormat(data: Data("text".utf8)) == nil)
    }
}
