import Foundation
import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import Testing
import TestSupport

/// What else a JPEG file can hold: further pictures, a thumbnail, XMP that goes on, and codings that are rare.
@Suite("JPEG extras")
struct JPEGExtrasTests {
    static func jpeg(_ width: Int, _ height: Int, quality: Double = 0.9) throws -> [UInt8] {
        try ImageDestination(format: .jpeg, options: EncodingOptions(quality: quality))
            .encode(Bitmap.grainy(PixelSize(width: width, height: height)))
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// A file of several pictures (CIPA DC-007), with places changed by `move`.
    static func file(_ pictures: [[UInt8]], count: Int? = nil, move: (Int, Int) -> Int = { $1 }) -> [UInt8] {
        // SOI, then the segment with its marker and length and "MPF", then the structure.
        let structureOffset = 2 + 4 + 4
        let listOffset = 8 + 2 + 2 * 12 + 4
        let structureByteCount = listOffset + 16 * pictures.count
        var structure: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + big(2, 2)
        structure += big(0xB001, 2) + big(4, 2) + big(1, 4) + big(count ?? pictures.count, 4)
        structure += big(0xB002, 2) + big(7, 2) + big(16 * (count ?? pictures.count), 4) + big(listOffset, 4)
        structure += big(0, 4)
        let headByteCount = 8 + structureByteCount
        var offset = 0
        for (index, picture) in pictures.enumerated() {
            let byteCount = picture.count + (index == 0 ? headByteCount : 0)
            let place = index == 0 ? 0 : offset - structureOffset
            structure += big(0, 4) + big(byteCount, 4) + big(move(index, place), 4) + big(0, 4)
            offset += byteCount
        }
        let first = JPEGFixture.inserting(segment: 0xE2, Array("MPF\0".utf8) + structure, into: pictures[0])
        return first + pictures.dropFirst().joined()
    }

    @Test("Further images are pages, for any split")
    func pages() throws {
        let pictures = try [Self.jpeg(64, 48), Self.jpeg(16, 12), Self.jpeg(33, 5)]
        let file = Self.file(pictures)
        for (index, picture) in pictures.enumerated() {
            let expected = try ImageSource.decode(picture).bitmap
            for round in 0..<3 {
                let session = DecoderSession(
                    JPEGCodec(), file, splits: DecoderSession.splits(of: file.count, round: round),
                    options: DecodingOptions(color: .asStored, imageIndex: index))
                #expect(session.error == nil && session.isComplete)
                #expect(session.header?.sequence == ImageSequence(.pages, count: 3))
                #expect(session.header?.storedSize == expected.size)
                #expect(session.bitmap?.size == expected.size)
            }
            let whole = try ImageSource.decode(file, options: DecodingOptions(imageIndex: index))
            #expect(whole.bitmap.tightBytes() == expected.tightBytes())
        }
        #expect(try ImageSource.decode(file).bitmap.size == PixelSize(width: 64, height: 48))
        for index in [3, -1] {
            #expect(
                errorCode { try ImageSource.decode(file, options: DecodingOptions(imageIndex: index)) }
                    == .invalidParameter)
        }
        #expect(
            errorCode { try ImageSource.decode(pictures[0], options: DecodingOptions(imageIndex: 1)) }
                == .invalidParameter)
        #expect(try ImageSource.decode(pictures[0], options: DecodingOptions(imageIndex: 0)).error == nil)
        #expect(try ImageSource.header(of: pictures[0]).sequence == nil)
    }

    @Test("False lists of images don't affect the first one")
    func lyingLists() throws {
        let pictures = try [Self.jpeg(64, 48), Self.jpeg(16, 12)]
        let lies = [
            Self.file(pictures, count: 1), Self.file(pictures, count: 3), Self.file(pictures, count: 0xFFFF_FFFF),
            Self.file(pictures) { index, place in index == 0 ? 0 : 20 },
        ]
        for file in lies {
            let decoded = try ImageSource.decode(file)
            #expect(decoded.error == nil && decoded.bitmap.size == PixelSize(width: 64, height: 48))
            #expect(decoded.header.sequence == nil)
        }
        // A picture beyond the end, or in the midst of nothing.
        for distance in [100_000_000, 7] {
            let file = Self.file(pictures) { index, place in index == 0 ? 0 : place + distance }
            #expect(try ImageSource.decode(file).error == nil)
            #expect(errorCode { try ImageSource.decode(file, options: DecodingOptions(imageIndex: 1)) } != nil)
        }
        let cut = Array(Self.file(pictures).dropLast(pictures[1].count / 2))
        let session = DecoderSession(JPEGCodec(), cut, options: DecodingOptions(imageIndex: 1))
        #expect(session.error?.code == .truncated)
    }

    @Test("Bytes after the end are ignored, unless they end with a JPNG footer")
    func trailingData() throws {
        let picture = try Self.jpeg(64, 48)
        let expected = try ImageSource.decode(picture).bitmap.tightBytes()
        for tail in [[0], try Self.jpeg(16, 12), [UInt8](repeating: 0xFF, count: 1000), Array("ftypmp42".utf8)] {
            let decoded = try ImageSource.decode(picture + tail)
            #expect(decoded.error == nil && decoded.header.format == .jpeg)
            #expect(decoded.bitmap.tightBytes() == expected)
        }
        let mask = try ImageDestination(format: .png).encode(
            Bitmap.grainy(PixelSize(width: 64, height: 48), format: .gray8))
        let color = Self.file([picture, try Self.jpeg(16, 12)])
        let jpng = try JPNGFixture.join(color, mask)
        let decoded = try ImageSource.decode(jpng)
        #expect(decoded.error == nil && decoded.header.format == .jpng)
        #expect(decoded.bitmap.alpha == .straight && decoded.header.sequence == nil)
        #expect(
            errorCode { try ImageSource.decode(jpng, options: DecodingOptions(imageIndex: 1)) } == .invalidParameter)
    }

    @Test("A thumbnail comes as bytes and as pixels, rotated like the image")
    func thumbnail() throws {
        let picture = try Bitmap.grainy(PixelSize(width: 200, height: 100))
        var options = EncodingOptions(metadata: ImageMetadata(orientation: .right))
        options.embeddedThumbnailSize = 40
        let file = try ImageDestination(format: .jpeg, options: options).encode(picture)
        let metadata = try ImageSource.header(of: file).metadata
        let thumbnail = try #require(metadata.embeddedThumbnail)
        #expect(thumbnail.starts(with: [0xFF, 0xD8]) && thumbnail.suffix(2) == [0xFF, 0xD9])
        #expect(try metadata.embeddedThumbnailBitmap()?.size == PixelSize(width: 20, height: 40))
        let stored = DecodingOptions(appliesOrientation: false)
        #expect(try metadata.embeddedThumbnailBitmap(options: stored)?.size == PixelSize(width: 40, height: 20))

        var damaged = metadata
        let start = try #require(damaged.exif?.firstRange(of: thumbnail))
        damaged.exif?.replaceSubrange(
            start.lowerBound + 2..<start.upperBound, with: repeatElement(0, count: start.count - 2))
        #expect(errorCode { try damaged.embeddedThumbnailBitmap() } != nil)
        damaged.exif?.replaceSubrange(start.lowerBound..<start.upperBound, with: repeatElement(7, count: start.count))
        #expect(damaged.embeddedThumbnail == nil)
        #expect(try damaged.embeddedThumbnailBitmap() == nil)
        #expect(ImageMetadata().embeddedThumbnail == nil)
    }

    private static let digest = "0123456789ABCDEF0123456789abcdef"

    private static func xmp(_ digest: String = digest) -> [UInt8] {
        Array("<x:xmpmeta><rdf:Description xmpNote:HasExtendedXMP=\"\(digest)\"/></x:xmpmeta>".utf8)
    }

    private static func piece(_ bytes: [UInt8], total: Int, offset: Int, digest: String = digest) -> [UInt8] {
        Array("http://ns.adobe.com/xmp/extension/\0".utf8) + Array(digest.utf8) + big(total, 4) + big(offset, 4) + bytes
    }

    private static func continued(_ pieces: [[UInt8]], xmp: [UInt8] = xmp()) throws -> [UInt8] {
        try (pieces.reversed() + [Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp]).reduce(jpeg(16, 12)) {
            JPEGFixture.inserting(segment: 0xE1, $1, into: $0)
        }
    }

    @Test("Extended XMP is joined by digest and offset")
    func extendedXMP() throws {
        let packet = (0..<1000).map { UInt8($0 & 127) }
        let halves = [
            Self.piece(Array(packet[..<600]), total: 1000, offset: 0),
            Self.piece(Array(packet[600...]), total: 1000, offset: 600),
        ]
        let other = Self.piece([1, 2, 3], total: 3, offset: 0, digest: String(repeating: "A", count: 32))
        for pieces in [halves, halves.reversed(), [halves[1], other, halves[0]]] {
            let metadata = try ImageSource.header(of: Self.continued(pieces)).metadata
            #expect(metadata.extendedXMP == packet)
            #expect(metadata.xmp == Self.xmp())
        }
        let wrong: [[[UInt8]]] = [
            [halves[0]], [halves[1]], halves + [halves[0]], [other],
            [halves[0], Self.piece(Array(packet[600...]), total: 999, offset: 600)],
            [halves[0], Self.piece(Array(packet[599...]), total: 1000, offset: 599)],
            [Self.piece(packet, total: 0xFFFF_FFFF, offset: 0)], [Self.piece(packet, total: 1000, offset: 0xFFFF_FFFF)],
            [Self.piece([], total: 0, offset: 0)],
        ]
        for pieces in wrong {
            let metadata = try ImageSource.header(of: Self.continued(pieces)).metadata
            #expect(metadata.extendedXMP == nil && metadata.xmp == Self.xmp())
        }
        for xmp in [Array("<x:xmpmeta/>".utf8), Self.xmp("0123"), Array("HasExtendedXMP".utf8)] {
            #expect(try ImageSource.header(of: Self.continued(halves, xmp: xmp)).metadata.extendedXMP == nil)
        }
        var options = DecodingOptions()
        options.limits.maximumMetadataByteCount = 999
        #expect(try ImageSource.header(of: Self.continued(halves), options: options).metadata.extendedXMP == nil)
    }

    @Test("Extended XMP is written and read back", arguments: [1, 65_000, 300_000])
    func writtenXMP(count: Int) throws {
        let packet = (0..<count).map { UInt8($0 * 7 & 127) }
        let metadata = ImageMetadata(xmp: Self.xmp(), extendedXMP: packet)
        let file = try ImageDestination(format: .jpeg, options: EncodingOptions(metadata: metadata))
            .encode(Bitmap.grainy(PixelSize(width: 16, height: 12)))
        let header = try ImageSource.header(of: file)
        #expect(header.metadata.xmp == Self.xmp() && header.metadata.extendedXMP == packet)
    }

    @Test("Arithmetic coding decodes to djpeg's pixels", .needs(CommandLineTool("djpeg"), CommandLineTool("cjpeg")))
    func arithmetic() throws {
        let folder = try TemporaryFolder()
        let bitmap = try Bitmap.grainy(PixelSize(width: 75, height: 61))
        let input = try folder.write(Array("P6\n75 61\n255\n".utf8) + bitmap.pnmSamples, to: "picture.ppm")
        for arguments in [[], ["-progressive"], ["-grayscale"]] {
            let written = folder.file("picture.jpg")
            try #require(
                try CommandLineTool("cjpeg").run(["-arithmetic", "-outfile", written] + arguments + [input]))
            let file = try folder.read("picture.jpg")
            let expected = try #require(try DJPEG.decode(file))
            for splits in [[], Array(stride(from: 50, to: file.count, by: 50))] {
                let session = DecoderSession(JPEGCodec(), file, splits: splits)
                #expect(session.error == nil)
                #expect(session.bitmap?.pnmSamples == expected.samples)
            }
        }
    }

    @Test(
        "Every thumbnail in the corpus decodes",
        .needsCorpus)
    func corpusThumbnails() throws {
        var count = 0
        for path in Corpus.files("valid/jpeg") {
            guard let metadata = try? ImageSource.header(of: Corpus.bytes(path)).metadata,
                metadata.embeddedThumbnail != nil
            else { continue }
            count += 1
            let bitmap = try #require(try metadata.embeddedThumbnailBitmap(), "\(path)")
            #expect(max(bitmap.width, bitmap.height) <= 640)
        }
        #expect(count >= 3)
    }
}
