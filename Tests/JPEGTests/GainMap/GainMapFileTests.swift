import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Gain maps in JPEG files")
struct GainMapFileTests {
    @Test("A map that is written is read again", arguments: [true, false])
    func roundTrip(isGray: Bool) throws {
        let metadata = isGray ? GainMapFixture.gray : GainMapFixture.colored
        let image = try GainMapFixture.image(metadata, isGray: isGray)
        let read = try #require(try Image(data: GainMapFixture.file(image)).gainMap)
        #expect(read.metadata == metadata)
        #expect(read.alternateProfile == nil)
        let (stored, original) = (try read.image.bitmap(), try #require(image.gainMap).image)
        #expect(stored.format == (isGray ? .gray8 : .rgba8))
        #expect(try #require(stored.noise(against: try original.bitmap())) > 38)
    }

    @Test("The base is the same to the bit as without the map, and so is its metadata")
    func base() throws {
        let image = try GainMapFixture.image()
        let metadata = ImageMetadata(
            orientation: .right, xmp: Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8),
            resolution: .init(horizontal: 300, vertical: 300))
        let options = EncodingOptions(quality: 0.8, metadata: metadata)
        let (with, without) = (
            try image.data(as: .jpeg, options: options), try image.withGainMap(nil).data(as: .jpeg, options: options)
        )
        let (base, plain) = (try ImageSource.decode(with), try ImageSource.decode(without))
        #expect(base.bitmap.tightBytes() == plain.bitmap.tightBytes())
        #expect(base.header.metadata.orientation == .right)
        #expect(base.header.metadata.resolution == plain.header.metadata.resolution)
        #expect(base.error == nil)
    }

    @Test("A file that is written again unchanged has the map's very bytes")
    func copied() throws {
        let first = try GainMapFixture.file(GainMapFixture.image())
        let second = try GainMapFixture.file(Image(data: first))
        func map(_ file: [UInt8]) throws -> [UInt8] {
            try #require(try Image(data: file).gainMap).image.bitmap().tightBytes()
        }
        #expect(try map(first) == map(second))
        #expect(try Image(data: second).gainMap?.metadata == GainMapFixture.gray)
    }

    @Test("A map is upright like its base", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let image = try GainMapFixture.image()
        let stored = try image.data(
            as: .jpeg, options: EncodingOptions(quality: 1, metadata: ImageMetadata(orientation: orientation)))
        let upright = try Image(data: stored)
        let map = try #require(upright.gainMap).image
        #expect(map.size == orientation.applied(to: PixelSize(width: 48, height: 32)))
        let expected = try #require(image.gainMap).image.bitmap().oriented(by: orientation)
        #expect(try #require(try map.bitmap().noise(against: expected)) > 38)
        // Written upright, it is turned once and not again.
        let again = try #require(try Image(data: upright.data(as: .jpeg, quality: 1)).gainMap).image.bitmap()
        #expect(try #require(again.noise(against: expected)) > 36)
    }

    @Test("A maximum of bytes counts base and map")
    func maximumByteCount() throws {
        let image = try GainMapFixture.image(
            size: PixelSize(width: 600, height: 400), mapSize: PixelSize(width: 150, height: 100))
        let file = try image.data(as: .jpeg, options: EncodingOptions(quality: 1, maximumByteCount: 30000))
        #expect(file.count <= 30000)
        #expect(try Image(data: file).gainMap != nil)
    }

    @Test("Formats without gain maps are written without it")
    func otherFormats() throws {
        let image = try GainMapFixture.image()
        let png = try image.data(as: .png)
        #expect(try ImageSource.decode(png).bitmap.tightBytes() == image.bitmap().tightBytes())
        #expect(try Image(data: png).gainMap == nil)
    }

    @Test("Existing XMP is kept beside the map's")
    func mergesXMP() throws {
        let packet = """
            <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
            xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="kept"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """
        let file = try GainMapFixture.image().data(
            as: .jpeg, options: EncodingOptions(metadata: ImageMetadata(xmp: Array(packet.utf8))))
        let header = try ImageSource.header(of: file)
        let text = String(decoding: try #require(header.metadata.xmp), as: UTF8.self)
        #expect(text.contains("dc:format=\"kept\"") && text.contains("Item:Semantic=\"GainMap\""))
        #expect(text.hasPrefix("<?xpacket begin") && text.hasSuffix("<?xpacket end=\"w\"?>"))
        // What is kept of a base has no reference to a map that may be dropped later.
        let kept = try #require(MetadataPolicy.all.metadata(of: header).xmp)
        #expect(!String(decoding: kept, as: UTF8.self).contains("GainMap"))
        #expect(String(decoding: kept, as: UTF8.self).contains("dc:format=\"kept\""))
    }

    private static let exiftool = CommandLineTool("exiftool")

    @Test("exiftool finds the map at the offset and with the length in the index", .needs(exiftool))
    func index() throws {
        let file = try GainMapFixture.file(GainMapFixture.image())
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "a.jpg")
        func ask(_ arguments: [String]) throws -> [UInt8] {
            try #require(try Self.exiftool.output(arguments + [path]))
        }
        func number(_ tag: String) throws -> Int {
            try #require(Int(String(decoding: try ask(["-n", "-s3", tag]), as: UTF8.self).dropLast()), "\(tag)")
        }
        let (start, count) = (
            try number("-MPImage2:MPImageStart"), try number("-MPImage2:MPImageLength")
        )
        #expect(start + count == file.count)
        #expect(try ask(["-b", "-MPImage2"]) == Array(file[start...]))
    }
}
