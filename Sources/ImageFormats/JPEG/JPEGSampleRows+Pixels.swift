internal import CTesseraKernels

extension JPEGSampleRows {
    /// Writes columns of the lines as 8-bit or 16-bit pixels: grey, or opaque RGB.
    /// - Parameters:
    ///   - isYCC: Whether three components are YCbCr, not RGB.
    ///   - target: Room for the columns' pixels.
    package func writePixels(_ columns: Range<Int>, isYCC: Bool, to target: UnsafeMutableRawPointer) {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width)
        let (first, count) = (columns.lowerBound, columns.count)
        // Each line has a sample for each column of the image.
        planes[0].line.withUnsafeBufferPointer { line in
            let a = line.baseAddress! + first
            guard planes.count == 3 else {
                if bits == 8 {
                    tessera_jpeg_gray8(a, target.assumingMemoryBound(to: UInt8.self), count)
                } else {
                    tessera_jpeg_gray16(a, target.assumingMemoryBound(to: UInt16.self), count)
                }
                return
            }
            planes[1].line.withUnsafeBufferPointer { second in
                planes[2].line.withUnsafeBufferPointer { third in
                    let (b, c) = (second.baseAddress! + first, third.baseAddress! + first)
                    if bits == 8 {
                        let convert = isYCC ? tessera_jpeg_rgba8_of_ycc : tessera_jpeg_rgba8_of_rgb
                        convert(a, b, c, target.assumingMemoryBound(to: UInt8.self), count)
                    } else {
                        let convert = isYCC ? tessera_jpeg_rgba16_of_ycc : tessera_jpeg_rgba16_of_rgb
                        convert(a, b, c, target.assumingMemoryBound(to: UInt16.self), count)
                    }
                }
            }
        }
    }
}
