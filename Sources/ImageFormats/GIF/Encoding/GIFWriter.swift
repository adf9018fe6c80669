internal import Raster

/// Writes the blocks of a GIF file (GIF89a).
struct GIFWriter {
    let output: any ByteSink

    /// Writes the header, the logical screen, the global palette and the loop count.
    ///
    /// A `loopCount` of 0 repeats forever. 1 writes no loop extension, since a file without one plays once.
    func begin(_ size: PixelSize, palette: GIFPalette, loopCount: Int) throws(ImageError) {
        var bytes = Array("GIF89a".utf8) + size.width.littleEndianBytes(2) + size.height.littleEndianBytes(2)
        // The colour resolution is 8 bits; the background and the pixel aspect ratio are unspecified.
        bytes += [0xF0 | UInt8(palette.bitDepth - 1), 0, 0]
        bytes += Self.table(palette)
        if loopCount != 1 {
            // The file stores the number of repetitions after the first play.
            let repetitions = loopCount == 0 ? 0 : min(loopCount - 1, 65535)
            bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + repetitions.littleEndianBytes(2) + [0]
        }
        try output.write(bytes)
    }

    /// Writes a frame with a delay in hundredths of a second.
    func write(
        _ frame: GIFIndexedFrame, delay: Int, disposal: AnimationFrame.Disposal, isAnimated: Bool
    ) throws(ImageError) {
        let (region, palette) = (frame.region, frame.palette)
        var bytes: [UInt8] = []
        if isAnimated || frame.hasTransparency {
            let method: UInt8 = disposal == .background ? 2 : isAnimated ? 1 : 0
            let transparent = frame.hasTransparency ? palette.transparentIndex : nil
            bytes += [0x21, 0xF9, 4, method << 2 | (transparent == nil ? 0 : 1)]
            bytes += delay.littleEndianBytes(2) + [UInt8(transparent ?? 0), 0]
        }
        bytes += [0x2C] + [region.x, region.y, region.width, region.height].flatMap { $0.littleEndianBytes(2) }
        bytes.append(frame.usesGlobalPalette ? 0 : 0x80 | UInt8(palette.bitDepth - 1))
        if !frame.usesGlobalPalette { bytes += Self.table(palette) }

        let codeSize = max(2, palette.bitDepth)
        bytes.append(UInt8(codeSize))
        let indices = frame.indices
        let codes = GIFLZWEncoder(minimumCodeSize: codeSize).encode(indices.span)
        bytes.reserveCapacity(bytes.count + codes.count + codes.count / 255 + 2)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(codes.count, start + 255)]
            bytes.append(UInt8(block.count))
            bytes += block
        }
        bytes.append(0)
        try output.write(bytes)
    }

    /// Writes the trailer.
    func end() throws(ImageError) { try output.write([0x3B]) }

    /// The palette as stored: padded with black to a power of two.
    private static func table(_ palette: GIFPalette) -> [UInt8] {
        let colors = palette.colors.flatMap { [$0.red, $0.green, $0.blue] }
        return colors + [UInt8](repeating: 0, count: (3 << palette.bitDepth) - colors.count)
    }
}

/// An encodable frame: indices into a palette.
struct GIFIndexedFrame {
    /// The position on the canvas.
    var region: PixelRect
    /// The palette: opaque colours, and an unused entry at `transparentIndex`.
    var palette: GIFPalette
    /// Whether the palette is the file's global one.
    var usesGlobalPalette = false
    /// Whether any pixel leaves the canvas unchanged.
    var hasTransparency: Bool
    /// The indices, row by row.
    var indices: [UInt8]
}

/// The colours of a frame or a file in index order.
struct GIFPalette {
    /// The colours, all opaque.
    var colors: [RGBA8]
    /// Whether the index after the last colour means transparency.
    var reservesTransparency: Bool

    /// The index that leaves the canvas unchanged.
    var transparentIndex: Int? { reservesTransparency ? colors.count : nil }
    /// The number of indices, including the transparent one.
    var count: Int { colors.count + (reservesTransparency ? 1 : 0) }
    /// Bits per index, 1 to 8.
    var bitDepth: Int { max(1, Int.bitWidth - (count - 1).leadingZeroBitCount) }
}
