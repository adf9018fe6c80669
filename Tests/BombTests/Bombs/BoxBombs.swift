import ImageFormats
import Raster

/// JPEG XL and JPEG 2000, and what is made of boxes: HEIF and AVIF.
enum BoxBombs {
    private static func box(_ name: String, _ content: [UInt8], claiming count: Int? = nil) -> [UInt8] {
        Bytes.big(count ?? content.count + 8) + Array(name.utf8) + content
    }

    private static func full(_ name: String, _ version: UInt8, _ content: [UInt8]) -> [UInt8] {
        box(name, [version, 0, 0, 0] + content)
    }

    /// A file of one item whose size is `side` each way and whose data is next to nothing.
    private static func file(
        _ brand: String, item: String, side: Int, items: Int = 1, inner: [UInt8] = [], configuration: [UInt8] = []
    ) -> [UInt8] {
        let type = box("ftyp", Array(brand.utf8) + Bytes.zeros(4) + Array("mif1\(brand)miaf".utf8))
        let handler = full("hdlr", 0, Bytes.zeros(4) + Array("pict".utf8) + Bytes.zeros(13))
        let primary = full("pitm", 0, Bytes.big(1, 2))
        let location = full(
            "iloc", 0,
            [0x44, 0] + Bytes.big(items, 2) + Bytes.big(1, 2) + Bytes.zeros(2) + Bytes.big(1, 2)
                + Bytes.big(40) + Bytes.big(16))
        let entry = full("infe", 2, Bytes.big(1, 2) + Bytes.zeros(2) + Array("\(item)\0".utf8))
        let information = full("iinf", 0, Bytes.big(items, 2) + entry)
        let size = full("ispe", 0, Bytes.big(side) + Bytes.big(side))
        let numbers: [UInt8] = configuration.isEmpty ? [1, 0x81] : [2, 0x81, 0x82]
        let properties = box(
            "iprp", box("ipco", size + configuration) + full("ipma", 0, Bytes.big(1) + Bytes.big(1, 2) + numbers))
        return type + full("meta", 0, handler + primary + location + information + properties + inner)
            + box("mdat", Bytes.zeros(64))
    }

    /// The configuration of an image in AVC, of 2 to the power of `exponent` macroblocks each way.
    private static func avc(exponent: Int) -> [UInt8] {
        let zeros = String(repeating: "0", count: exponent)
        let side = zeros + "1" + zeros
        // Baseline, level 5.2, the fields before the size, progressive, without crop and usability information.
        let text = "010000100000000000110100" + "110110100" + side + side + "11001"
        let bits = text.map { $0 == "1" ? 1 : 0 } + [Int](repeating: 0, count: 7)
        let set =
            [0x67]
            + stride(from: 0, to: text.count, by: 8).map { start in
                bits[start..<start + 8].reduce(0) { $0 << 1 | UInt8($1) }
            }
        let other: [UInt8] = [0x68, 0xCE, 0x38, 0x80]
        return box(
            "avcC",
            [1, 66, 0, 52, 0xFF, 0xE1] + Bytes.big(set.count, 2) + set + [1] + Bytes.big(other.count, 2) + other)
    }

    private static func nested(_ depth: Int) -> [UInt8] {
        var boxes = box("free", [])
        for _ in 0..<depth { boxes = box("ipco", boxes) }
        return boxes
    }

    private static let refusals = [Bomb.limit, Bomb.corrupt, Bomb.truncated, Bomb.unsupported, Bomb.unknown]
    private static let ways = ["whole", "pieces"]

    // MARK: Gain maps

