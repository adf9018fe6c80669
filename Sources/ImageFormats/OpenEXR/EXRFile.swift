#if OpenEXR
internal import CTesseraEXR
internal import Dispatch
internal import Raster
internal import Synchronization

/// An OpenEXR file opened with OpenEXRCore.
///
/// Unchecked: the decoder allows several threads to read bands at once.
final class EXRFile: @unchecked Sendable {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let options: DecodingOptions
    private let stored: tessera_exr_header
    private let size: PixelSize

    /// Reads the header.
    init(_ bytes: [UInt8], options: DecodingOptions) throws(ImageError) {
        self.options = options
        shim = try ShimHandle(
            tessera_exr_decoder_create(
                UInt32(clamping: options.limits.maximumSideLength),
                UInt64(clamping: options.limits.maximumWorkingByteCount)),
            "an OpenEXR decoder", failing: "the OpenEXR file can't be read", tessera_exr_decoder_message,
            destroy: tessera_exr_decoder_destroy)
        var stored = tessera_exr_header()
        // The shim copies the bytes.
        try shim.check(tessera_exr_decoder_open(shim.pointer, bytes, bytes.count, &stored))
        self.stored = stored
        size = PixelSize(width: Int(stored.width), height: Int(stored.height))
        try options.limits.check(size, format: .exr)
    }

    /// The image, whose pixels are decoded on demand.
    func picture() -> any WholePicture {
        LightPicture(
            LightPicture.header(.exr, size, hasAlpha: stored.has_alpha), primaries: primaries, options: options
        ) { [self] (part, canvas) throws(ImageError) in try read(part, to: &canvas) }
    }

    /// Linear light in the file's primaries, or in sRGB's.
    private var primaries: ColorProfile {
        let floats = withUnsafeBytes(of: stored.chromaticities) { Array($0.bindMemory(to: Float.self)) }
        let values = floats.map { Double($0) }
        guard stored.has_chromaticities, values.allSatisfy({ abs($0) < 8 }),
            [1, 3, 5, 7].allSatisfy({ abs(values[$0]) > 1e-6 })
        else { return .sRGB }
        func point(_ index: Int) -> ColorProfile.Chromaticities.Point {
            .init(x: values[2 * index], y: values[2 * index + 1])
        }
        return .calibrated(
            gamma: 1,
            ColorProfile.Chromaticities(white: point(3), red: point(0), green: point(1), blue: point(2)))
    }

    // MARK: Pixels

    /// Stores the rows of a part, decoding as many bands at once as there are processors.
    private func read(_ part: PixelRect, to canvas: inout LightCanvas) throws(ImageError) {
        let height = Int(stored.band_height)
        let (firstBand, lastBand) = (part.y / height, (part.y + part.height - 1) / height)
        let byteCount = size.width * height * 16 + Int(clamping: stored.working_bytes)
        let allowed = max(1, options.limits.maximumWorkingByteCount / max(1, byteCount))
        try options.limits.checkWorkingMemory(byteCount, for: "a band of the OpenEXR image")
        let atOnce = min(ImageExecutor.processorCount, ProcessorShare.maximumThreadCount, allowed)
        var bands = (0..<atOnce).map { _ in Band(count: size.width * height) }
        for first in stride(from: firstBand, through: lastBand, by: atOnce) {
            let count = min(atOnce, lastBand - first + 1)
            decode(&bands, first..<(first + count))
            for index in 0..<count {
                if bands[index].status < 0 {
                    let row = (first + index) * height
                    throw ImageError(shim: bands[index].status, "row \(row) of the OpenEXR image can't be decoded")
                }
                store(&bands[index], (first + index) * height, part, to: &canvas)
            }
        }
    }

    /// A band's pixels, and the status of decoding them.
    private struct Band {
        var pixels: [LightCanvas.Pixel]
        var status: Int32 = 0

        init(count: Int) { pixels = [LightCanvas.Pixel](repeating: .zero, count: count) }
    }

    private func decode(_ bands: inout [Band], _ range: Range<Int>) {
        bands.withUnsafeMutableBufferPointer { bands in
            // Each thread has its own band, and the caller waits for all of them.
            let shared = SharedBands(bands: bands)
            DispatchQueue.concurrentPerform(iterations: range.count) { index in
                shared.bands[index].status = shared.bands[index].pixels.withUnsafeMutableBytes { pixels in
                    tessera_exr_decoder_read(
                        handle, UInt32(range.lowerBound + index), pixels.bindMemory(to: Float.self).baseAddress,
                        pixels.count / 4)
                }
            }
        }
    }

    private struct SharedBands: @unchecked Sendable {
        let bands: UnsafeMutableBufferPointer<Band>
    }

    private func store(_ band: inout Band, _ top: Int, _ part: PixelRect, to canvas: inout LightCanvas) {
        let rows = max(top, part.y)..<min(top + Int(stored.band_height), part.y + part.height)
        for y in rows {
            let first = (y - top) * size.width + part.x
            if stored.has_alpha {
                // Colours are premultiplied; what has no alpha has no colour.
                for x in first..<(first + part.width) {
                    var pixel = band.pixels[x]
                    let alpha = pixel.w
                    pixel = alpha > 0 ? pixel / alpha : .zero
                    pixel.w = alpha
                    band.pixels[x] = pixel
                }
            }
            canvas.store(band.pixels.span.extracting(first..<(first + part.width)))
        }
    }
}
#endif
