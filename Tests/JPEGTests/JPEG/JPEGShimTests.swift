import CTesseraJPEG
import Testing

@Suite("JPEG shim")
struct JPEGShimTests {
    /// A decoder with all of `file`, started; the caller destroys it.
    static func start(
        _ file: [UInt8], pixels: Int, scale: UInt8
    ) -> (decoder: OpaquePointer, output: tessera_jpeg_output) {
        let decoder = tessera_jpeg_decoder_create()!
        var (header, output) = (tessera_jpeg_header(), tessera_jpeg_output())
        var decoding = tessera_jpeg_decoding()
        (decoding.pixels, decoding.scale) = (UInt8(pixels), scale)
        var (scans, isComplete) = (UInt32(0), false)
        #expect(tessera_jpeg_decoder_append(decoder, file, file.count) == TESSERA_OK)
        tessera_jpeg_decoder_end(decoder)
        #expect(tessera_jpeg_decoder_read_header(decoder, &header) == TESSERA_OK)
        #expect(tessera_jpeg_decoder_start(decoder, &decoding, &output) == TESSERA_OK)
        while !isComplete, tessera_jpeg_decoder_advance(decoder, &scans, &isComplete) == TESSERA_OK {}
        #expect(tessera_jpeg_decoder_begin_pass(decoder) == TESSERA_OK)
        return (decoder, output)
    }

    @Test(
        "Planes come in strips, and Y is the grey image",
        arguments: JPEGFixture.kinds.filter { $0.pixels == TESSERA_JPEG_PIXELS_RGBA8 }, [8, 4, 2, 1] as [UInt8])
    func planes(kind: JPEGFixture.Kind, scale: UInt8) {
        let file = JPEGFixture.file(kind)
        let gray = Self.start(file, pixels: TESSERA_JPEG_PIXELS_GRAY8, scale: scale)
        defer { tessera_jpeg_decoder_destroy(gray.decoder) }
        let (width, height) = (Int(gray.output.width), Int(gray.output.height))
        var expected = [UInt8](repeating: 0, count: width * height)
        var rows = UInt32(0)
        _ = tessera_jpeg_decoder_read_rows(gray.decoder, &expected, width, UInt32(height), &rows)
        #expect(Int(rows) == height)

        let (decoder, output) = Self.start(file, pixels: TESSERA_JPEG_PIXELS_PLANES, scale: scale)
        defer { tessera_jpeg_decoder_destroy(decoder) }
        #expect(output.planes == 3)
        let strides = [output.plane_stride.0, output.plane_stride.1, output.plane_stride.2, 0].map(Int.init)
        let heights = [output.plane_strip_height.0, output.plane_strip_height.1, output.plane_strip_height.2]
        #expect(Int(output.plane_width.0) == width && Int(output.plane_height.0) == height)
        func plane(_ index: Int) -> [UInt8] { [UInt8](repeating: 0, count: strides[index] * Int(heights[index])) }
        var (luma, cb, cr) = (plane(0), plane(1), plane(2))
        var collected: [UInt8] = []
        repeat {
            let status = luma.withUnsafeMutableBufferPointer { luma in
                cb.withUnsafeMutableBufferPointer { cb in
                    cr.withUnsafeMutableBufferPointer { cr in
                        tessera_jpeg_decoder_read_strip(
                            decoder, [luma.baseAddress, cb.baseAddress, cr.baseAddress, nil], strides, &rows)
                    }
                }
            }
            #expect(status == TESSERA_OK)
            for y in 0..<Int(rows) { collected += luma[(y * strides[0])..<(y * strides[0] + width)] }
        } while rows > 0
        #expect(collected == expected)
    }

    @Test("Calls out of order fail for good")
    func misuse() {
        let file = JPEGFixture.file(JPEGFixture.Kind())
        let decoder = tessera_jpeg_decoder_create()!
        defer { tessera_jpeg_decoder_destroy(decoder) }
        var (header, rows, row) = (tessera_jpeg_header(), UInt32(0), [UInt8](repeating: 0, count: 300))
        #expect(tessera_jpeg_decoder_append(decoder, file, file.count) == TESSERA_OK)
        #expect(tessera_jpeg_decoder_read_header(decoder, &header) == TESSERA_OK)
        #expect(tessera_jpeg_decoder_read_rows(decoder, &row, 300, 1, &rows) == TESSERA_MISUSE)
        #expect(rows == 0)
        #expect(tessera_jpeg_decoder_read_header(decoder, &header) == TESSERA_MISUSE)
        #expect(!String(cString: tessera_jpeg_decoder_message(decoder)).isEmpty)

        let encoder = tessera_jpeg_encoder_create()!
        defer { tessera_jpeg_encoder_destroy(encoder) }
        #expect(tessera_jpeg_encoder_write_rows(encoder, row, 300, 1) == TESSERA_MISUSE)
        #expect(tessera_jpeg_encoder_finish(encoder) == TESSERA_MISUSE)
    }

    @Test(
        "A window outside the image and a row that is too short are refused", arguments: [(75, 0, 1, 1), (0, 0, 76, 1)])
    func window(x: UInt32, y: UInt32, width: UInt32, height: UInt32) {
        let file = JPEGFixture.file(JPEGFixture.Kind())
        let decoder = tessera_jpeg_decoder_create()!
        defer { tessera_jpeg_decoder_destroy(decoder) }
        var (header, output, decoding) = (tessera_jpeg_header(), tessera_jpeg_output(), tessera_jpeg_decoding())
        _ = tessera_jpeg_decoder_append(decoder, file, file.count)
        _ = tessera_jpeg_decoder_read_header(decoder, &header)
        (decoding.pixels, decoding.scale) = (UInt8(TESSERA_JPEG_PIXELS_RGBA8), 8)
        (decoding.window_x, decoding.window_y) = (x, y)
        (decoding.window_width, decoding.window_height) = (width, height)
        #expect(tessera_jpeg_decoder_start(decoder, &decoding, &output) == TESSERA_MISUSE)
    }
}
