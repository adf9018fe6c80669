import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Metadata policies")
struct MetadataPolicyTests {
    private static let exif: [UInt8] = [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
    ]
    private static let xmp = Array(
        #"<d xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"><tiff:Orientation>6</tiff:Orientation></d>"#
            .utf8)

    /// A file lying on its side, with everything that a file can say, a thumbnail included.
    private func file(_ format: ImageFormat) throws -> [UInt8] {
        let options = EncodingOptions(
            embeddedThumbnailSize: 8,
            metadata: ImageMetadata(
                orientation: .right, exif: Self.exif, xmp: Self.xmp, resolution: .init(horizontal: 300, vertical: 150)))
        return try ImageDestination(format: format, options: options)
            .encode(Bitmap.pattern(24, 16, alpha: AlphaMode.none, profile: .icc(TestProfiles.wideRGB)))
    }

    private func converted(_ bytes: [UInt8], to format: ImageFormat, _ policy: MetadataPolicy) throws -> DecodedImage {
        let source = try ImageRowSource(Source(bytes), options: DecodingOptions(color: policy.color))
        let options = EncodingOptions(metadata: policy.metadata(of: source.header))
        let output = ByteBuffer()
        try ImageDestination(format: format, options: options).encode(source, to: output)
        return try ImageSource.decode(output.bytes, options: DecodingOptions(color: .asStored))
    }

    @Test("All metadata is kept", arguments: [ImageFormat.jpeg, .png], [ImageFormat.jpeg, .png])
    func everythingIsKept(from: ImageFormat, to: ImageFormat) throws {
        let result = try converted(file(from), to: to, .all)
        let metadata = result.header.metadata
        // Turned once, and nothing asks for it again.
        #expect(result.header.storedSize == PixelSize(width: 16, height: 24))
        #expect(metadata.orientation == .up)
        #expect(metadata.exif?.starts(with: Self.exif.prefix(18) + [0, 1]) ?? false)
        #expect(metadata.embeddedThumbnail == nil)
        let turned = String(decoding: Self.xmp, as: UTF8.self).replacing("6", with: "1")
        #expect(metadata.xmp == Array(turned.utf8))
        #expect(abs((metadata.resolution?.horizontal ?? 0) - 150) < 0.02)
        #expect(abs((metadata.resolution?.vertical ?? 0) - 300) < 0.02)
        #expect(result.header.profile == .icc(TestProfiles.wideRGB))
    }

    /// What cameras and Ultra HDR encoders write, and what of it still holds without the map.
    private static let gainMapPackets: [(String, String)] = [
        (
            #"<rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" a='b'/>"#,
            "<rdf:Description a='b'/>"
        ),
        // A prefix of one's own, declared behind its use.
        (
            #"<d m:GainMapMin="0" keep="1" xmlns:m='http://ns.adobe.com/hdr-gain-map/1.0/'><m:Gamma><s><l>1</l></s></m:Gamma>x</d>"#,
            #"<d keep="1">x</d>"#
        ),
        (
            #"<d xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/">"#
                + "<C:Directory><q><l><C:Item I:Mime='image/jpeg' I:Length='7'/></l></q></C:Directory><k:a/></d>",
            "<d><k:a/></d>"
        ),
        (#"<d xmlns:A="http://ns.apple.com/HDRGainMap/1.0/"><A:V>65536</A:V><A:E/></d>"#, "<d></d>"),
        // The name in another namespace, and text that looks like it, stay.
        (
            #"<d xmlns:hdrgm="http://example.org/" hdrgm:Version="1">http://ns.adobe.com/hdr-gain-map/1.0/</d>"#,
            #"<d xmlns:hdrgm="http://example.org/" hdrgm:Version="1">http://ns.adobe.com/hdr-gain-map/1.0/</d>"#
        ),
    ]

    @Test("XMP about a gain map is dropped with the map", arguments: gainMapPackets)
    func gainMaps(stored: String, kept: String) {
        func result(_ xmp: [UInt8]) -> [UInt8]? {
            let header = ImageHeader(
                format: .jpeg, storedSize: PixelSize(width: 1, height: 1), colorModel: .rgb,
                metadata: ImageMetadata(xmp: xmp))
            return MetadataPolicy.all.metadata(of: header).xmp
        }
        #expect(result(Array(stored.utf8)).map { String(decoding: $0, as: UTF8.self) } == kept)
        // Cut anywhere, nothing is added.
        for count in 0..<stored.utf8.count { #expect(result(Array(stored.utf8.prefix(count)))?.count ?? 0 <= count) }
    }

    @Test("XMP doesn't refer to the extended XMP that is dropped")
    func extendedXMP() throws {
        let packet = #"<d xmlns:n="http://ns.adobe.com/xmp/note/" n:HasExtendedXMP="DIGEST" a="1"/>"#
            .replacing("DIGEST", with: String(repeating: "0A", count: 16))
        let stored = ImageMetadata(xmp: Array(packet.utf8), extendedXMP: Array("<x/>".utf8))
        let file = try ImageDestination(format: .jpeg, options: EncodingOptions(metadata: stored))
            .encode(Bitmap.pattern(24, 16, alpha: AlphaMode.none))
        #expect(try ImageSource.header(of: file).metadata.extendedXMP == stored.extendedXMP)
        for format in [ImageFormat.jpeg, .png] {
            let metadata = try converted(file, to: format, .all).header.metadata
            #expect(metadata.xmp == Array(#"<d a="1"/>"#.utf8) && metadata.extendedXMP == nil)
        }
    }

    @Test(
        "Only the profile is kept, or nothing", arguments: [ImageFormat.jpeg, .png], [MetadataPolicy.profile, .none])
    func onlyTheProfileIsKeptOrNothing(from: ImageFormat, policy: MetadataPolicy) throws {
        let result = try converted(file(from), to: .png, policy)
        #expect(result.header.metadata == ImageMetadata())
        #expect(result.header.storedSize == PixelSize(width: 16, height: 24))
        #expect(result.header.profile == (policy == .profile ? .icc(TestProfiles.wideRGB) : .sRGB))
        let expected = try ImageSource.decode(file(from), options: DecodingOptions(color: policy.color)).bitmap
        #expect(result.bitmap.tightBytes() == expected.tightBytes())
    }

    @Test("The resolution rotates with the image", arguments: Orientation.allCases)
    func theResolutionIsTurnedWithThePicture(orientation: Orientation) {
        let header = ImageHeader(
            format: .tiff, storedSize: PixelSize(width: 5, height: 5), colorModel: .gray,
            metadata: ImageMetadata(
                orientation: orientation, resolution: .init(horizontal: 10, vertical: 20), hotSpot: .init(x: 1, y: 2)))
        let kept = MetadataPolicy.all.metadata(of: header)
        #expect(kept.resolution?.horizontal == (orientation.swapsSides ? 20 : 10))
        #expect(kept.orientation == .up && kept.exif == nil && kept.xmp == nil)
        for policy in MetadataPolicy.allCases { #expect(policy.metadata(of: header).hotSpot == .init(x: 1, y: 2)) }
    }
}
