import Testing

import JPNGContainer

@Suite("Hostile footers")
struct HostileFooterTests {
    /// The file that all cases vary has 4 bytes of JPEG, 9 of PNG and the footer at byte 13.
    static let cases: [(FileBuilder, JPNGError.Code, Int64)] = [
        (FileBuilder(imageSize: .max), .sizesExceedFile, 13),
        (FileBuilder(maskSize: .max), .sizesExceedFile, 13),
        (FileBuilder(imageSize: .max, maskSize: .max), .sizesExceedFile, 13),
        // Sums that wrap around 32 bits to the right size, and to less.
        (FileBuilder(imageSize: 0xFFFF_FFFC, maskSize: 17), .sizesExceedFile, 13),
        (FileBuilder(imageSize: 4, maskSize: 0xFFFF_FFFC), .sizesExceedFile, 13),
        (FileBuilder(imageSize: 0x8000_0000, maskSize: 0x8000_0000), .sizesExceedFile, 13),
        (FileBuilder(imageSize: 0x7FFF_FFFF, maskSize: 1), .sizesExceedFile, 13),
        // One byte too many, and parts that would reach into the footer.
        (FileBuilder(maskSize: 10), .sizesExceedFile, 13),
        (FileBuilder(imageSize: 5), .sizesExceedFile, 13),
        (FileBuilder(maskSize: 25), .sizesExceedFile, 13),
        // A colour part that can't hold a start-of-image marker.
        (FileBuilder(imageSize: 0), .invalidColorPart, 0),
        (FileBuilder(imageSize: 1), .invalidColorPart, 0),
        // Masks that are empty, cut off within the signature, or begin at the wrong byte.
        (FileBuilder(maskSize: 0), .invalidMaskPart, 4),
        (FileBuilder(maskSize: 7), .invalidMaskPart, 4),
        (FileBuilder(imageSize: 3), .invalidMaskPart, 3),
        (FileBuilder(mask: [0xFF], major: 2), .invalidMaskPart, 4),
        (FileBuilder(mask: Array("GIF89a--".utf8)), .invalidMaskPart, 4),
        (FileBuilder(imageSize: 13, maskSize: 0), .invalidMaskPart, 13),
        // Footer sizes.
        (FileBuilder(footerSize: 0), .invalidFooterSize, 21),
        (FileBuilder(footerSize: 15), .invalidFooterSize, 21),
        (FileBuilder(footerSize: 17), .invalidFooterSize, 21),
        (FileBuilder(footerSize: 0x1000), .invalidFooterSize, 21),
        (FileBuilder(footerSize: .max), .invalidFooterSize, 21),
        (FileBuilder(footerSize: 0, minor: 1), .invalidFooterSize, 21),
        (FileBuilder(footerSize: 15, minor: 1), .invalidFooterSize, 21),
        // A longer footer of a newer minor version takes its bytes from the parts.
        (FileBuilder(footerSize: 17, minor: 1), .sizesExceedFile, 13),
        (FileBuilder(footerSize: .max, minor: 255), .sizesExceedFile, 13),
        // Versions.
        (FileBuilder(major: 0), .unsupportedVersion, 23),
        (FileBuilder(major: 3), .unsupportedVersion, 23),
        (FileBuilder(major: 255, minor: 255), .unsupportedVersion, 23),
        (FileBuilder(imageSize: .max, footerSize: 99, major: 3), .unsupportedVersion, 23),
    ]

    @Test("A damaged footer throws a typed error with its offset", arguments: cases.indices, ["GNPJ", "GEPJ", "JPNG"])
    func refused(index: Int, identifier: String) throws {
        var (file, code, offset) = Self.cases[index]
        file.identifier = identifier
        let bytes = file.bytes
        let error = try #require(caught { () throws(JPNGError) in try JPNGContainer.find(in: bytes.span.bytes) })
        #expect(error.code == code)
        #expect(error.offset == offset)
        #expect(error.description.hasSuffix("(at byte \(offset))"))
        let verified = caught { () throws(JPNGError) in try JPNGContainer(verifying: bytes.span.bytes) }
        #expect(verified == error)
    }

    @Test(
        "Extreme sizes never trap", arguments: [16, 17, .max] as [UInt16], [0, 255] as [UInt8])
    func edges(footerSize: UInt16, minor: UInt8) {
        let edges: [UInt32] = [0, 1, 2, 3, 4, 5, 9, 13, 16, 29, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF0, .max]
        for image in edges {
            for mask in edges {
                let file = FileBuilder(imageSize: image, maskSize: mask, footerSize: footerSize, minor: minor)
                let bytes = file.bytes
                let container = try? JPNGContainer.find(in: bytes.span.bytes)
                // Only parts that begin where the JPEG and the PNG do, and a mask that holds a signature, can be found.
                let isRight = image == 4 && mask == 9 && footerSize == 16
                #expect((container != nil) == isRight, "\(image) \(mask)")
            }
        }
    }

    @Test("Every truncation of a valid file is nil or an error")
    func truncated() {
        let bytes = FileBuilder(slack: [0, 0]).bytes
        for length in 0..<bytes.count {
            let container = try? JPNGContainer.find(in: Array(bytes.prefix(length)).span.bytes)
            #expect(container == nil, "cut at \(length)")
        }
    }
}
