#if JPEG2000
internal import Raster

/// Writes the boxes of JP2 files (ISO/IEC 15444-1, annex I).
enum JPEG2000Boxes {
    /// The boxes before a codestream of `codestreamByteCount` bytes with the pixels of `info`, and the head of its box.
    static func head(of info: BitmapInfo, metadata: ImageMetadata, codestreamByteCount: Int) -> [UInt8] {
        let hasAlpha = info.alpha.hasAlpha && !info.format.isGray
        let colorCount = info.format.isGray ? 1 : 3
        var header = imageHeader(
            info.size, componentCount: colorCount + (hasAlpha ? 1 : 0), bits: info.format.bitsPerChannel)
        header += color(info)
        if hasAlpha { header += definitions(colorCount: colorCount) }
        if let resolution = metadata.resolution, let box = self.resolution(resolution) { header += box }
        var bytes = signature + ISOBoxWriter.box("jp2h", header)
        if let exif = metadata.exifForWriting {
            bytes += ISOBoxWriter.box("uuid", JPEG2000Container.exifIdentifier + exif)
        }
        if let xmp = metadata.xmp, !xmp.isEmpty {
            bytes += ISOBoxWriter.box("uuid", JPEG2000Container.xmpIdentifier + xmp)
        }
        return bytes + codestreamHead(codestreamByteCount)
    }

    /// A file with a part of an image: the boxes that its colours need, and `codestream`.
    static func file(_ codestream: [UInt8], _ grid: JPEG2000Grid, size: PixelSize, colorBoxes: [UInt8]) -> [UInt8] {
        let bits = grid.components[0].bits
        let header = imageHeader(size, componentCount: grid.components.count, bits: bits) + colorBoxes
        return signature + ISOBoxWriter.box("jp2h", header) + codestreamHead(codestream.count) + codestream
    }

    /// The header of a codestream of tiles: `header`, that of one, with the size of all, and the lengths of the tile-parts (TLM).
    static func codestreamHead(_ header: [UInt8], size: PixelSize, tile: PixelSize, parts: [Int]) -> [UInt8] {
        var head = header
        // After two markers, a length and the capabilities.
        let numbers = [size.width, size.height, 0, 0, tile.width, tile.height, 0, 0]
        head.replaceSubrange(8..<40, with: numbers.flatMap { $0.bigEndianBytes(4) })
        for (number, first) in stride(from: 0, to: parts.count, by: 10_000).enumerated() {
            let entries = (first..<min(first + 10_000, parts.count)).flatMap {
                $0.bigEndianBytes(2) + parts[$0].bigEndianBytes(4)
            }
            head += [0xFF, 0x55] + (entries.count + 4).bigEndianBytes(2) + [UInt8(number), 0x60] + entries
        }
        return head
    }

    /// The signature and the file type.
    private static let signature =
        ISOBoxWriter.box("jP  ", [0x0D, 0x0A, 0x87, 0x0A])
        + ISOBoxWriter.box("ftyp", Array("jp2 ".utf8) + [0, 0, 0, 0] + Array("jp2 ".utf8))

    private static func codestreamHead(_ byteCount: Int) -> [UInt8] {
        let type = Array("jp2c".utf8)
        let length = byteCount + 8
        return length <= UInt32.max
            ? length.bigEndianBytes(4) + type : [0, 0, 0, 1] + type + (byteCount + 16).bigEndianBytes(8)
    }

    private static func imageHeader(_ size: PixelSize, componentCount: Int, bits: Int) -> [UInt8] {
        let depth = UInt8(bits - 1)
        return ISOBoxWriter.box(
            "ihdr",
            size.height.bigEndianBytes(4) + size.width.bigEndianBytes(4) + componentCount.bigEndianBytes(2)
                + [depth, 7, 0, 0])
    }

    /// The ICC profile, or sRGB or its grey as an enumerated space.
    private static func color(_ info: BitmapInfo) -> [UInt8] {
        if case .icc(let profile) = info.profile, !profile.isEmpty {
            return ISOBoxWriter.box("colr", [2, 0, 0] + profile)
        }
        return ISOBoxWriter.box("colr", [1, 0, 0] + (info.format.isGray ? 17 : 16).bigEndianBytes(4))
    }

    /// Colours in order, and then alpha of the whole image.
    private static func definitions(colorCount: Int) -> [UInt8] {
        var bytes = (colorCount + 1).bigEndianBytes(2)
        for index in 0..<colorCount {
            bytes += index.bigEndianBytes(2) + [0, 0] + (index + 1).bigEndianBytes(2)
        }
        return ISOBoxWriter.box("cdef", bytes + colorCount.bigEndianBytes(2) + [0, 1, 0, 0])
    }

    /// The resolution at capture, in points per metre as a fraction of 100; nil for one that can't be stored.
    private static func resolution(_ resolution: ImageMetadata.Resolution) -> [UInt8]? {
        func number(_ perInch: Double) -> (fraction: [UInt8], power: UInt8)? {
            var (value, power) = (perInch / 0.0254 * 100, 0)
            guard value >= 1, value < 1e30 else { return nil }
            while value > 65535 { (value, power) = (value / 10, power + 1) }
            return (Int(value.rounded()).bigEndianBytes(2) + [0, 100], UInt8(power))
        }
        guard let vertical = number(resolution.vertical), let horizontal = number(resolution.horizontal) else {
            return nil
        }
        return ISOBoxWriter.box(
            "res ",
            ISOBoxWriter.box("resc", vertical.fraction + horizontal.fraction + [vertical.power, horizontal.power]))
    }
}
#endif
