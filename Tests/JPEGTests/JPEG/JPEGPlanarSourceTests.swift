import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG planes")
struct JPEGPlanarSourceTests {
    /// All planes' rows without padding, and how many of the picture's rows they stand for.
    private static func planes(_ file: [UInt8]) throws -> (samples: [[UInt8]], rows: Int, size: PixelSize) {
        try planes(of: JPEGPlanarSource(Source(file).reader()))
    }

    private static func planes(
        of source: JPEGPlanarSource
    ) throws -> (samples: [[UInt8]], rows: Int, size: PixelSize) {
        let (planes, rows) = try source.readPlanes()
        return (planes.map(\.samples), rows, source.size)
    }

    @Test("The first plane is djpeg's grey image", .needs(DJPEG.tool))
    func brightness() throws {
        for subsampling in EncodingOptions.JPEG.Subsampling.allCases {
            for progressive in [false, true] {
                let bitmap = try Bitmap.grainy(PixelSize(width: 93, height: 61))
                let options = EncodingOptions(
                    jpeg: .init(subsampling: subsampling, isProgressive: progressive))
                let file = try ImageDestination(format: .jpeg, options: options).encode(bitmap)
                let expected = try #require(
                    try DJPEG.decode(file, arguments: ["-grayscale"]))
                let read = try Self.planes(file)
                #expect(read.size == expected.size)
                #expect(read.rows == expected.size.height)
                #expect(Array(read.samples[0].prefix(expected.samples.count)) == expected.samples)
                #expect(read.samples.count == 3)
            }
        }
    }

    /// Bytes that come in pieces.
    private final class Pieces: ByteReader {
        private let bytes: [UInt8]
        private let pieceByteCount: Int
        private var next = 0

        init(_ bytes: [UInt8], of pieceByteCount: Int) {
            self.bytes = bytes
            self.pieceByteCount = pieceByteCount
        }

        var byteCount: Int? { nil }
        func suffix(_ count: Int) -> [UInt8]? { nil }

        func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            guard next < bytes.count else { return false }
            let end = min(bytes.count, next + pieceByteCount)
            let bytes = bytes
            try body(bytes.span.bytes.extracting(next..<end))
            next = end
            return true
        }
    }

    private static let jpegtran = CommandLineTool("jpegtran")

    /// The same coefficients in the scans that jpegtran makes of them.
    private static func progressive(_ file: [UInt8], scans: String? = nil) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        var arguments = ["-progressive"]
        if let scans { arguments = ["-scans", try folder.write(Array(scans.utf8), to: "scans")] }
        return try #require(try jpegtran.output(arguments + [folder.write(file, to: "picture.jpg")]))
    }

    @Test("A progressive file's planes equal its baseline twin's, for any split", .needs(jpegtran))
    func progressive() throws {
        // Colour is refined last, and brightness before.
        let scans = "0,1,2: 0-0,0,1; 0: 1-63,0,1; 1: 1-63,0,0; 2: 1-63,0,0; 0,1,2: 0-0,1,0; 0: 1-63,1,0;"
        for subsampling in EncodingOptions.JPEG.Subsampling.allCases {
            let bitmap = try Bitmap.grainy(PixelSize(width: 93, height: 161))
            let baseline = try ImageDestination(
                format: .jpeg, options: EncodingOptions(jpeg: .init(subsampling: subsampling))
            ).encode(bitmap)
            let expected = try Self.planes(baseline)
            for file in [try Self.progressive(baseline), try Self.progressive(baseline, scans: scans)] {
                for size in [1 << 20, 997, 64] {
                    let source = try JPEGPlanarSource(Pieces(file, of: size))
                    let read = try Self.planes(of: source)
                    try source.finish()
                    #expect(read.samples == expected.samples && read.rows == expected.rows)
                }
                let source = try JPEGPlanarSource(Source(file).reader())
                let read = try Self.planes(of: source)
                try source.finish()
                #expect(read.samples == expected.samples && read.rows == expected.rows)
            }
        }
    }

    @Test("A truncated progressive file gives all rows, then the error", .needs(jpegtran))
    func progressiveTruncated() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 93, height: 161))
        let file = try Self.progressive(ImageDestination(format: .jpeg).encode(bitmap))
        for count in stride(from: file.count / 2, to: file.count - 40, by: 211) {
            let bytes = Array(file.prefix(count))
            for source in [try JPEGPlanarSource(Pieces(bytes, of: 300)), try JPEGPlanarSource(Source(bytes).reader())] {
                #expect(try Self.planes(of: source).rows == 161)
                let error = #expect(throws: ImageError.self) { try source.finish() }
                #expect(error?.code == .truncated && error?.byteOffset == count)
            }
        }
        // What is missing here is the end of image alone.
        let source = try JPEGPlanarSource(Pieces(Array(file.dropLast(2)), of: 300))
        #expect(try Self.planes(of: source).rows == 161)
        try source.finish()
    }

    @Test("4:4:4 planes joined by JFIF's formula are the image")
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

    @Test("Files without such planes, and truncated ones, are refused")
    func refused() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 64, height: 64))
        let file = try ImageDestination(format: .jpeg).encode(bitmap)
        #expect(throws: ImageError.self) { try JPEGPlanarSource(Source(Array(file.prefix(100))).reader()) }
        #expect(throws: ImageError.self) { try JPEGPlanarSource(Source([]).reader()) }
        #expect(throws: ImageError.self) { try Self.planes(Array(file.prefix(file.count / 2))) }
    }
}
