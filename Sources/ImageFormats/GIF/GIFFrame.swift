internal import Raster

/// One picture in a GIF file as its blocks describe it, with its packed pixels.
struct GIFFrame {
    /// Where it goes on the logical screen; it may reach beyond, and may have no pixels.
    var region: PixelRect
    /// Whether its rows come in four passes.
    var isInterlaced: Bool
    /// Its own colours, three bytes each; nil where the global ones hold.
    var localPalette: [UInt8]?
    /// How it is shown.
    var control: GIFGraphicControl
    /// The bits that an index takes before it is packed, as written: 1 to 8 make sense.
    var minimumCodeSize = 0
    /// The LZW codes, joined from their blocks.
    var data: [UInt8] = []
    /// Where the codes begin in the file.
    var dataOffset = 0
    /// Whether all of its blocks are there.
    var isComplete = false

    /// The 256 colours that indices stand for.
    ///
    /// Indices that the palette lacks are black. Where there is no palette at all each index is its own grey, which has
    /// black and white and is what Pillow makes of such files.
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

    /// The part of the frame that lies on a canvas of `size`; nil where there is none.
    func region(on size: PixelSize) -> PixelRect? {
        let width = min(region.x + region.width, size.width) - region.x
        let height = min(region.y + region.height, size.height) - region.y
        let part = PixelRect(x: region.x, y: region.y, width: width, height: height)
        return part.isEmpty ? nil : part
    }
}

/// What a graphic control extension says of the picture behind it (GIF89a, 23).
struct GIFGraphicControl: Equatable {
    /// What becomes of the picture's place afterwards.
    var disposal = AnimationFrame.Disposal.keep
    /// How long it is shown, in hundredths of a second.
    var delay = 0
    /// The index that leaves the canvas as it is.
    var transparentIndex: UInt8?

    /// What holds where nothing is said.
    init() {}

    /// The four bytes of the extension's block; nil where it is shorter.
    init?(_ block: [UInt8]) {
        guard block.count >= 4 else { return nil }
        switch block[0] >> 2 & 7 {
        case 2: disposal = .background
        // 4 is what some early encoders wrote for "to previous"; browsers take both.
        case 3, 4: disposal = .previous
        default: disposal = .keep
        }
        delay = Int(block[1]) | Int(block[2]) << 8
        transparentIndex = block[0] & 1 == 1 ? block[3] : nil
    }
}
