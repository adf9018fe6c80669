internal import Raster

/// An image in a GIF file as described by its blocks, with compressed pixels.
struct GIFFrame {
    /// The position on the logical screen. It may extend beyond the screen, and may be empty.
    var region: PixelRect
    /// Whether the rows are stored in four passes.
    var isInterlaced: Bool
    /// The local palette, three bytes per colour; nil if the global one applies.
    var localPalette: [UInt8]?
    /// The disposal, delay and transparency.
    var control: GIFGraphicControl
    /// The bits per index before compression, as stored: 1 to 8 are valid.
    var minimumCodeSize = 0
    /// The LZW codes, joined from their sub-blocks.
    var data: [UInt8] = []
    /// The offset of the codes in the file.
    var dataOffset = 0
    /// Whether all blocks have been read.
    var isComplete = false

    /// The 256 colours that indices refer to.
    ///
    /// Indices beyond the palette are black. Without any palette, each index is a grey level, as in Pillow.
    func colors(globalPalette: [UInt8]?) -> [RGBA8] {
        var colors: [RGBA8]
        if let stored = localPalette ?? globalPalette {
            colors = [RGBA8](repeating: RGBA8(0, 0, 0), count: 256)
            for index in 0..<min(256, stored.count / 3) {
                colors[index] = RGBA8(stored[3 * index], stored[3 * index + 1], stored[3 * index + 2])
            }
        } else {
            colors = (0...255).map { RGBA8($0, $0, $0) }
        }
        if let transparent = control.transparentIndex { colors[Int(transparent)] = RGBA8(0, 0, 0, 0) }
        return colors
    }

    /// The row numbers in stored order.
    var rowOrder: [Int] {
        guard isInterlaced else { return Array(0..<region.height) }
        return GIFInterlacing.passes.flatMap { Array(stride(from: $0.first, to: region.height, by: $0.step)) }
    }

    /// The part of the frame that lies on a canvas of `size`; nil if there is none.
    func region(on size: PixelSize) -> PixelRect? {
        let width = min(region.x + region.width, size.width) - region.x
        let height = min(region.y + region.height, size.height) - region.y
        let part = PixelRect(x: region.x, y: region.y, width: width, height: height)
        return part.isEmpty ? nil : part
    }
}

/// A graphic control extension, which applies to the image that follows (GIF89a, 23).
struct GIFGraphicControl: Equatable {
    /// The treatment of the image's region before the next frame is drawn.
    var disposal = AnimationFrame.Disposal.keep
    /// The display time in hundredths of a second.
    var delay = 0
    /// The index that leaves the canvas unchanged.
    var transparentIndex: UInt8?

    /// The defaults for an image without the extension.
    init() {}

    /// Parses the extension's four bytes; nil if there are fewer.
    init?(_ block: [UInt8]) {
        guard block.count >= 4 else { return nil }
        switch block[0] >> 2 & 7 {
        case 2: disposal = .background
        // Some early encoders wrote 4 for "restore to previous"; browsers accept both.
        case 3, 4: disposal = .previous
        default: disposal = .keep
        }
        delay = Int(block[1]) | Int(block[2]) << 8
        transparentIndex = block[0] & 1 == 1 ? block[3] : nil
    }
}
