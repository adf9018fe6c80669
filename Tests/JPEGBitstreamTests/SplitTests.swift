import Testing

import JPEGBitstream

/// The structure that a walker reports when the bytes come in the given pieces.
func walk(_ bytes: [UInt8], splitAt boundaries: some Sequence<Int>) -> JPEGStructure {
    var walker = JPEGMarkerWalker()
    var start = 0
    for end in Array(boundaries) + [bytes.count] {
        try? walker.append(bytes.span.bytes.extracting(start..<end))
        start = end
    }
    try? walker.finish()
    return walker.structure
}

/// A small generator, the same numbers in every run, so that a split that fails fails again.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // Marsaglia's xorshift, 13, 7, 17.
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

@Suite("Bytes in pieces")
struct SplitTests {
    /// Good and bad bytes: what is found, the error among it, must not depend on the split.
    static let inputs: [[UInt8]] = [
        intricateJPEG,
        intricateJPEG.dropLast(60),
        JPEGBuilder.image { $0.frame() },
        JPEGBuilder.bytes {
            $0.marker(0xD8)
            $0.segment(0xFE, [1, 2])
            $0.marker(0x22)
            $0.frame()
        },
        JPEGBuilder.bytes {
            $0.marker(0xD8)
            $0.raw([0xFF, 0xE0, 0x00, 0x01, 0xFF, 0xD9])
        },
        [0xFF, 0xD9, 0xFF, 0xD8],
    ]

    @Test("Two chunks split at every byte give the same walk", arguments: inputs.indices)
    func twoPieces(index: Int) {
        let bytes = Self.inputs[index]
        let whole = JPEGStructure(of: bytes.span.bytes)
        for boundary in 0...bytes.count {
            #expect(walk(bytes, splitAt: [boundary]) == whole, "cut at \(boundary)")
        }
    }

    @Test("Chunks of any one size give the same walk", arguments: inputs.indices, [1, 2, 3, 7, 31, 33])
    func equalPieces(index: Int, length: Int) {
        let bytes = Self.inputs[index]
        let whole = JPEGStructure(of: bytes.span.bytes)
        #expect(walk(bytes, splitAt: stride(from: 0, to: bytes.count, by: length)) == whole)
    }

    @Test("Results grow with the bytes, and a prefix is truncated at its end")
    func prefixes() {
        var last = JPEGStructure()
        for length in 0..<intricateJPEG.count {
            let structure = JPEGStructure(of: Array(intricateJPEG.prefix(length)).span.bytes)
            #expect(structure.segmentCount >= last.segmentCount)
            #expect(structure.scanCount >= last.scanCount)
            #expect(structure.completedScanCount >= last.completedScanCount)
            #expect(structure.scanCount - structure.completedScanCount <= 1)
            #expect(structure.completedScanCount == structure.scans.count { $0.isComplete })
            if structure.endOffset == nil {
                #expect(structure.isTruncated)
                #expect(structure.failure?.offset == length)
            } else {
                #expect(structure.failure == nil)
            }
            last = structure
        }
    }

    @Test("A scan is complete when the next marker's code has arrived")
    func completion() throws {
        let bytes = JPEGBuilder.image {
            $0.frame()
            $0.scan(data: [1, 2])
        }
        var walker = JPEGMarkerWalker()
        try walker.append(Array(bytes.dropLast(1)).span.bytes)
        #expect(walker.structure.scanCount == 1)
        #expect(walker.structure.completedScanCount == 0)
        #expect(walker.structure.scans[0].endOffset == nil)
        #expect(!walker.isAtEnd)
        try walker.append(Array(bytes.suffix(1)).span.bytes)
        #expect(walker.structure.completedScanCount == 1)
        #expect(walker.structure.scans[0].endOffset == bytes.count - 2)
        #expect(walker.isAtEnd)
    }

    @Test("Bytes after the end are ignored")
    func afterTheEnd() throws {
        let bytes = JPEGBuilder.image { $0.frame() }
        var walker = JPEGMarkerWalker()
        let longer = bytes + [0xFF, 0xD8, 0xFF]
        try walker.append(longer.span.bytes)
        try walker.append(bytes.span.bytes)
        try walker.finish()
        #expect(walker.byteCount == bytes.count)
        #expect(walker.structure == JPEGStructure(of: bytes.span.bytes))
    }

    @Test("The search for FF finds every place at every length and alignment")
    func search() {
        for count in 0...70 {
            let none = [UInt8](repeating: 0xFE, count: count)
            for start in 0...count { #expect(none.span.bytes.firstFF(from: start) == count) }
            for place in 0..<count {
                // Neighbours whose complements are 0 and 1 off, where a borrow would show.
                var bytes = (0..<count).map { [0xFE, 0x7F, 0x00, 0x80][$0 & 3] as UInt8 }
                bytes[place] = 0xFF
                if place + 1 < count { bytes[place + 1] = 0xFE }
                for start in 0...place { #expect(bytes.span.bytes.firstFF(from: start) == place) }
            }
        }
    }
}
