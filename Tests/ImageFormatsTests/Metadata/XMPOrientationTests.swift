import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("The orientation in XMP")
struct XMPOrientationTests {
    private static let head = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        """
    private static let tail = "</rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>"

    /// What stands between head and tail, and the orientation that it gives.
    private static let packets: [(String, Orientation)] = [
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/>"#, .right),
        // Declared behind, in single quotes, with space wherever it may be, under another prefix.
        (
            "<rdf:Description\n  t:Orientation = '3'\n\txmlns:t = 'http://ns.adobe.com/tiff/1.0/' >x</rdf:Description>",
            .down
        ),
        (
            #"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/"><tiff:Make>M</tiff:Make><tiff:Orientation> 8 "#
                + "</tiff:Orientation></rdf:Description>", .left
        ),
        // The prefix alone means nothing, nor does the name in another namespace.
        (#"<rdf:Description xmlns:tiff="http://example.org/" tiff:Orientation="6"/>"#, .up),
        (#"<rdf:Description tiff:Orientation="6"/>"#, .up),
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:OrientationX="6" Orientation="6"/>"#, .up),
        // None of the eight.
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="0"/>"#, .up),
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="9"/>"#, .up),
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="66"/>"#, .up),
        (#"<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation=""/>"#, .up),
        // What is said in a comment or as text isn't said.
        (#"<!-- <d xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/> -->"#, .up),
        (#"<![CDATA[<d xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/>]]>"#, .up),
        // A > within a value doesn't end its tag.
        (#"<d a=">" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/>"#, .right),
    ]

    private func file(_ format: ImageFormat, xmp: String, exif: [UInt8]? = nil) throws -> [UInt8] {
        let metadata = ImageMetadata(exif: exif, xmp: Array(xmp.utf8))
        return try ImageDestination(format: format, options: EncodingOptions(metadata: metadata))
            .encode(Bitmap.pattern(6, 4))
    }

    @Test("The XMP orientation applies unless reading it is turned off", arguments: [ImageFormat.jpeg, .png])
    func itCountsUnlessItIsLeftOut(format: ImageFormat) throws {
        for (packet, orientation) in Self.packets {
            let bytes = try file(format, xmp: Self.head + packet + Self.tail)
            let options = DecodingOptions(readsXMPOrientation: false)
            #expect(try ImageSource.header(of: bytes, options: options).metadata.orientation == .up)
            let decoded = try ImageSource.decode(bytes)
            #expect(decoded.header.metadata.orientation == orientation, "\(packet)")
            #expect(decoded.bitmap.size == orientation.applied(to: PixelSize(width: 6, height: 4)))
            let stored = try ImageSource.decode(bytes, options: options).bitmap
            #expect(decoded.bitmap.tightBytes() == (try stored.oriented(by: orientation)).tightBytes())
        }
    }

    @Test("EXIF takes precedence over XMP", arguments: [ImageFormat.jpeg, .png])
    func exifComesFirst(format: ImageFormat) throws {
        for said: UInt8 in [1, 3] {
            let exif: [UInt8] = [
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, said, 0, 0, 0, 0, 0, 0,
            ]
            let metadata = ImageMetadata(
                orientation: Orientation(rawValue: said)!, exif: exif,
                xmp: Array((Self.head + Self.packets[0].0 + Self.tail).utf8))
            let bytes = try ImageDestination(format: format, options: EncodingOptions(metadata: metadata))
                .encode(Bitmap.pattern(6, 4))
            #expect(try ImageSource.header(of: bytes).metadata.orientation.rawValue == said)
        }
    }

    @Test("A damaged XMP packet is kept or dropped, and never grows")
    func damagedPacketsSayNothingOrTheSame() throws {
        let packet = Array((Self.head + Self.packets[2].0 + Self.tail).utf8)
        let policy = MetadataPolicy.all
        func kept(_ xmp: [UInt8]) -> [UInt8]? {
            let header = ImageHeader(
                format: .jpeg, storedSize: PixelSize(width: 1, height: 1), colorModel: .rgb,
                metadata: ImageMetadata(xmp: xmp))
            return policy.metadata(of: header).xmp
        }
        for count in 0...packet.count { #expect(kept(Array(packet.prefix(count)))?.count ?? 0 <= count) }
        var generator = SeededGenerator(3)
        for _ in 0..<2000 {
            var damaged = packet
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: 0..<packet.count, using: &generator)] =
                    Array("<>/='\"! -?[a\0".utf8).randomElement(using: &generator)!
            }
            #expect(kept(damaged) != nil)
        }
    }

    @Test("Hostile packets take no time")
    func hostilePacketsTakeNoTime() throws {
        // Each would take the square of its length if anything were looked at twice.
        for piece in [
            "<", "<a ", "<!--", "<a b='", "a:b='c' ", "<![CDATA[", "<a xmlns:t='http://ns.adobe.com/tiff/1.0/'>",
        ] {
            let packet = String(repeating: piece, count: 200_000 / piece.utf8.count)
            #expect(try ImageSource.header(of: file(.png, xmp: packet)).metadata.orientation == .up)
        }
        let entity = "<!DOCTYPE x [<!ENTITY a \"6\">]>" + Self.packets[0].0
        #expect(try ImageSource.header(of: file(.png, xmp: entity)).metadata.orientation == .up)
    }
}
