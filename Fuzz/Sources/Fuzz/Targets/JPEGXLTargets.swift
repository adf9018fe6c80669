import ImageFormats
import Raster

extension FuzzTarget {
    /// The JPEG XL decoder, and the way back to a JPEG.
    static let jpegXL: FuzzTarget = {
        let pictures = decoding("jxl", with: JPEGXLCodec(), seedExtensions: ["jxl"]) { [] }
        return FuzzTarget(
            name: pictures.name, seedExtensions: pictures.seedExtensions, seeds: pictures.seeds
        ) { input in
            pictures.run(input)
            if let jpeg = try? JPEGXL.jpegData(from: input, limits: jpegXLLimits) { precondition(!jpeg.isEmpty) }
        }
    }()

    /// JPEG XL animations: frames as they arrive, then out of order. Every way must give the same.
    static let jpegXLAnimation = FuzzTarget(
        name: "jxl-animation", seedExtensions: ["jxl"], seeds: { [(try? jpegXLFrames()) ?? []] }
    ) { input in
        let probe = FormatProbe(whole: input.span.bytes)
        let options = DecodingOptions(limits: jpegXLLimits)
        guard let decoder = try? JPEGXLCodec().makeAnimationDecoder(for: probe, options: options) else { return }
        var decoded: [[UInt8]?] = []
        var isStarted = false
        do {
            var splits = Splits(input)
            while let piece = splits.next() {
                try decoder.append(input.span.bytes.extracting(piece))
                if decoder.header != nil, !isStarted {
                    _ = try decoder.start()
                    isStarted = true
                }
                for index in decoded.count..<min(10, max(decoded.count, decoder.frames.count)) {
                    decoded.append(try? decoder.decodeFrame(at: index).tightBytes())
                }
            }
            try decoder.finish()
        } catch {
            // What was whole stays good.
        }
        guard isStarted else { return }
        precondition(decoder.frames.count >= decoded.count)
        for index in decoded.indices.reversed() {
            let again = try? decoder.decodeFrame(at: index).tightBytes()
            precondition(again == decoded[index], "frame \(index) differs by the way to it")
        }
    }

    private static let jpegXLLimits = DecodingLimits(
        maximumPixelCount: 1 << 18, maximumSideLength: 1 << 14, maximumInputByteCount: 1 << 20,
        maximumWorkingByteCount: 1 << 26, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
        maximumFrameCount: 100, maximumCompressionRatio: 10_000)

    private static func jpegXLFrames() throws(ImageError) -> [UInt8] {
        let info = BitmapInfo(size: PixelSize(width: 21, height: 13), format: .rgba8, alpha: .straight)
        let buffer = ByteBuffer()
        let sink = try JPEGXLCodec()
            .makeSequenceEncoder(info, count: 3, options: EncodingOptions(), output: buffer)
        for _ in 0..<3 { try sink.write(try MutableBitmap(info).freeze(), duration: 0.1) }
        try sink.finish()
        return buffer.bytes
    }
}
