import Testing

import JPEGBitstream
import TestSupport

@Suite("Layout of a JPEG's MCUs")
struct TileLayoutTests {
    /// A header with tables for all that a scan can name, and the given steps.
    static func header(tables: Bool = true, _ steps: (inout JPEGBuilder) -> Void) -> [UInt8] {
        JPEGBuilder.bytes {
            $0.marker(0xD8)
            if tables {
                for number in 0...1 as ClosedRange<UInt8> {
                    $0.segment(0xDB, [number] + [UInt8](repeating: 1, count: 64))
                    for place in [number, 16 | number] {
                        $0.segment(0xC4, [place, 0, 2] + [UInt8](repeating: 0, count: 14) + [0, 1])
                    }
                }
            }
            steps(&$0)
        }
    }

    static let three: [(UInt8, UInt8, UInt8)] = [(1, 0x11, 0), (2, 0x11, 1), (3, 0x11, 1)]

    static let obstacles: [([UInt8], JPEGTileObstacle)] = [
        ([0xFF, 0xD8], .incompleteHeader),
        (header { $0.frame() }, .incompleteHeader),
        ([1, 2, 3], .damagedHeader(JPEGBitstreamError(.missingStartOfImage, "", offset: 0))),
        (
            header {
                $0.segment(0xC4, [0, 9] + [UInt8](repeating: 0, count: 24))
                $0.frame()
                $0.scan()
            }, .damagedHeader(JPEGBitstreamError(.invalidHuffmanTable, "", offset: 0))
        ),
        (obstacle(0xC2), .progressive), (obstacle(0xC3), .lossless), (obstacle(0xC5), .hierarchical),
        (obstacle(0xC9), .arithmetic), (obstacle(0xCA), .arithmetic), (obstacle(0xC1, precision: 12), .precision(12)),
        (obstacle(height: 0), .unknownHeight),
        (obstacle(components: [(1, 0x11, 0), (2, 0x11, 1)]), .componentCount(2)),
        (obstacle(components: three + [(4, 0x11, 0)]), .componentCount(4)),
        (obstacle(scan: [(1, 0)]), .severalScans), (obstacle(scan: [(2, 0), (1, 0), (3, 0)]), .unusualScan),
        (
            obstacle(components: [(1, 0x11, 0), (1, 0x11, 1), (3, 0x11, 1)], scan: [(1, 0), (1, 0), (3, 0)]),
            .unusualScan
        ),
        (obstacle(end: 62), .unusualScan), (obstacle(tables: false), .missingTable),
        (obstacle(components: [(1, 0x11, 2), (2, 0x11, 1), (3, 0x11, 1)]), .missingTable),
        (obstacle(scan: [(1, 0x20), (2, 0x11), (3, 0x11)]), .missingTable),
        (obstacle(scan: [(1, 0xFF), (2, 0x11), (3, 0x11)]), .missingTable),
        (obstacle(components: [(1, 0x33, 0), (2, 0x11, 1), (3, 0x11, 1)]), .sampling),
    ]

    static func obstacle(
        _ marker: UInt8 = 0xC0, precision: UInt8 = 8, height: Int = 9,
        components: [(UInt8, UInt8, UInt8)] = three, scan: [(UInt8, UInt8)] = [(1, 0x00), (2, 0x11), (3, 0x11)],
        end: UInt8 = 63, tables: Bool = true
    ) -> [UInt8] {
        header(tables: tables) {
            $0.frame(marker, precision: precision, height: height, components: components)
            $0.scan(scan, to: end)
        }
    }

    @Test("A file that can't be indexed is an error with the reason", arguments: obstacles.indices)
    func obstacle(index: Int) throws {
        let (bytes, expected) = Self.obstacles[index]
        let found = JPEGTileLayout.obstacle(header: bytes.span.bytes)
        if case .damagedHeader(let error) = expected {
            guard case .damagedHeader(let failure) = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(failure.code == error.code)
        } else {
            #expect(found == expected)
        }
        #expect(found?.description.isEmpty == false)
        #expect(throws: JPEGTileObstacle.self) { try JPEGTileLayout(header: bytes.span.bytes) }
    }

