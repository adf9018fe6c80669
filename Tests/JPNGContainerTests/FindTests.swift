import Testing

import JPNGContainer

@Suite("Finding a JPNG in bytes")
struct FindTests {
    @Test(
        "All three spellings of the identifier are read",
        arguments: [
            ("GNPJ", JPNGFooter.Identifier.standard), ("GEPJ", .misspelled), ("JPNG", .literal),
        ] as [(String, JPNGFooter.Identifier)])
    func identifiers(spelling: String, identifier: JPNGFooter.Identifier) throws {
        let bytes = FileBuilder(identifier: spelling).bytes
        let container = try #require(try JPNGContainer.find(in: bytes.span.bytes))
        #expect(container.footer.identifier == identifier)
        #expect(identifier.spelling == spelling)
    }

    @Test("The written identifier is the constant")
    func constant() {
        #expect(JPNGIdentifier == JPNGFooter.Identifier.standard.rawValue)
    }

    @Test("Ranges cover the file part by part")
    func ranges() throws {
        let bytes = FileBuilder(slack: [1, 2, 3]).bytes
        let container = try #require(try JPNGContainer.find(in: bytes.span.bytes))
        #expect(container.colorRange == 0..<4)
        #expect(container.maskRange == 4..<13)
        #expect(container.slackRange == 13..<16)
        #expect(container.footerRange == 16..<32)
        #expect(container.byteCount == 32)
        let color = container.color(of: bytes.span.bytes)
        #expect(color.withUnsafeBytes { Array($0) } == Part.jpeg)
        let mask = container.mask(of: bytes.span.bytes)
        #expect(mask.withUnsafeBytes { Array($0) } == Part.png)
    }

    @Test(
        "The mask's kind is decided by its signature, not by the version",
        arguments: [
            (Part.png, UInt8(1), JPNGMaskKind.png), (Part.png, 2, .png), (Part.jpeg, 1, .jpeg), (Part.jpeg, 2, .jpeg),
        ] as [([UInt8], UInt8, JPNGMaskKind)])
    func maskKind(mask: [UInt8], major: UInt8, kind: JPNGMaskKind) throws {
        let bytes = FileBuilder(mask: mask, major: major).bytes
        let container = try #require(try JPNGContainer.find(in: bytes.span.bytes))
        #expect(container.maskKind == kind)
        #expect(container.footer.majorVersion == major)
    }

    @Test("Every minor version is accepted", arguments: [0, 1, 7, 255] as [UInt8])
    func minorVersions(minor: UInt8) throws {
        let bytes = FileBuilder(minor: minor).bytes
        #expect(try JPNGContainer.find(in: bytes.span.bytes)?.footer.minorVersion == minor)
    }

    @Test("A newer minor version may have a longer footer, which isn't padding")
    func longerFooter() throws {
        let bytes = FileBuilder(slack: [9], extensionFields: [1, 2, 3, 4], minor: 1).bytes
        let container = try #require(try JPNGContainer.find(in: bytes.span.bytes))
        #expect(container.slackRange == 13..<14)
        #expect(container.footerRange == 14..<34)
    }

    @Test(
        "Bytes that aren't a JPNG are no error",
        arguments: [
            [],
            Array("GNPJ".utf8),
            Part.jpeg,
            Part.png + FileBuilder().bytes.suffix(16),
            FileBuilder(identifier: "GNPj").bytes,
            FileBuilder(identifier: "JPEG").bytes,
            FileBuilder().bytes.dropLast(),
            FileBuilder().bytes + [0],
            [0xFF, 0xD8] + Array("GNPJ".utf8),
            [0xD8, 0xFF] + FileBuilder().bytes,
        ] as [[UInt8]])
    func notJPNG(bytes: [UInt8]) throws {
        #expect(try JPNGContainer.find(in: bytes.span.bytes) == nil)
        #expect(caught { () throws(JPNGError) in try JPNGContainer(verifying: bytes.span.bytes) } != nil)
    }

    @Test(
        "A check reports why bytes aren't a JPNG",
        arguments: [
            ([], JPNGError.Code.truncated, 0),
            (Array("GNPJ".utf8), .truncated, 0),
            (FileBuilder(identifier: "none").bytes, .unknownIdentifier, 25),
            (Part.png + FileBuilder(color: [], mask: []).bytes, .invalidColorPart, 0),
        ] as [([UInt8], JPNGError.Code, Int64)])
    func reasons(bytes: [UInt8], code: JPNGError.Code, offset: Int64) throws {
        let error = try #require(caught { () throws(JPNGError) in try JPNGContainer(verifying: bytes.span.bytes) })
        #expect(error.code == code)
        #expect(error.offset == offset)
    }
}
