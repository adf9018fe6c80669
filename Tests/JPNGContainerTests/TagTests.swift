import Foundation
import Testing

import JPNGContainer

private let samples = ProcessInfo.processInfo.environment["TESSERA_SAMPLES"]

/// The range of the tag in a JPEG.
private func tagRange(_ color: [UInt8]) -> Range<Int>? {
    JPNGTag.range(in: color.span.bytes)
}

private func added(_ file: [UInt8]) throws(JPNGError) -> [UInt8]? {
    try JPNGContainer.tagging(file.span.bytes)
}

private func removed(_ file: [UInt8]) throws(JPNGError) -> [UInt8]? {
    try JPNGContainer.untagging(file.span.bytes)
}

private func joined(_ color: [UInt8], _ mask: [UInt8], isTagged: Bool = true) throws(JPNGError) -> [UInt8] {
    try JPNGContainer.join(color: color.span.bytes, mask: mask.span.bytes, isTagged: isTagged)
}

@Suite("The tag of a JPNG")
struct TagTests {
    private static let tag: [UInt8] = [0xFF, 0xEA, 0x00, 0x07] + Array("JPNG".utf8) + [0x00]
    /// JFIF 1.1 without a thumbnail.
    private static let jfif: [UInt8] =
        [0xFF, 0xE0, 0x00, 0x10] + Array("JFIF".utf8) + [0x00, 1, 1, 0, 0, 1, 0, 1, 0, 0]
    private static let start: [UInt8] = [0xFF, 0xD8]
    private static let end: [UInt8] = [0xFF, 0xD9]

    @Test("The segment is APP10 with the letters and a zero")
    func bytes() {
        #expect(JPNGTag.bytes == Self.tag)
    }

    @Test(
        "The tag belongs after JFIF's segment, or after the start of image",
        arguments: [
            (start + jfif + end, 20), (start + end, 2), (start, 2), (start + [0xFF, 0xE1, 0, 4, 1, 2] + end, 2),
            // JFIF with a thumbnail of one pixel; another APP0; one that ends too early.
            (start + [0xFF, 0xE0, 0, 19] + Array(jfif[4...]) + [9, 9, 9] + end, 23),
            (start + [0xFF, 0xE0, 0, 6, 1, 2, 3, 4] + end, 2), (start + jfif.dropLast(), nil),
            ([], nil), ([0xFF], nil), (Part.png, nil),
        ] as [([UInt8], Int?)])
    func places(color: [UInt8], place: Int?) {
        let found = JPNGTag.place(in: color.span.bytes)
        #expect(found == place)
        #expect(tagRange(color) == nil)
        guard let place else { return }
        var tagged = color
        tagged.insert(contentsOf: Self.tag, at: place)
        #expect(tagRange(tagged) == place..<(place + 9))
    }

    @Test("Bytes after the letters belong to the tag, and other segments aren't one")
    func forms() {
        func range(_ segment: [UInt8]) -> Range<Int>? { tagRange(Self.start + segment + Self.end) }
        #expect(range([0xFF, 0xEA, 0, 9] + Self.tag[4...] + [1, 2]) == 2..<13)
        #expect(range([0xFF, 0xEB, 0, 7] + Self.tag[4...]) == nil)
        #expect(range([0xFF, 0xEA, 0, 7] + Array("JPNGx".utf8)) == nil)
        // A length that is too short for the letters, and one beyond the end.
        #expect(range([0xFF, 0xEA, 0, 6] + Self.tag[4...]) == nil)
        #expect(range([0xFF, 0xEA, 1, 0] + Self.tag[4...]) == nil)
        for count in 0..<9 { #expect(tagRange(Self.start + Self.tag.prefix(count)) == nil) }
    }

    @Test("Tagging changes the colour part's size only, and untagging restores the file")
    func tagging() throws {
        let file = FileBuilder(
            color: Self.start + Self.jfif + Self.end, slack: [7, 7, 7], extensionFields: [1, 2], minor: 1,
            identifier: "GEPJ")
        var expected = file
        expected.color.insert(contentsOf: Self.tag, at: 20)
        let tagged = try #require(try added(file.bytes))
        #expect(tagged == expected.bytes)
        #expect(try added(tagged) == nil)
        #expect(try removed(tagged) == file.bytes)
        #expect(try removed(file.bytes) == nil)
    }

    @Test("Joining tags the colour part once, or not at all")
    func joining() throws {
        let (color, mask) = (Self.start + Self.jfif + Self.end, Part.png)
        let tagged = try joined(color, mask)
        #expect(Array(tagged[20..<29]) == Self.tag)
        let part = Array(tagged[try JPNGContainer(verifying: tagged.span.bytes).colorRange])
        #expect(try joined(part, mask) == tagged)
        #expect(try joined(color, mask, isTagged: false) == FileBuilder(color: color).bytes)
        // A part that ends within JFIF's segment has no place for it.
        let short = Array(color.prefix(12))
        #expect(try joined(short, mask).starts(with: short + mask))
    }

    @Test("A file that isn't a JPNG, or has no place or no room for a tag, is refused")
    func refused() {
        for file in [[], Part.jpeg, FileBuilder(major: 9).bytes] {
            #expect(caught { () throws(JPNGError) in try added(file) } != nil)
            #expect(caught { () throws(JPNGError) in try removed(file) } != nil)
        }
        let short = FileBuilder(color: Array((Self.start + Self.jfif).prefix(12))).bytes
        let error = caught { () throws(JPNGError) in try added(short) }
        #expect(error?.code == .invalidColorPart)
    }

    @Test("Real files keep every byte", .enabled(if: samples != nil, "TESSERA_SAMPLES is not set"))
    func realFiles() throws {
        for name in ["64x64.jpng", "Lake.jpng"] {
            let file = [UInt8](try Data(contentsOf: URL(filePath: samples!).appending(path: "jpng/\(name)")))
            let tagged = try #require(try added(file))
            #expect(tagged.count == file.count + 9)
            #expect(try removed(tagged) == file)
            let (old, new) = (
                try JPNGContainer(verifying: file.span.bytes), try JPNGContainer(verifying: tagged.span.bytes)
            )
            #expect(Array(file[old.maskRange]) == Array(tagged[new.maskRange]))
        }
    }
}
