import Testing

import JPEGBitstream

@Suite("Walking markers")
struct WalkTests {
    @Test("An ordinary JPEG has its segments, frame, scan and end")
    func ordinary() throws {
        let bytes = JPEGBuilder.image {
            $0.segment(0xE0, [1, 2, 3])
            $0.frame(width: 640, height: 480)
            $0.scan(data: [1, 2, 3, 4])
        }
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.failure == nil)
        #expect(structure.segments.map(\.marker.description) == ["SOI", "APP0", "SOF0", "SOS", "EOI"])
        #expect(structure.segments.map(\.offset) == [0, 2, 9, 28, 46])
        #expect(structure.segments.map(\.payload) == [2..<2, 6..<9, 13..<28, 32..<42, 48..<48])
        #expect(structure.segmentCount == 5)
        #expect(structure.endOffset == bytes.count)
        #expect(structure.extraneousByteCount == 0)
        #expect(!structure.isTruncated)

        let frame = try #require(structure.frame)
        #expect(frame.process == .baseline)
        #expect(frame.precision == 8)
        #expect((frame.width, structure.height) == (640, 480))
        #expect(frame.components.map(\.identifier) == [1, 2, 3])
        #expect(frame.components.map(\.horizontalSampling) == [2, 1, 1])
        #expect(frame.components.map(\.verticalSampling) == [2, 1, 1])
        #expect(frame.components.map(\.quantizationTable) == [0, 1, 1])

        let scan = try #require(structure.scans.first)
        #expect(structure.scanCount == 1)
        #expect((scan.offset, scan.dataOffset, scan.endOffset) == (28, 42, 46))
        #expect(scan.components.map(\.identifier) == [1, 2, 3])
        #expect(scan.components.map(\.dcTable) == [0, 1, 1])
        #expect(scan.components.map(\.acTable) == [0, 1, 1])
        #expect((scan.spectralStart, scan.spectralEnd, scan.approximationHigh, scan.approximationLow) == (0, 63, 0, 0))
    }

    @Test("Thumbnails, bytes that look like markers, stuffing, fill and restarts are distinguished")
    func intricate() throws {
        let file = intricateJPEG
        let structure = JPEGStructure(of: file.span.bytes)
        #expect(structure.failure == nil)
        #expect(
            structure.segments.map(\.marker.description)
                == [
                    "SOI", "APP0", "APP1", "APP13", "DQT", "DRI", "SOF2", "COM", "SOS", "DHT", "DRI", "SOS", "SOS",
                    "COM", "EOI",
                ])
        #expect(structure.frame?.process == .progressive)
        #expect(structure.frame?.width == 300)
        #expect(structure.scanCount == 3)
        #expect(structure.completedScanCount == 3)
        #expect(structure.scans.map(\.restartCount) == [2, 0, 0])
        #expect(structure.scans.map(\.restartInterval) == [5, 0, 0])
        #expect(structure.scans.map(\.approximationLow) == [1, 0, 0])
        #expect(structure.scans.map(\.approximationHigh) == [0, 0, 1])
        #expect(structure.scans.allSatisfy { $0.isComplete })
        // Two impossible codes within a scan, and the bytes after the comment; those before it still belong to the scan.
        #expect(structure.extraneousByteCount == 4 + 4)
        let thumbnail = JPEGBuilder.image {
            $0.frame(width: 4, height: 4)
            $0.scan()
        }
        let end = try #require(structure.endOffset)
        #expect(Array(intricateJPEG[end...]) == thumbnail)
        for segment in structure.segments {
            #expect(intricateJPEG[segment.offset] == 0xFF)
            #expect(intricateJPEG[segment.offset + 1] == segment.marker.rawValue)
        }
        for scan in structure.scans {
            #expect(intricateJPEG[scan.offset + 1] == 0xDA)
            let next = try #require(scan.endOffset)
            #expect(intricateJPEG[next] == 0xFF && intricateJPEG[next + 1] >= 0xC0)
        }
    }

    @Test(
        "Each frame marker names its process",
        arguments: [
            (UInt8(0xC0), JPEGFrame.Process.baseline, false, false), (0xC1, .extended, false, false),
            (0xC2, .progressive, false, false), (0xC3, .lossless, false, false), (0xC5, .extended, true, false),
            (0xC6, .progressive, true, false), (0xC7, .lossless, true, false), (0xC9, .extended, false, true),
            (0xCA, .progressive, false, true), (0xCB, .lossless, false, true), (0xCD, .extended, true, true),
            (0xCE, .progressive, true, true), (0xCF, .lossless, true, true),
        ] as [(UInt8, JPEGFrame.Process, Bool, Bool)])
    func processes(code: UInt8, process: JPEGFrame.Process, differential: Bool, arithmetic: Bool) throws {
        let bytes = JPEGBuilder.image {
            $0.frame(code, precision: 12)
            $0.scan()
        }
        let frame = try #require(JPEGStructure(of: bytes.span.bytes).frame)
        #expect(frame.process == process)
        #expect(frame.isDifferential == differential)
        #expect(frame.isArithmetic == arithmetic)
        #expect(frame.precision == 12)
    }

    @Test("A height of 0 is the DNL marker's")
    func numberOfLines() {
        let bytes = JPEGBuilder.image {
            $0.frame(width: 16, height: 0)
            $0.scan()
            $0.segment(0xDC, [1, 2])
        }
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.frame?.height == 0)
        #expect(structure.numberOfLines == 258)
        #expect(structure.height == 258)

        let header = JPEGStructure(of: Array(bytes.dropLast(8)).span.bytes)
        #expect(header.frame != nil)
        #expect(header.height == nil)
    }

    @Test("Fill bytes before a marker belong to no segment")
    func fillBytes() {
        let bytes = JPEGBuilder.image {
            $0.raw([0xFF, 0xFF])
            $0.segment(0xFE, [5])
        }
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.segments.map(\.offset) == [0, 4, 9])
        #expect(structure.extraneousByteCount == 0)
    }

    @Test("Restart markers and TEM outside of scans are ignored")
    func standaloneMarkers() {
        let bytes = JPEGBuilder.image {
            $0.marker(0xD3)
            $0.marker(0x01)
            $0.segment(0xFE, [])
        }
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.failure == nil)
        #expect(structure.segments.map(\.marker) == [.startOfImage, .comment, .endOfImage])
    }

    @Test(
        "Marker names are the standard's",
        arguments: [
            (JPEGMarker.startOfImage, "SOI"), (.endOfImage, "EOI"), (.startOfScan, "SOS"), (.quantizationTables, "DQT"),
            (.huffmanTables, "DHT"), (.arithmeticConditioning, "DAC"), (.numberOfLines, "DNL"),
            (.restartInterval, "DRI"),
            (.comment, "COM"), (.application(14), "APP14"), (.startOfFrame(2), "SOF2"), (.restart(7), "RST7"),
            (JPEGMarker(rawValue: 0x02), "FF02"), (JPEGMarker(rawValue: 0xBF), "FFBF"),
            (JPEGMarker(rawValue: 0xF7), "JPG7"),
            (JPEGMarker(rawValue: 0xDE), "DHP"), (JPEGMarker(rawValue: 0xDF), "EXP"),
            (JPEGMarker(rawValue: 0xC8), "JPG"),
            (JPEGMarker(rawValue: 0x01), "TEM"),
        ] as [(JPEGMarker, String)])
    func names(marker: JPEGMarker, name: String) {
        #expect(marker.description == name)
    }
}
