import ImageServer
import Testing

@Suite("Byte ranges of a file")
struct ByteRangeTests {
    @Test(
        "A Range field is satisfiable, unsatisfiable or ignored",
        arguments: [
            (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=2-100", .part(2..<10)), ("bytes=9-9", .part(9..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=10-12", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=5-4", .whole), ("bytes=0-1,3-4", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=1-x", .whole), ("bytes=x-1", .whole), ("chars=0-1", .whole),
            ("bytes=99999999999999999999-", .whole), ("bytes=--1", .whole), ("bytes=+1-2", .whole),
        ] as [(String?, ByteRange)])
    func fields(_ field: String?, _ range: ByteRange) {
        #expect(ByteRange(field, of: 10) == range)
    }

    @Test("An empty file has no bytes")
    func empty() {
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", of: 0) == .unsatisfiable)
    }
}
