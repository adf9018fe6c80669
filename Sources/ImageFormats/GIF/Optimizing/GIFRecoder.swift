internal import Raster

/// Codes the images of a GIF file again.
struct GIFRecoder {
    private let list: GIFBlockList
    /// The table that images share; nil if none does.
    private(set) var global: GIFColorTable?

    /// Reads all images once, to find their colours.
    init(_ list: GIFBlockList) throws(ImageError) {
        self.list = list
        var canvas = GIFCanvas(list.screen)
        var used: [[UInt32]] = []
        var needsTransparency = false
        for case .image(let frame, _) in list.blocks {
            let change = try change(frame, used.count, on: &canvas)
            used.append(change.usedColors)
            needsTransparency = needsTransparency || change.hasTransparency
        }
        let background = backgroundColor ?? 0
        var table = GIFColorTable([], hasTransparency: needsTransparency || used.count > 1, placeholder: background)
        var fits = used.map { table.add($0) }
        if !needsTransparency, fits.contains(false) {
            // Without the transparent index there is room for one more.
            var full = GIFColorTable([], hasTransparency: false)
            let fitsFull = used.map { full.add($0) }
            if !fitsFull.contains(false) { (table, fits) = (full, fitsFull) }
        }
        if fits.contains(true), table.count > 0 { global = table }
    }

    private var backgroundColor: UInt32? {
        guard let palette = list.globalPalette, 3 * Int(list.file[11]) + 3 <= palette.count else { return nil }
        let start = 3 * Int(list.file[11])
        return 0xFF00_0000 | UInt32(palette[start]) << 16 | UInt32(palette[start + 1]) << 8 | UInt32(palette[start + 2])
    }

    /// The background's index, which nearly all programs ignore.
    var backgroundIndex: UInt8 {
        guard let global, !global.hasTransparency else { return 0 }
        return backgroundColor.flatMap(global.index(of:)) ?? 0
    }

    /// Draws an image, and returns what must be stored of it.
    func change(_ frame: GIFFrame, _ index: Int, on canvas: inout GIFCanvas) throws(ImageError) -> GIFChange {
        var change = try canvas.draw(frame, globalPalette: list.globalPalette)
        // Some programs take the size from the first image; a region that is cleared must stay.
        if index > 0, frame.control.disposal != .background { change.crop() }
        return change
    }

    /// The blocks of an image: graphic control, descriptor, palette and codes.
    func image(_ change: GIFChange, of frame: GIFFrame, packed: UInt8) -> [UInt8] {
        let colors = change.usedColors
        var tables: [(table: GIFColorTable, isLocal: Bool)] = []
        let hasTransparency = change.hasTransparency
        if let global, colors.allSatisfy({ global.index(of: $0) != nil }), global.hasTransparency || !hasTransparency {
            tables.append((global, false))
        }
        if tables.isEmpty || frame.localPalette != nil {
            let mayReserve = hasTransparency || colors.count < 256 && change.optional.contains(true)
            tables.append((GIFColorTable(colors, hasTransparency: mayReserve), true))
        }
        var best: (coding: GIFCoding, isLocal: Bool, byteCount: Int)?
        for (table, isLocal) in tables {
            for use in GIFCoding.Omission.allCases {
                guard let coding = GIFCoding(change, table, use) else { continue }
                let byteCount = coding.codes.count + (isLocal ? 3 << table.bitDepth : 0)
                if byteCount < best?.byteCount ?? .max { best = (coding, isLocal, byteCount) }
            }
        }
        guard let best else { preconditionFailure("an image has a table for its colours") }
        let (coding, isLocal) = (best.coding.improved(), best.isLocal)

        var bytes: [UInt8] = []
        if coding.isTransparent || packed & 0xFE != 0 || frame.control.delay != 0 {
            bytes += [0x21, 0xF9, 4, packed & 0xFE | (coding.isTransparent ? 1 : 0)]
            bytes += frame.control.delay.littleEndianBytes(2) + [0, 0]
        }
        let region = change.region
        bytes += [0x2C] + [region.x, region.y, region.width, region.height].flatMap { $0.littleEndianBytes(2) }
        bytes.append(isLocal ? 0x80 | UInt8(coding.table.bitDepth - 1) : 0)
        if isLocal { bytes += coding.table.bytes }
        bytes.append(UInt8(coding.codeSize))
        for start in stride(from: 0, to: coding.codes.count, by: 255) {
            let block = coding.codes[start..<min(coding.codes.count, start + 255)]
            bytes.append(UInt8(block.count))
            bytes += block
        }
        return bytes + [0]
    }
}
