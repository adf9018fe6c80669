import Testing

import JPNGContainer

@Suite("Joining a JPNG")
struct JoinTests {
    @Test(
        "Parts are joined by the format's table, with the version of the mask's kind",
        arguments: [
            (Part.png, 1), (Part.jpeg, 2),
        ] as [([UInt8], UInt8)])
    func joined(mask: [UInt8], major: UInt8) throws {
        let color = Part.jpeg
        let file = try JPNGContainer.join(color: color.span.bytes, mask: mask.span.bytes, isTagged: false)
        #expect(file == FileBuilder(mask: mask, major: major).bytes)
        let container = try JPNGContainer(verifying: file.span.bytes)
        #expect(container.slackRange.isEmpty)
        #expect(container.maskKind.majorVersion == major)
    }

    @Test(
        "Parts that couldn't be read back are refused",
        arguments: [
            ([], Part.png, JPNGError.Code.invalidColorPart),
            (Part.png, Part.png, .invalidColorPart),
            ([0xFF], Part.png, .invalidColorPart),
            (Part.jpeg, [], .invalidMaskPart),
            (Part.jpeg, Array(Part.png.prefix(7)), .invalidMaskPart),
            (Part.jpeg, [0, 1, 2, 3, 4, 5, 6, 7], .invalidMaskPart),
        ] as [([UInt8], [UInt8], JPNGError.Code)])
    func refused(color: [UInt8], mask: [UInt8], code: JPNGError.Code) {
        let error = caught { () throws(JPNGError) in
            try JPNGContainer.join(color: color.span.bytes, mask: mask.span.bytes)
        }
        #expect(error?.code == code)
        #expect(error?.offset == nil)
    }
}
