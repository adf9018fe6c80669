import Testing

import JPEGBitstream

@Suite("Damaged JPEGs")
struct DamageTests {
    static let cases: [([UInt8], JPEGBitstreamError.Code, Int)] = [
        ([], .truncated, 0),
        ([0xFF], .truncated, 1),
        ([0x89, 0x50], .missingStartOfImage, 0),
        ([0xFF, 0xFF, 0xD8], .missingStartOfImage, 0),
        ([0xFF, 0xD8], .truncated, 2),
        ([0xFF, 0xD8, 0xFF, 0xFF], .truncated, 4),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0x00], .truncated, 5),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x00], .invalidSegmentLength, 2),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x01], .invalidSegmentLength, 2),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 1, 2], .truncated, 8),
        ([0xFF, 0xD8, 0xFF, 0x02, 0x00, 0x02], .unexpectedMarker, 2),
        ([0xFF, 0xD8, 0xFF, 0xD8], .unexpectedMarker, 2),
        // A scan with no frame, with and without a header.
        (JPEGBuilder.image { $0.scan() }, .unexpectedMarker, 2),
        ([0xFF, 0xD8, 0xFF, 0xDA, 0x00, 0x02], .unexpectedMarker, 2),
        // Frames.
        (JPEGBuilder.image { $0.segment(0xC0, []) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.segment(0xC0, [8, 0, 1, 0, 1]) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.segment(0xC0, [8, 0, 1, 0, 1, 2, 1, 0x11, 0]) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.segment(0xC0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0, 9]) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.frame(components: []) }, .invalidFrame, 2),
        (JPEGBuilder.image { $0.frame(width: 0) }, .invalidFrame, 2),
        (JPEGBuilder.image { $0.frame(components: [(1, 0x01, 0)]) }, .invalidFrame, 2),
        (JPEGBuilder.image { $0.frame(components: [(1, 0x10, 0)]) }, .invalidFrame, 2),
        (JPEGBuilder.image { $0.frame(components: [(1, 0x11, 0), (2, 0x51, 0)]) }, .invalidFrame, 2),
        (JPEGBuilder.image { $0.frame(components: [(1, 0x1F, 0)]) }, .invalidFrame, 2),
        (
            JPEGBuilder.image {
                $0.frame(components: [(1, 0x11, 0)])
                $0.frame(0xC2)
            }, .unexpectedMarker, 15
        ),
        // Scans; the frame of one component takes bytes 2 to 14.
        (JPEGBuilder.image { $0.gray([]) }, .invalidSegmentLength, 15),
        (JPEGBuilder.image { $0.gray([1, 1, 0, 0, 63]) }, .invalidSegmentLength, 15),
        (JPEGBuilder.image { $0.gray([2, 1, 0, 0, 63, 0]) }, .invalidSegmentLength, 15),
        (JPEGBuilder.image { $0.gray([0, 0, 63, 0]) }, .invalidScan, 15),
        (JPEGBuilder.image { $0.gray([5] + [UInt8](repeating: 1, count: 10) + [0, 63, 0]) }, .invalidScan, 15),
        // Numbers of the wrong size.
        (JPEGBuilder.image { $0.segment(0xDD, [1]) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.segment(0xDD, [0, 1, 2]) }, .invalidSegmentLength, 2),
        (JPEGBuilder.image { $0.segment(0xDC, []) }, .invalidSegmentLength, 2),
        // Another JPEG where entropy-coded data should go on.
        (
            JPEGBuilder.image {
                $0.gray([1, 1, 0, 0, 63, 0])
                $0.raw([1, 2, 3, 0xFF, 0xD8])
            }, .unexpectedMarker, 28
        ),
    ]

    @Test("The walk stops with a typed error and its offset", arguments: cases.indices)
    func stopped(index: Int) throws {
        let (bytes, code, offset) = Self.cases[index]
        let structure = JPEGStructure(of: bytes.span.bytes)
        let failure = try #require(structure.failure)
        #expect(failure.code == code)
        #expect(failure.offset == offset)
        #expect(failure.description.hasSuffix("(at byte \(offset))"))
        #expect(structure.endOffset == nil)
    }

    @Test("An error is final")
    func errorStays() throws {
        var walker = JPEGMarkerWalker()
        let bad: [UInt8] = [0xFF, 0xD8, 0xFF, 0x02]
        let good = JPEGBuilder.image { $0.frame() }
        let first = try #require(throws: JPEGBitstreamError.self) { try walker.append(bad.span.bytes) }
        let second = try #require(throws: JPEGBitstreamError.self) { try walker.append(good.span.bytes) }
        let third = try #require(throws: JPEGBitstreamError.self) { try walker.finish() }
        #expect(first == second && second == third)
        #expect(walker.structure.frame == nil)
        #expect(walker.byteCount == bad.count)
    }

    @Test("Segments before a cut stay")
    func truncatedScan() {
        let bytes = JPEGBuilder.image {
            $0.frame(0xC2)
            $0.scan(data: [1])
            $0.scan(data: [2, 3])
        }
        let structure = JPEGStructure(of: Array(bytes.dropLast(2)).span.bytes)
        #expect(structure.isTruncated)
        #expect(structure.scanCount == 2)
        #expect(structure.completedScanCount == 1)
        #expect(structure.scans.map(\.isComplete) == [true, false])
        #expect(structure.failure?.message == "the JPEG ends within scan 2")
    }

    @Test("Records are limited, and counts aren't")
    func manyScans() {
        let one = JPEGBuilder.bytes { $0.scan([(1, 0)], data: [0xFF, 0xD0]) }
        let count = 300_000
        var bytes = JPEGBuilder.bytes {
            $0.marker(0xD8)
            $0.frame(0xC2)
        }
        for _ in 0..<count { bytes += one }
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.isTruncated)
        #expect(structure.scanCount == count)
        #expect(structure.completedScanCount == count - 1)
        #expect(structure.segmentCount == count + 2)
        #expect(structure.scans.count == JPEGMarkerWalker.defaultRecordLimit)
        #expect(structure.segments.count == JPEGMarkerWalker.defaultRecordLimit)
        #expect(structure.scans.last?.isComplete == true)
        #expect(structure.scans.last?.restartCount == 1)
    }

    @Test("The limit may be 0")
    func noRecords() {
        let file = intricateJPEG
        let structure = JPEGStructure(of: file.span.bytes, recording: 0)
        #expect(structure.segments.isEmpty && structure.scans.isEmpty)
        #expect(structure.segmentCount == 15)
        #expect(structure.completedScanCount == 3)
        #expect(structure.frame != nil)
        #expect(structure.failure == nil)
    }

    @Test("Changed bytes never trap, and offsets stay within the data")
    func changedBytes() {
        for index in intricateJPEG.indices {
            for value in [0x00, 0x01, 0x7F, 0xC0, 0xD8, 0xDA, 0xFF] as [UInt8] {
                var bytes = intricateJPEG
                bytes[index] = value
                let structure = JPEGStructure(of: bytes.span.bytes)
                #expect(structure.segments.allSatisfy { $0.offset >= 0 && $0.payload.upperBound <= bytes.count })
                #expect(structure.scans.allSatisfy { $0.dataOffset <= ($0.endOffset ?? bytes.count) })
            }
        }
    }
}

extension JPEGBuilder {
    /// A frame of one component and a scan header of the given payload.
    fileprivate mutating func gray(_ scan: [UInt8]) {
        frame(components: [(1, 0x11, 0)])
        segment(0xDA, scan)
    }
}
