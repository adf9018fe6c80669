import JPEGBitstream
import TestSupport
import Testing

@Suite("Index of JPEGs read in slices")
struct SlicedIndexTests {
    /// The index of a file as slices make it; nil where they make none.
    static func index(
        _ file: [UInt8], columnWidth: Int, sliceCount: Int, sliceByteCount: Int, pieceByteCount: Int
    ) throws -> JPEGTileIndex? {
        let bytes = file.span.bytes
        let layout = try JPEGTileLayout(header: bytes, columnWidth: columnWidth)
        let script = try JPEGScanScript(
            JPEGStructure(of: bytes), head: bytes, data: bytes, from: 0, scanCount: 1)
        let neededCounts = script.layout.components.map { _ in 1 }
        guard
            let scan = JPEGSlicedScan(
                script, neededCounts: neededCounts, sliceCount: sliceCount, sliceByteCount: sliceByteCount)
        else { return nil }
        scan.makeIndex(layout)
        let data = bytes.extracting(droppingFirst: layout.dataOffset)
        var (start, end) = (0, 0)
        while scan.mcuCount < scan.totalCount {
            guard !scan.isDamaged else { return nil }
            if let count = scan.prepare(
                data.extracting(start..<end), from: start, isFinished: end == data.byteCount)
            {
                // Their order doesn't matter.
                for slice in (0..<count).reversed() { scan.read(slice) }
                scan.join()
                scan.drop(before: scan.mcuCount)
                start = scan.taken
            } else {
                end = min(end + pieceByteCount, data.byteCount)
            }
        }
        return scan.index
    }

    @Test("Any slices and pieces give the index of one reader", arguments: TilePictures.kinds)
    func equality(kind: TilePictures.Kind) throws {
        guard TilePictures.cjpeg.isInstalled else { return }
        let file = try kind.file()
        // Of one component with a sampling of its own there are no slices.
        let isAlone = kind.arguments.contains("-grayscale") && kind.arguments.contains("2x2")
        for columnWidth in [1, 48, 256] {
            let expected = try JPEGTileIndex(of: file.span.bytes, columnWidth: columnWidth)
            for (sliceCount, sliceByteCount, pieceByteCount) in [(1, 4000, 900), (3, 150, 100), (8, 300, 100_000)] {
                let index = try Self.index(
                    file, columnWidth: columnWidth, sliceCount: sliceCount, sliceByteCount: sliceByteCount,
                    pieceByteCount: pieceByteCount)
                guard let index else {
                    #expect(isAlone)
                    continue
                }
                #expect(index.isComplete && index.hasEntries(of: expected), "\(sliceCount) × \(sliceByteCount) bytes")
            }
        }
    }

    @Test("A damaged file has the index of one reader, or none", .needs(TilePictures.cjpeg))
    func damaged() throws {
        var random = SeededGenerator(state: 6)
        var (complete, missing) = (0, 0)
        for arguments in [
            "-sample 2x2", "-sample 1x1 -restart 3B", "-grayscale -quality 95", "-sample 2x1 -restart 1",
        ] {
            let file = try TilePictures.Kind(130, 130, arguments).file()
            let dataOffset = try JPEGTileLayout(header: file.span.bytes).dataOffset
            for round in 0..<120 {
                var bytes = file
                let place = Int.random(in: dataOffset..<bytes.count - 2, using: &random)
                switch round % 5 {
                case 0: bytes[place] = 0xFF
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: place)
                case 3: bytes = Array(bytes[..<place])
                default: bytes.replaceSubrange(place..<place + 1, with: [0xFF, 0xD0])
                }
                let expected = try JPEGTileIndex(of: bytes.span.bytes, columnWidth: 32)
                let index = try Self.index(
                    bytes, columnWidth: 32, sliceCount: 1 + round % 4, sliceByteCount: 200, pieceByteCount: 500)
                guard let index else {
                    #expect(!expected.isComplete)
                    missing += 1
                    continue
                }
                complete += 1
                #expect(expected.isComplete && index.hasEntries(of: expected), "\(arguments), round \(round)")
            }
        }
        #expect(complete > 40 && missing > 40)
    }
}
