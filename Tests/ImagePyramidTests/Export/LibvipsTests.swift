import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

/// What libvips makes of the same picture, tile by tile.
@Suite("Pyramids compared with libvips's", .needs(CommandLineTool("vips")))
struct LibvipsTests {
    private static let size = PixelSize(width: 701, height: 515)

    /// A layout as both call it.
    struct Layout: CustomTestStringConvertible, Sendable {
        let layout: TreeLayout
        let name: String
        let overlap: Int

        var testDescription: String { "\(name), overlap \(overlap)" }
    }

    static let layouts = [
        Layout(layout: .deepZoom, name: "dz", overlap: 0), Layout(layout: .deepZoom, name: "dz", overlap: 1),
        Layout(layout: .zoomify, name: "zoomify", overlap: 0), Layout(layout: .google, name: "google", overlap: 0),
        Layout(layout: .iiif3, name: "iiif3", overlap: 0), Layout(layout: .iiif2, name: "iiif", overlap: 0),
    ]

    @Test(
        "Tiles have libvips's names, and differ less from its tiles than those from the exact values",
        arguments: layouts)
    func tiles(_ layout: Layout) throws {
        let folder = try TemporaryFolder()
        let picture = try Bitmap.grainy(Self.size)
        for format in [ImageFormat.png, .jpeg] {
            let file = try ImageDestination(format: format, options: EncodingOptions(quality: 0.95)).encode(picture)
            let path = try folder.write(file, to: "in-\(format)")
            let theirs = folder.file("theirs-\(format)")
            #expect(
                try CommandLineTool("vips").run([
                    "dzsave", path, theirs, "--layout", layout.name, "--tile-size", "128", "--overlap",
                    "\(layout.overlap)", "--skip-blanks", "-1",
                ]))
            // Before version 8.15, libvips had no name of its own for a tile that is the whole.
            let whole = "\(theirs)/0,0,\(Self.size.width),\(Self.size.height)"
            if FileManager.default.fileExists(atPath: whole) {
                try FileManager.default.moveItem(atPath: whole, toPath: theirs + "/full")
            }
            let ours = folder.file("ours-\(format)")
            let source = try PyramidSource(path: path)
            let geometry = try PyramidGeometry(
                size: source.size, tileSize: 128, overlap: layout.overlap, depth: layout.layout.depth)
            let encoding = TileEncoding(quality: 0.75, padding: layout.layout.padding)
            let sink = try TreeSink(path: ours, layout: layout.layout, geometry: geometry, encoding: encoding)
            try PyramidBuilder().build(source, into: sink)

            let exact = try ExactLevels(try ImageSource.decode(file).bitmap, count: geometry.levels.count)
            let (mine, other) = (try TreePyramid(path: ours), try TreePyramid(path: theirs))
            #expect(mine.layout == other.layout && mine.geometry == other.geometry)
            for level in geometry.levels.indices where max(geometry.levels[level].width, 0) >= 16 {
                var (between, theirError) = (0.0, 0.0)
                for row in 0..<geometry.rowCount(level) {
                    for column in 0..<geometry.columnCount(level) {
                        let address = TileAddress(level: level, column: column, row: row)
                        let a = try ImageSource.decode(try #require(try mine.tile(at: address))).bitmap
                        let b = try ImageSource.decode(try #require(try other.tile(at: address))).bitmap
                        try #require(a.size == b.size, "\(address)")
                        let rect = geometry.rect(of: address)
                        between += try ExactLevels.squaredDifference(a, b, rect.size)
                        theirError += try exact.squaredDifference(b, level, rect)
                    }
                }
                #expect(between <= theirError, "\(format), level \(level)")
            }
        }
    }
}

/// A picture's levels in floating point, each pixel the mean of four.
struct ExactLevels {
    private var levels: [(width: Int, height: Int, samples: [Float])]

    init(_ picture: Bitmap, count: Int) throws {
        let bytes = try picture.converted(to: .rgba8).tightBytes()
        var samples: [Float] = []
        for pixel in 0..<picture.width * picture.height {
            for channel in 0..<3 { samples.append(Float(bytes[pixel * 4 + channel])) }
        }
        levels = [(picture.width, picture.height, samples)]
        while levels.count < count { levels.append(Self.half(levels[levels.count - 1])) }
    }

    private static func half(
        _ level: (width: Int, height: Int, samples: [Float])
    ) -> (width: Int, height: Int, samples: [Float]) {
        let (width, height) = ((level.width + 1) / 2, (level.height + 1) / 2)
        var samples: [Float] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            let (top, bottom) = (2 * y * level.width, min(2 * y + 1, level.height - 1) * level.width)
            for x in 0..<width {
                let (left, right) = (2 * x, min(2 * x + 1, level.width - 1))
                for channel in 0..<3 {
                    let sum1 = level.samples[(top + left) * 3 + channel] + level.samples[(top + right) * 3 + channel]
                    let sum2 =
                        level.samples[(bottom + left) * 3 + channel] + level.samples[(bottom + right) * 3 + channel]
                    samples.append((sum1 + sum2) / 4)
                }
            }
        }
        return (width, height, samples)
    }

    /// The sum of squares between a tile and what is exact in its place; what fills it up doesn't count.
    func squaredDifference(_ tile: Bitmap, _ level: Int, _ rect: PixelRect) throws -> Double {
        let bytes = try tile.converted(to: .rgba8).tightBytes()
        var sum = 0.0
        for y in 0..<rect.height {
            for x in 0..<rect.width {
                let exact = ((rect.y + y) * levels[level].width + rect.x + x) * 3
                for channel in 0..<3 {
                    let difference =
                        Float(bytes[(y * tile.width + x) * 4 + channel]) - levels[level].samples[exact + channel]
                    sum += Double(difference * difference)
                }
            }
        }
        return sum
    }

    /// The sum of squares between two tiles, of which `size` counts.
    static func squaredDifference(_ a: Bitmap, _ b: Bitmap, _ size: PixelSize) throws -> Double {
        let (first, second) = (try a.converted(to: .rgba8).tightBytes(), try b.converted(to: .rgba8).tightBytes())
        var sum = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                for channel in 0..<3 {
                    let place = (y * a.width + x) * 4 + channel
                    let difference = Int(first[place]) - Int(second[place])
                    sum += difference * difference
                }
            }
        }
        return Double(sum)
    }
}
