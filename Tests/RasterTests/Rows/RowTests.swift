import Raster
import Testing

@Suite("Rows pulled and pushed")
struct RowTests {
    @Test("A bitmap's rows are read back", arguments: PixelFormat.allCases, [1, 3, 100])
    func throughSink(format: PixelFormat, rowCount: Int) throws {
        let source = try noisePicture(33, 41, format)
        let sink = try BitmapSink(source.info)
        try StingySource(source, rowCount: rowCount).copyRows(to: sink)
        #expect(sink.result?.tightBytes() == source.tightBytes())
        #expect(try StingySource(source, rowCount: rowCount).makeBitmap().tightBytes() == source.tightBytes())
    }

    @Test("A sink refuses too many rows and too few")
    func sinkBounds() throws {
        let source = try noisePicture(4, 4, .gray8)
        let sink = try BitmapSink(source.info)
        try sink.write(source.rows)
        #expect(throws: ImageError.self) { try sink.write(source.rows.extracting(0..<1)) }
        try sink.finish()
        #expect(throws: ImageError.self) { try sink.finish() }
        let short = try BitmapSink(source.info)
        try short.write(source.rows.extracting(0..<3))
        #expect(throws: ImageError.self) { try short.finish() }
        #expect(short.result == nil)
    }

    @Test("Decoding into given memory leaves the padding unchanged")
    func intoMemory() throws {
        let source = try noisePicture(5, 4, .rgba8, .straight)
        var memory = [UInt8](repeating: 0xEE, count: 4 * 32)
        do {
            var span = memory.mutableSpan
            var bytes = span.mutableBytes
            var rows = try MutablePixelRows(&bytes, format: .rgba8, width: 5, count: 4, bytesPerRow: 32)
            try StingySource(source, rowCount: 3).decode(into: &rows)
        }
        let tight = source.tightBytes()
        for y in 0..<4 {
            #expect(Array(memory[(32 * y)..<(32 * y + 20)]) == Array(tight[(20 * y)..<(20 * y + 20)]))
            #expect(memory[(32 * y + 20)..<(32 * y + 32)].allSatisfy { $0 == 0xEE })
        }
    }

    @Test("Memory that is too small or misaligned is refused")
    func wrongMemory() throws {
        var memory = [UInt8](repeating: 0, count: 100)
        var span = memory.mutableSpan
        var bytes = span.mutableBytes
        for (format, width, count, stride) in [
            (PixelFormat.rgba8, 5, 6, 20), (.rgba8, 5, 1, 19), (.gray8, 0, 1, 10), (.gray8, 1, 0, 10),
            (.gray8, -1, 1, 10), (.rgba8, .max, 1, 20), (.gray8, 1, .max, .max), (.gray16, 5, 2, 11),
        ] {
            var code: ImageError.Code?
            do {
                _ = try MutablePixelRows(&bytes, format: format, width: width, count: count, bytesPerRow: stride)
            } catch {
                code = error.code
            }
            #expect(code == .invalidParameter, "\(format) \(width)x\(count), \(stride) apart")
        }
    }

    @Test("Rows of another size or format aren't decoded into")
    func wrongShape() throws {
        let source = try noisePicture(5, 4, .rgba8)
        for (width, height, format) in [(5, 3, PixelFormat.rgba8), (4, 4, .rgba8), (5, 4, .rgba16)] {
            var target = try MutableBitmap(BitmapInfo(size: PixelSize(width: width, height: height), format: format))
            let error = #expect(throws: ImageError.self) {
                try target.withMutableRows(0..<height) { (rows) throws(ImageError) in
                    try source.makeRowSource().decode(into: &rows)
                }
            }
            #expect(error?.code == .invalidParameter)
        }
    }
}
