import Testing

import JPNGContainer

@Suite("The footer alone")
struct FooterTests {
    @Test("The bytes written are those of the format's table")
    func written() throws {
        let footer = try JPNGFooter(imageSize: 0x0102_0304, maskSize: 0x0506_0708, maskKind: .png)
        #expect(
            footer.bytes == [4, 3, 2, 1, 8, 7, 6, 5, 16, 0, 1, 0, 0x47, 0x4E, 0x50, 0x4A])
        let second = try JPNGFooter(imageSize: 2, maskSize: 2, maskKind: .jpeg)
        #expect(second.bytes[10] == 2)
    }

    @Test("A written footer is read back")
    func roundTrip() throws {
        let footer = try JPNGFooter(imageSize: Int(UInt32.max), maskSize: 7, maskKind: .jpeg)
        let bytes = footer.bytes
        let length = Int64(UInt32.max) + 7 + 16
        #expect(try JPNGFooter.read(tail: bytes.span.bytes, totalLength: length) == footer)
        #expect(footer.colorRange == 0..<Int64(UInt32.max))
        #expect(footer.maskRange == Int64(UInt32.max)..<Int64(UInt32.max) + 7)
    }

    @Test(
        "A size that a footer can't store is refused",
        arguments: [(4_294_967_296, 1), (1, 4_294_967_296), (-1, 1), (.max, .max)] as [(Int, Int)])
    func partTooLarge(imageSize: Int, maskSize: Int) {
        let error = caught { () throws(JPNGError) in
            try JPNGFooter(imageSize: imageSize, maskSize: maskSize, maskKind: .png)
        }
        #expect(error?.code == .partTooLarge)
    }

    @Test("The last 16 bytes and the length suffice")
    func tailOnly() throws {
        let file = FileBuilder(slack: [0, 0]).bytes
        let whole = try JPNGFooter.read(tail: file.span.bytes, totalLength: Int64(file.count))
        for count in 16..<file.count {
            let tail = Array(file.suffix(count))
            #expect(try JPNGFooter.read(tail: tail.span.bytes, totalLength: Int64(file.count)) == whole)
        }
    }

    @Test(
        "Sizes are checked against the exact length, beyond 4 GiB too",
        arguments: [
            (Int64(8_589_934_590 + 16), true), (8_589_934_590 + 15, false), (Int64.max, true), (16, false),
        ] as [(Int64, Bool)])
    func lengths(totalLength: Int64, fits: Bool) throws {
        let tail = FileBuilder(imageSize: .max, maskSize: .max).bytes.suffix(16)
        let error = caught { () throws(JPNGError) in
            try JPNGFooter.read(tail: Array(tail).span.bytes, totalLength: totalLength)
        }
        #expect(error?.code == (fits ? nil : .sizesExceedFile))
        #expect(error?.offset == (fits ? nil : totalLength - 16))
    }

    @Test("A tail that is too short is nil to a reader and an error to a check", arguments: 0..<16)
    func shortTail(count: Int) {
        let tail = Array(FileBuilder().bytes.suffix(count))
        #expect(throws: Never.self) { try JPNGFooter.read(tail: tail.span.bytes, totalLength: 1000) == nil }
        let error = caught { () throws(JPNGError) in try JPNGFooter(tail: tail.span.bytes, totalLength: 1000) }
        #expect(error?.code == .truncated)
    }

    @Test("A length that contradicts the tail is an error", arguments: [Int64.min, -1, 0, 15])
    func absurdLengths(totalLength: Int64) {
        let tail = FileBuilder().bytes
        let error = caught { () throws(JPNGError) in
            try JPNGFooter.read(tail: tail.span.bytes, totalLength: totalLength)
        }
        #expect(error?.code == .truncated)
    }
}
