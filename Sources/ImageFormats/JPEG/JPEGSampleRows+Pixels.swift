internal import CTesseraKernels
internal import JPEGBitstream

extension JPEGSampleRows {
    /// Writes columns of the lines as 8-bit or 16-bit pixels: grey, or opaque RGB; of four components CMYK as stored.
    /// - Parameters:
    ///   - isYCC: Whether the first three of several components are YCbCr: luma and chroma of RGB, or of the complements of
    ///     CMY.
    ///   - target: Room for the columns' pixels.
    package func writePixels(_ columns: Range<Int>, isYCC: Bool, to target: UnsafeMutableRawPointer) {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width)
        let (first, count) = (columns.lowerBound, columns.count)
        // Each line has a sample for each column of the image.
        planes[0].line.withUnsafeBufferPointer { line in
            let a = line.baseAddress! + first
            guard planes.count > 1 else {
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
                    if planes.count == 4 {
                        planes[3].line.withUnsafeBufferPointer { fourth in
                            let convert = isYCC ? tessera_jpeg_cmyk8_of_ycck : tessera_jpeg_cmyk8
                            convert(
                                a, b, c, fourth.baseAddress! + first, target.assumingMemoryBound(to: UInt8.self), count)
                        }
                    } else if bits == 8 {
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

    /// Writes the samples of the row of MCUs that was decoded last, at full size, as bytes.
    /// - Parameters:
    ///   - targets: For each plane room for its rows in a row of MCUs, `strides` bytes apart, each of whole blocks.
    package func writeStrip(to targets: [UnsafeMutablePointer<UInt8>], strides: [Int]) {
        for (index, plane) in planes.enumerated() {
            let (count, stride) = (plane.layout.blocksAcross * plane.side, strides[index])
            precondition(count <= stride)
            plane.samples.withUnsafeBufferPointer { samples in
                for row in 0..<plane.rowsPerMCU {
                    let place = plane.place(of: (coefficients.rowCount - 1) * plane.rowsPerMCU + row)
                    tessera_jpeg_gray8(samples.baseAddress! + place, targets[index] + row * stride, count)
                }
            }
        }
    }
}
