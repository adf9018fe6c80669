import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG planes")
struct JPEGPlanarSourceTests {
    /// All planes' rows without padding, and how many of the picture's rows the strips stood for.
    static func planes(_ file: [UInt8], eighths: Int = 8) throws -> (samples: [[UInt8]], rows: Int, size: PixelSize) {
        let source = try JPEGPlanarSource(ByteArraySource(file), eighths: eighths)
        var strip = source.makeStrip()
        var samples = [[UInt8]](repeating: [], count: strip.planes.count)
        var rows = 0
        while try source.read(into: &strip) {
            #expect(strip.firstRow == rows)
            rows += strip.rowCount
            for (index, plane) in strip.planes.enumerated() {
                for y in 0..<plane.height {
                    samples[index] += plane.samples[(y * plane.stride)..<(y * plane.stride + plane.width)]
                }
            }
        }
        return (samples, rows, source.size)
    }

    @Test("The first plane is what djpeg gives as grey", .needs(DJPEG.tool))
    func brightness() throws {
        for subsampling in EncodingOptions.JPEG.Subsampling.allCases {
            for (eighths, progressive) in [(8, false), (4, false), (2, true), (1, false)] {
                let bitmap = try Bitmap.grainy(PixelSize(width: 93, height: 61))
                let options = EncodingOptions(
                    jpeg: .init(subsampling: subsampling, isProgressive: progressive))
                let file = try ImageDestination(format: .jpeg, options: options).encode(bitmap)
                let expected = try #require(
                    try DJPEG.decode(file, arguments: ["-grayscale", "-scale", "\(eighths)/8"]))
                let read = try Self.planes(file, eighths: eighths)
                #expect(read.size == expected.size)
                #expect(read.rows == expected.size.height)
                #expect(Array(read.samples[0].prefix(expected.samples.count)) == expected.samples)
                #expect(read.samples.count == 3)
            }
        }
    }

    @Test("Planes of 4:4:4 joined by JFIF's formula are the picture")
    func colour() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 40, height: 24))
        let file = try ImageDestination(
            format: .jpeg, options: EncodingOptions(jpeg: .init(subsampling: .yuv444))
        ).encode(bitmap)
        let planes = try Self.planes(file).samples
        let decoded = try ImageSource.decode(file).bitmap.tightBytes()
        for index in 0..<(40 * 24) {
            let (y, cb, cr) = (
                Double(planes[0][index]), Double(planes[1][index]) - 128, Double(planes[2][index]) - 128
            )
            let rgb = [y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb]
            for channel in 0..<3 {
                #expect(abs(min(255, max(0, rgb[channel])) - Double(decoded[index * 4 + channel])) <= 1)
            }
        }
    }

    @Test("What has no such planes, or ends early, is refused")
    func refused() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 64, height: 64))
        let file = try ImageDestination(format: .jpeg).encode(bitmap)
        #expect(throws: ImageError.self) { try JPEGPlanarSource(ByteArraySource(file), eighths: 9) }
        #expect(throws: ImageError.self) { try JPEGPlanarSource(ByteArraySource(Array(file.prefix(100)))) }
        #expect(throws: ImageError.self) { try JPEGPlanarSource(ByteArraySource([])) }
        #expect(throws: ImageError.self) { try Self.planes(Array(file.prefix(file.count / 2))) }
        let source = try JPEGPlanarSource(ByteArraySource(file))
        var other = PlanarStrip(planes: [PlanarStrip.Plane(width: 8, height: 8, stride: 8)])
        #expect(throws: ImageError.self) { try source.read(into: &other) }
    }
}
