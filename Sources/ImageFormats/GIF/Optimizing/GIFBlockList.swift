internal import Raster

/// The blocks of a complete GIF file in their order.
struct GIFBlockList {
    /// A block that isn't a graphic control, which belongs to an image.
    enum Block {
        /// An extension with this label, as its bytes in the file.
        case other(label: UInt8, Range<Int>)
        /// An image, and the packed byte and the delay of its graphic control.
        case image(GIFFrame, packed: UInt8)
    }

    let file: [UInt8]
    let screen: PixelSize
    let globalPalette: [UInt8]?
    private(set) var blocks: [Block] = []
    /// The bytes after the trailer.
    private(set) var trailing: Range<Int> = 0..<0

    /// - Throws: `corrupt` or `truncated` for damaged files, `limitExceeded` for too many frames, and `unsupported` for
    ///   text, and for images that lie partly outside the screen, which programs show in different ways.
    init(_ file: [UInt8], limits: DecodingLimits) throws(ImageError) {
        self.file = file
        var reader = GIFReader(keeping: .everyFrame, limits: limits)
        reader.append(file.span.bytes)
        if let damage = reader.damage { throw damage }
        guard let screen = reader.screen, let last = reader.frames.last, last.isComplete else {
            throw ImageError(
                .truncated, "the GIF file ends within image \(max(1, reader.frames.count))", byteOffset: file.count)
        }
        (self.screen, globalPalette) = (screen, reader.globalPalette)
        guard reader.frames.allSatisfy({ !$0.region.isEmpty && $0.region.lies(within: screen) }) else {
            throw ImageError(.unsupported, "an image of the GIF lies outside its screen; it can't be optimized")
        }
        try findBlocks(reader.frames, from: 13 + (reader.globalPalette?.count ?? 0))
    }

    private mutating func findBlocks(_ frames: [GIFFrame], from start: Int) throws(ImageError) {
        var (position, index, packed) = (start, 0, UInt8(0))
        // The reader has passed over all blocks, so they are there; a missing trailer is accepted.
        while position < file.count {
            switch file[position] {
            case 0x3B:
                trailing = (position + 1)..<file.count
                return
            case 0x21:
                guard position + 2 < file.count else { return }
                let label = file[position + 1]
                let end = endOfData(from: position + 2)
                if label == 0xF9 {
                    packed = file[position + 2] >= 4 && position + 3 < file.count ? file[position + 3] : packed
                } else {
                    guard label != 0x01 else {
                        throw ImageError(
                            .unsupported,
                            "the GIF has text, which programs show in different ways; it can't be optimized",
                            byteOffset: position)
                    }
                    blocks.append(.other(label: label, position..<end))
                }
                position = end
            case 0x2C:
                guard index < frames.count else { return }
                blocks.append(.image(frames[index], packed: packed))
                position = endOfData(from: frames[index].dataOffset)
                (index, packed) = (index + 1, 0)
            default: position += 1
            }
        }
    }

    /// The position after the sub-blocks from `start` and their terminator.
    private func endOfData(from start: Int) -> Int {
        var position = start
        while position < file.count, file[position] > 0 { position += 1 + Int(file[position]) }
        return min(file.count, position + 1)
    }
}
