/// JPEGs: sizes, scans and segments without end.
enum JPEGBombs {
    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + Bytes.big(payload.count + 2, 2) + payload
    }

    /// A picture whose codes are one bit each: "no difference", "no further coefficient".
    private static func file(
        _ width: Int, _ height: Int, frame: UInt8 = 0xC0, components: Int = 1, precision: UInt8 = 8,
        before: [UInt8] = [], scans: [UInt8]? = nil, behind: [UInt8] = []
    ) -> [UInt8] {
        var header: [UInt8] = [precision]
        header += Bytes.big(height, 2)
        header += Bytes.big(width, 2)
        header.append(UInt8(components))
        for component in 1...components { header += [UInt8(component), 0x11, 0] as [UInt8] }
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += before
        bytes += segment(0xDB, Bytes.zeros(1) + [UInt8](repeating: 16, count: 64))
        bytes += segment(frame, header)
        for kind in [0x00, 0x10] as [UInt8] {
            let table: [UInt8] = [kind, 1]
            bytes += segment(0xC4, table + Bytes.zeros(16))
        }
        bytes += scans ?? (scan(components) + [0x3F])
        bytes += behind
        return bytes + [0xFF, 0xD9]
    }

    private static func scan(_ components: Int, _ spectrum: [UInt8] = [0, 63, 0]) -> [UInt8] {
        var header: [UInt8] = [UInt8(components)]
        for component in 1...components { header += [UInt8(component), 0] as [UInt8] }
        return segment(0xDA, header + spectrum)
    }

    /// One of 255 parts of a profile.
    private static func profilePart(_ number: UInt8) -> [UInt8] {
        let head = Array("ICC_PROFILE\0".utf8) + [number, 255]
        return segment(0xE2, head + Bytes.zeros(65_000))
    }

    /// A part of 100 bytes of a packet that claims to be 4 GB long.
    private static func extendedXMP(at offset: Int) -> [UInt8] {
        var head = Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 0x41, count: 32)
        head += Bytes.big(Int(UInt32.max))
        head += Bytes.big(offset)
        return segment(0xE1, head + Bytes.zeros(100))
    }

    private static func exif(_ block: [UInt8]) -> [UInt8] { segment(0xE1, Array("Exif\0\0".utf8) + block) }

    /// An entry of an EXIF directory.
    private static func entry(_ tag: Int, _ type: Int, count: Int, _ value: Int) -> [UInt8] {
        var bytes = Bytes.little(tag, 2)
        bytes += Bytes.little(type, 2)
        bytes += Bytes.little(count)
        return bytes + Bytes.little(value)
    }

    /// What a JPNG ends in.
    private static func footer(_ color: Int, _ mask: Int, version: UInt8) -> [UInt8] {
        var bytes = Bytes.little(color)
        bytes += Bytes.little(mask)
        bytes += [16, 0, version, 0] as [UInt8]
        return bytes + Array("GNPJ".utf8)
    }

    /// A base, and further images at these offsets from the index with these lengths.
    private static func indexed(_ images: [(offset: Int, count: Int)], behind: [UInt8] = []) -> [UInt8] {
        var index: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0]
        index += entry(0xB001, 4, count: 1, images.count + 1)
        index += entry(0xB002, 7, count: 16 * (images.count + 1), 38) + Bytes.little(0)
        for image in [(offset: 0, count: 1000)] + images {
            index += Bytes.little(0) + Bytes.little(image.count) + Bytes.little(image.offset) + Bytes.little(0)
        }
        return file(8, 8, before: segment(0xE2, Array("MPF\0".utf8) + index)) + behind
    }

    /// A gain map's metadata: no gain at all.
    private static let gainMap: [UInt8] = {
        let zero = Bytes.big(0) + Bytes.big(1)
        let one = Bytes.big(1) + Bytes.big(1)
        let block: [UInt8] = [0, 0, 0, 0, 0x40] + zero + one + zero + one + one + zero + zero
        return segment(0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + block)
    }()

    /// A base with the map `file`, right behind it.
    private static func mapped(_ map: [UInt8]) -> [UInt8] {
        let base = indexed([(offset: 1, count: 1)]).count
        // The index begins after start-of-image, the marker, the length and the signature.
        return indexed([(offset: base - 10, count: map.count)], behind: map)
    }

    static let all: [Bomb] = [
        Bomb("JPEG, a gain map of a gigapixel", [Bomb.limit], by: ["gain map"]) {
            mapped(file(32_000, 32_000, before: gainMap))
        },
        Bomb("JPEG, a gain map that claims 4 GB", [], by: ["gain map", "whole"]) {
            indexed([(offset: 1000, count: Int(UInt32.max))])
        },
        Bomb("JPEG, a gain map with 16,000 segments", [], by: ["gain map", "whole"]) {
            let comments = Array(repeatElement(segment(0xFE, [0]), count: 16_000).joined())
            return mapped(file(8, 8, before: comments + gainMap))
        },
        Bomb("JPEG, an index of 4,000 images that all begin in it", [], by: ["gain map", "whole"]) {
            indexed(Array(repeating: (offset: 100, count: 1 << 20), count: 4000))
        },
        Bomb("JPEG, 65535 on a side", [Bomb.unsupported], by: ["whole", "pieces", "rows", "tiles"]) {
            file(65_535, 65_535)
        },
        Bomb("JPEG, a gigapixel in 600 bytes", [Bomb.limit], by: ["whole", "pieces", "rows", "tiles"]) {
            file(32_000, 32_000, components: 3)
        },
        Bomb("JPEG, a progressive gigapixel in 600 bytes", [Bomb.limit], by: ["whole", "pieces", "rows", "tiles"]) {
            file(32_000, 32_000, frame: 0xC2, components: 3, scans: scan(3, [0, 0, 0]) + [0x3F])
        },
        Bomb("JPEG, an arithmetic-coded gigapixel", [Bomb.limit, Bomb.unsupported]) {
            file(32_000, 32_000, frame: 0xC9, components: 3)
        },
        Bomb("JPEG, no height but that of a DNL behind the scan", [Bomb.corrupt, Bomb.unsupported]) {
            file(60_000, 0, behind: segment(0xDC, [0xFF, 0xFF]))
        },
        Bomb("JPEG, a hundred thousand scans", [Bomb.limit]) {
            let one = scan(1, [0, 0, 0]) + [0x7F]
            return file(8, 8, frame: 0xC2, scans: Array(repeatElement(one, count: 100_000).joined()))
        },
        Bomb("JPEG, a profile of 255 parts, 16 MB", [], by: ["whole"], byteLimit: 112 << 20) {
            var parts: [UInt8] = []
            for part in 1...255 as ClosedRange<UInt8> { parts += profilePart(part) }
            return file(8, 8, before: parts)
        },
        Bomb("JPEG, 19 MB of a profile that is never whole", [], byteLimit: 96 << 20) {
            let part = profilePart(1)
            return file(8, 8, before: Array(repeatElement(part, count: 300).joined()))
        },
        Bomb("JPEG, an extended XMP packet that claims 4 GB", [], by: ["whole", "metadata"]) {
            file(8, 8, before: extendedXMP(at: 0))
        },
        Bomb("JPEG, extended XMP that lies 4 GB apart", [], by: ["whole", "metadata"]) {
            file(8, 8, before: extendedXMP(at: 0) + extendedXMP(at: Int(UInt32.max) - 100))
        },
        Bomb("JPEG, EXIF whose directory follows itself and whose entries claim 4 GB", [], by: ["whole", "metadata"]) {
            var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 3, 0]
            block += entry(0x0112, 3, count: Int(UInt32.max), 6)
            block += entry(0x0201, 4, count: 1, 20)
            block += entry(0x0202, 4, count: 1, Int(UInt32.max))
            return file(8, 8, before: exif(block + Bytes.little(8)))
        },
        Bomb("JPEG, a thumbnail in EXIF of 65535 on a side", [Bomb.unsupported], by: ["metadata"]) {
            let thumbnail = file(65_535, 65_535)
            var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 14, 0, 0, 0, 3, 0]
            block += entry(0x0103, 3, count: 1, 6)
            block += entry(0x0201, 4, count: 1, 56)
            block += entry(0x0202, 4, count: 1, thumbnail.count)
            return file(8, 8, before: exif(block + Bytes.little(0) + thumbnail))
        },
        Bomb("JPNG, parts that claim 4 GB each", [Bomb.corrupt], by: ["whole", "pieces"]) {
            file(8, 8) + footer(Int(UInt32.max), Int(UInt32.max), version: 1)
        },
        Bomb("JPNG, a mask of 900 megapixels", [Bomb.limit, Bomb.corrupt], by: ["whole", "pieces"]) {
            let color = file(30_000, 30_000)
            let mask = file(30_000, 30_000)
            return color + mask + footer(color.count, mask.count, version: 2)
        },
    ]
}