    static let layouts: [(Int, Int, [(UInt8, UInt8, UInt8)], Int, [Int])] = [
        // MCU width and height, MCUs across and down, MCUs per column, columns, column width.
        (1000, 700, [(1, 0x22, 0), (2, 0x11, 1), (3, 0x11, 1)], 256, [16, 16, 63, 44, 16, 4, 256]),
        (1000, 700, [(1, 0x21, 0), (2, 0x11, 1), (3, 0x11, 1)], 512, [16, 8, 63, 88, 32, 2, 512]),
        (1000, 700, [(1, 0x11, 0), (2, 0x11, 1), (3, 0x11, 1)], 256, [8, 8, 125, 88, 32, 4, 256]),
        (1000, 700, [(1, 0x41, 0), (2, 0x11, 1), (3, 0x11, 1)], 256, [32, 8, 32, 88, 8, 4, 256]),
        (1000, 700, [(1, 0x31, 0), (2, 0x11, 1), (3, 0x11, 1)], 256, [24, 8, 42, 88, 11, 4, 264]),
        (1000, 700, [(1, 0x22, 0)], 256, [8, 8, 125, 88, 32, 4, 256]),
        (65535, 1, [(1, 0x11, 0)], 1, [8, 8, 8192, 1, 1, 8192, 8]),
        (1, 65535, [(1, 0x22, 0), (2, 0x11, 1), (3, 0x11, 1)], 0, [16, 16, 1, 4096, 1, 1, 16]),
        (100, 100, [(1, 0x11, 0)], Int.max, [8, 8, 13, 13, 13, 1, 104]),
        (100, 100, [(1, 0x11, 0)], Int.min, [8, 8, 13, 13, 1, 13, 8]),
    ]

    @Test("MCUs and columns are counted", arguments: layouts.indices)
    func counts(index: Int) throws {
        let (width, height, components, columnWidth, expected) = Self.layouts[index]
        let bytes = Self.header {
            $0.segment(0xDD, [1, 2])
            $0.frame(width: width, height: height, components: components)
            $0.scan(components.map { ($0.0, $0.2 * 0x11) })
        }
        let layout = try JPEGTileLayout(header: bytes.span.bytes, columnWidth: columnWidth)
        #expect(
            [
                layout.mcuWidth, layout.mcuHeight, layout.mcusAcross, layout.mcusDown, layout.mcusPerColumn,
                layout.columnCount, layout.columnWidth,
            ] == expected)
        #expect(layout.width == width && layout.height == height && layout.componentCount == components.count)
        // The scan's data are the builder's two bytes.
        #expect(layout.restartInterval == 0x102 && layout.dataOffset == bytes.count - 2)
    }

    @Test("Windows are aligned with columns and MCUs")
    func windows() throws {
        let bytes = Self.header {
            $0.frame(width: 1000, height: 700)
            $0.scan()
        }
        let layout = try JPEGTileLayout(header: bytes.span.bytes)
        for (x, y, columns, rows) in [
            (0..<256, 0..<16, 0..<1, 0..<1), (256..<768, 256..<512, 1..<3, 16..<32),
            (768..<1024, 512..<768, 3..<4, 32..<44), (768..<1000, 688..<700, 3..<4, 43..<44),
            (0..<Int.max, 0..<Int.max, 0..<4, 0..<44),
        ] as [(Range<Int>, Range<Int>, Range<Int>, Range<Int>)] {
            let window = try #require(layout.window(x: x, y: y))
            #expect(window == JPEGTileWindow(columns: columns, rows: rows))
            #expect(layout.contains(window))
            #expect(layout.x(of: window) == x.clamped(to: 0..<1000) && layout.y(of: window) == y.clamped(to: 0..<700))
        }
        for (x, y) in [
            (1..<256, 0..<16), (0..<255, 0..<16), (0..<0, 0..<16), (-256..<0, 0..<16), (1024..<1280, 0..<16),
            (0..<256, 8..<16), (0..<256, 0..<15), (0..<256, 704..<720), (0..<256, 16..<16),
        ] as [(Range<Int>, Range<Int>)] {
            #expect(layout.window(x: x, y: y) == nil)
        }
    }
}