    /// A small file with a gain map.
    private static func mapped(_ format: ImageFormat) throws -> [UInt8] {
        let bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 64, height: 64), format: .rgba8)).freeze()
        let map = GainMap(Image(bitmap), GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2))
        return try Image(bitmap).withGainMap(map).data(as: format)
    }

    private static func places(of pattern: [UInt8], in file: [UInt8]) -> [Int] {
        file.indices.filter { file[$0...].starts(with: pattern) }
    }

    /// `file` with `bytes` at `offset` bytes from one of the places of `pattern`.
    private static func patched(
        _ file: [UInt8], _ pattern: [UInt8], _ index: Int, offset: Int, _ bytes: [UInt8]
    ) -> [UInt8] {
        let found = places(of: pattern, in: file)
        guard found.indices.contains(index) else { return [] }
        var copy = file
        let start = found[index] + offset
        copy.replaceSubrange(start..<(start + bytes.count), with: bytes)
        return copy
    }

    /// A file of JPEG XL with further boxes before its gain map, which is `map`, or a good one.
    private static func mappedJPEGXL(
        before: [UInt8] = [], map: [UInt8]? = nil, claiming count: Int? = nil
    ) throws -> [UInt8] {
        let file = try mapped(.jpegXL)
        guard let type = file.indices.last(where: { file[$0...].starts(with: Array("jhgm".utf8)) }) else { return [] }
        // A version, and metadata of 61 bytes with its length; no colour space; no profile.
        let head = Array(file[(type + 4)..<(type + 4 + 69)])
        let contents = map.map { head + $0 } ?? Array(file[(type + 4)...])
        return Array(file[..<(type - 4)]) + before + box("jhgm", contents, claiming: count)
    }

    private static func mapsOfItems(_ format: ImageFormat) -> [Bomb] {
        [
            Bomb("\(format), a gain map of a terapixel", [Bomb.limit], by: ["gain map", "whole"]) {
                // The map's size comes after the base's.
                let size = Bytes.big(1 << 20) + Bytes.big(1 << 20)
                return patched(try mapped(format), Array("ispe".utf8), 1, offset: 8, size)
            },
            Bomb("\(format), a gain map derived from itself", [Bomb.unsupported], by: ["gain map"]) {
                let file = try mapped(format)
                guard let place = places(of: Array("dimg".utf8), in: file).last else { return [] }
                // From, count, base, map.
                return patched(file, Array("dimg".utf8), 0, offset: 10, Array(file[(place + 4)..<(place + 6)]))
            },
            // libheif refuses the whole box.
            Bomb(
                "\(format), a group of 2^32 alternatives", format == .heic ? [Bomb.corrupt] : [],
                by: ["gain map", "whole"]
            ) {
                let count = Bytes.big(Int(UInt32.max))
                return patched(try mapped(format), Array("altr".utf8), 0, offset: 12, count)
            },
            Bomb("\(format), a gain map with a denominator of 0", [Bomb.corrupt], by: ["gain map"]) {
                let block = GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2).iso21496
                return patched(try mapped(format), block, 0, offset: 9, Bytes.big(0))
            },
        ]
    }

    private static let mapsInBoxes: [Bomb] = [
        Bomb("JPEG XL, a gain map of 900 megapixels in 60 bytes", refusals, by: ["gain map"]) {
            try mappedJPEGXL(map: jpegXL(29_999, 29_999))
        },
        Bomb("JPEG XL, a gain map of 2^30 on a side", refusals, by: ["gain map"]) {
            try mappedJPEGXL(map: jpegXL((1 << 30) - 1, (1 << 30) - 1))
        },
        Bomb("JPEG XL, a gain map that claims 4 GB", [Bomb.truncated], by: ["gain map"]) {
            try mappedJPEGXL(claiming: Int(UInt32.max))
        },
        Bomb("JPEG XL, a gain map that is a file with a gain map", [Bomb.corrupt], by: ["gain map"]) {
            try mappedJPEGXL(map: mapped(.jpegXL))
        },
        Bomb("JPEG XL, a million boxes before the gain map", [], by: ["gain map"]) {
            let empty = box("free", [])
            return try mappedJPEGXL(before: Array(repeatElement(empty, count: 1_000_000).joined()))
        },
    ]

    private static var maps: [Bomb] {
        let formats = [ImageFormat.avif, .heic].filter {
            CodecRegistry.default.capabilities(of: $0).contains(.encode)
        }
        return formats.flatMap(mapsOfItems) + mapsInBoxes
    }

    static let all: [Bomb] =
        maps
        + ["avif", "heic"].flatMap { brand in
            let item = brand == "avif" ? "av01" : "hvc1"
            return [
                Bomb("\(brand), 2^32-1 on a side", refusals, by: ways) {
                    file(brand, item: item, side: Int(UInt32.max))
                },
                Bomb("\(brand), 900 megapixels", refusals, by: ways) { file(brand, item: item, side: 30_000) },
                Bomb("\(brand), a grid of 900 megapixels", refusals, by: ways) {
                    file(brand, item: "grid", side: 30_000)
                },
                Bomb("\(brand), 65535 items", refusals, by: ways) {
                    file(brand, item: item, side: 8, items: 65_535)
                },
                Bomb("\(brand), boxes in boxes", refusals, by: ways) {
                    file(brand, item: item, side: 8, inner: nested(5000))
                },
                Bomb("\(brand), a box that claims 2^63 bytes", refusals, by: ways) {
                    box("ftyp", Array("\(brand)\0\0\0\0mif1\(brand)miaf".utf8))
                        + Bytes.big(1) + Array("meta".utf8) + Bytes.big(Int.max, 8) + Bytes.zeros(100)
                },
            ]
        } + [
            Bomb("avci, a parameter set of a terapixel", [Bomb.limit, Bomb.unknown], by: ways) {
                file("avci", item: "avc1", side: 8, configuration: avc(exponent: 16))
            },
            Bomb("avci, 4 megapixels in 16 bytes", refusals, by: ways) {
                file("avci", item: "avc1", side: 2048, configuration: avc(exponent: 7))
            },
            Bomb("JPEG XL, 2^30 on a side", refusals, by: ways) { jpegXL((1 << 30) - 1, (1 << 30) - 1) },
            Bomb("JPEG XL, 900 megapixels in 60 bytes", refusals, by: ways) { jpegXL(29_999, 29_999) },
            Bomb("JPEG XL, a box that claims 2^63 bytes", refusals, by: ways) {
                box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
                    + Bytes.big(1) + Array("jxlc".utf8) + Bytes.big(Int.max, 8) + [0xFF, 0x0A] + Bytes.zeros(40)
            },
            Bomb("JPEG XL, a packed box of metadata of 64 MB", refusals, by: ways) {
                box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
                    + box("brob", Array("xml ".utf8) + Bytes.zeros(64)) + box("jxlc", jpegXL(7, 7))
            },
            Bomb("JPEG 2000, 2^31 on a side", refusals) { jpeg2000(side: Int(Int32.max)) },
            Bomb("JPEG 2000, 900 megapixels in 100 bytes", refusals) { jpeg2000(side: 30_000) },
            Bomb("JPEG 2000, 16,000 components", refusals) { jpeg2000(side: 2000, components: 16_000) },
            Bomb("JPEG 2000, 65,535 layers in small precincts", refusals) {
                jpeg2000(side: 8192, layers: 65_535, precinct: 0x66)
            },
            Bomb("JPEG 2000, precincts of two samples", refusals) { jpeg2000(side: 8192, precinct: 0x11) },
            Bomb("JPEG 2000, a box that claims 2^63 bytes", refusals) {
                box("jP  ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jp2 \0\0\0\0jp2 ".utf8))
                    + Bytes.big(1) + Array("jp2h".utf8) + Bytes.big(Int.max, 8) + Bytes.zeros(40)
            },
            // What isn't understood beside the codestream is passed over, as elsewhere.
            Bomb("JPEG 2000, a palette without entries and boxes in boxes", []) {
                var boxes = box("pclr", Bytes.big(1024, 2) + [255])
                for _ in 0..<5000 { boxes = box("cgrp", boxes) }
                return box("jP  ", [0x0D, 0x0A, 0x87, 0x0A]) + box("jp2h", boxes) + box("jp2c", jpeg2000(side: 300))
            },
        ]

    /// The main header of a codestream in one tile (ISO/IEC 15444-1, annex A), and a tile-part of one byte.
    private static func jpeg2000(
        side: Int, components: Int = 3, layers: Int = 1, precinct: UInt8? = nil
    ) -> [UInt8] {
        let size =
            Bytes.zeros(2) + Bytes.big(side) + Bytes.big(side) + Bytes.zeros(8) + Bytes.big(side) + Bytes.big(side)
            + Bytes.zeros(8) + Bytes.big(components, 2) + (0..<components).flatMap { _ in [7, 1, 1] as [UInt8] }
        let style: [UInt8] = [precinct == nil ? 0 : 1, 0] + Bytes.big(layers, 2) + [0, 5, 4, 4, 0, 1]
        let precincts = precinct.map { [UInt8](repeating: $0, count: 6) } ?? []
        let steps = [0x40] + [UInt8](repeating: 0x40, count: 16)
        func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [0xFF, marker] + Bytes.big(bytes.count + 2, 2) + bytes
        }
        return [0xFF, 0x4F] + segment(0x51, size) + segment(0x52, style + precincts) + segment(0x5C, steps)
            + segment(0x90, Bytes.zeros(2) + Bytes.big(15) + [0, 1]) + [0xFF, 0x93, 0x80, 0xFF, 0xD9]
    }

    /// A codestream's size header (ISO/IEC 18181-1, D.2), sides less one, and the shortest image header.
    private static func jpegXL(_ width: Int, _ height: Int) -> [UInt8] {
        [0xFF, 0x0A]
            + Bytes.bits([(0, 1), (3, 2), (height, 30), (0, 3), (3, 2), (width, 30), (1, 1)], padding: 50)
    }
}
