import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Gain map metadata")
struct GainMapMetadataTests {
    private static let all = [
        GainMapFixture.gray, GainMapFixture.colored,
        GainMapMetadata(
            .init(minimum: -1.25, maximum: 1 / 3, gamma: 0.1, baseOffset: 1e-5, alternateOffset: -0.5),
            baseHeadroom: 3.7, alternateHeadroom: 0, usesBaseColorSpace: true),
        GainMapMetadata(.init(minimum: 0, maximum: 5.6223), alternateHeadroom: 5.6223),
    ]

    @Test("Both forms give the same numbers again", arguments: all)
    func roundTrip(metadata: GainMapMetadata) throws {
        #expect(try GainMapMetadata(iso21496: metadata.iso21496) == metadata)
        #expect(try GainMapMetadata(xmp: metadata.xmp) == metadata)
    }

    @Test("A colour space other than the base's is in the binary form only")
    func colorSpace() throws {
        var metadata = GainMapFixture.colored
        metadata.usesBaseColorSpace = false
        #expect(try GainMapMetadata(iso21496: metadata.iso21496) == metadata)
        #expect(try GainMapMetadata(xmp: metadata.xmp)?.usesBaseColorSpace == true)
    }

    /// A block of one channel: the flags, then fractions.
    static func block(
        flags: UInt8 = 0x40, version: [UInt8] = [0, 0, 0, 0], _ fractions: [(Int, Int)], common: Int? = nil
    ) -> [UInt8] {
        func bytes(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        return version + [flags] + (common.map(bytes) ?? [])
            + fractions.flatMap { common == nil ? bytes($0.0) + bytes($0.1) : bytes($0.0) }
    }
    static let valid = [(0, 1), (5, 2), (-1, 4), (5, 2), (3, 4), (1, 64), (-1, 128)]

    @Test("The binary form is read")
    func binary() throws {
        let expected = GainMapMetadata(
            .init(minimum: -0.25, maximum: 2.5, gamma: 0.75, baseOffset: 1 / 64, alternateOffset: -1 / 128),
            alternateHeadroom: 2.5)
        #expect(try GainMapMetadata(iso21496: Self.block(Self.valid)) == expected)
        // A later writer, whose files readers of version 0 can use.
        #expect(try GainMapMetadata(iso21496: Self.block(version: [0, 0, 0, 9], Self.valid)) == expected)
        let hundredths = [(0, 0), (250, 0), (-25, 0), (250, 0), (75, 0), (2, 0), (-1, 0)]
        let common = try GainMapMetadata(iso21496: Self.block(flags: 0x48, hundredths, common: 100))
        #expect(
            common.red == .init(minimum: -0.25, maximum: 2.5, gamma: 0.75, baseOffset: 0.02, alternateOffset: -0.01))
    }

    @Test("A binary form that ends early is refused wherever it ends")
    func truncated() {
        let block = GainMapFixture.colored.iso21496
        for count in block.indices {
            #expect(errorCode { try GainMapMetadata(iso21496: Array(block[..<count])) } == .truncated, "\(count)")
        }
    }

    @Test(
        "Invalid numbers are refused in the binary form",
        arguments: [
            (1, (-1, 1)), (1, (1 << 31, 1)), (1, (1, 0)), (2, (3, 1)), (2, (1, 0)), (3, (33, 1)), (3, (-3, 1)),
            (4, (0, 1)), (4, (0, 0)), (4, (1, 4096)), (4, (2048, 1)), (5, (40, 1)), (6, (-40, 1)), (6, (1, 0)),
        ])
    func invalidBinary(index: Int, fraction: (Int, Int)) {
        var fractions = Self.valid
        fractions[index] = fraction
        #expect(errorCode { try GainMapMetadata(iso21496: Self.block(fractions)) } == .corrupt)
    }

    @Test("A version that requires a later reader, and a common denominator of 0, are refused")
    func otherVersions() {
        #expect(
            errorCode { try GainMapMetadata(iso21496: Self.block(version: [0, 1, 0, 1], Self.valid)) } == .unsupported)
        #expect(
            errorCode { try GainMapMetadata(iso21496: Self.block(flags: 8, Self.valid, common: 0)) } == .corrupt)
    }

    /// A packet with these properties as attributes.
    private static func packet(_ attributes: String, content: String = "") -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:h="http://ns.adobe.com/hdr-gain-map/1.0/" \(attributes)>\(content)
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    @Test("Properties are read as attributes, elements and lists, with the specification's defaults")
    func properties() throws {
        let least = try GainMapMetadata(xmp: Self.packet(#"h:Version="1.0" h:GainMapMax="3""#))
        #expect(least == GainMapMetadata(.init(minimum: 0, maximum: 3), alternateHeadroom: 1))
        let lists = try GainMapMetadata(
            xmp: Self.packet(
                #"h:Version="1.0" h:HDRCapacityMax="2""#,
                content: """
                    <h:GainMapMax> <rdf:Seq><rdf:li>1</rdf:li><rdf:li> 2.5 </rdf:li><rdf:li>3</rdf:li></rdf:Seq></h:GainMapMax>
                    <h:Gamma>0.5</h:Gamma>
                    """))
        #expect(lists?.red.maximum == 1 && lists?.green.maximum == 2.5 && lists?.blue.maximum == 3)
        #expect(lists?.blue.gamma == 0.5 && lists?.alternateHeadroom == 2)
        let high = try GainMapMetadata(
            xmp: Self.packet(
                #"h:Version="1.0" h:GainMapMax="3" h:BaseRenditionIsHDR="True" h:HDRCapacityMax="2" h:OffsetHDR="0""#))
        #expect(high?.isBaseHigher == true && high?.baseHeadroom == 2 && high?.red.baseOffset == 0)
    }

    @Test("A packet without a map's properties isn't a map's")
    func noProperties() throws {
        #expect(try GainMapMetadata(xmp: Self.packet("")) == nil)
        #expect(try GainMapMetadata(xmp: Self.packet(#"h:Version="1.0""#)) == nil)
        #expect(try GainMapMetadata(xmp: []) == nil)
    }

    @Test(
        "Invalid properties are refused",
        arguments: [
            #"h:Gamma="1""#, #"h:GainMapMax="many""#, #"h:GainMapMax="nan""#, #"h:GainMapMax="inf""#,
            #"h:GainMapMax="1e300""#, #"h:GainMapMax="1" h:GainMapMin="2""#, #"h:GainMapMax="1" h:Gamma="0""#,
            #"h:GainMapMax="1" h:Gamma="-1""#, #"h:GainMapMax="1" h:HDRCapacityMax="-1""#,
            #"h:GainMapMax="1" h:OffsetSDR="nan""#, #"h:GainMapMax="1" h:OffsetHDR="-inf""#, #"h:GainMapMax="""#,
        ])
    func invalidProperties(attributes: String) {
        #expect(errorCode { try GainMapMetadata(xmp: Self.packet(#"h:Version="1.0" "# + attributes)) } == .corrupt)
    }

    @Test("Lists of two and properties of another version are refused")
    func otherLists() {
        let two = "<h:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Seq></h:GainMapMax>"
        #expect(errorCode { try GainMapMetadata(xmp: Self.packet(#"h:Version="1.0""#, content: two)) } == .corrupt)
        #expect(
            errorCode { try GainMapMetadata(xmp: Self.packet(#"h:Version="2.0" h:GainMapMax="1""#)) } == .unsupported)
    }
}
