#if HEIF && AVIF
import Raster

/// Files of one image with a `mini` box in place of a `meta` box, written bit by bit, of pictures that the libraries have coded.
struct MinimizedFixture {
    var image: HEIFFixture.Coded
    var mask: HEIFFixture.Coded?
    var isPremultiplied = false
    /// A gain map without loss, and its metadata.
    var gainMap: (map: HEIFFixture.Coded, metadata: [UInt8])?
    /// The value that EXIF gives it, from 1 to 8.
    var orientation = 1
    var profile: [UInt8]?
    var exif: [UInt8]?
    var xmp: [UInt8]?
    /// The contents of a `clli` box.
    var lightLevel: [UInt8]?
    /// The brand in place of the type's version; nil for the coding in the box.
    var minorVersion: String?
    var version = 0
    var isFloat = false
    var isGray = false
    /// Whether lengths and sides have their longer form where the shorter one would do.
    var isWide = false

    init(_ image: HEIFFixture.Coded) {
        self.image = image
        minorVersion = image.type == "av01" ? "avif" : "heic"
    }

    /// The file.
    var bytes: [UInt8] {
        let type = HEIFFixture.box("ftyp", Array("mif3".utf8) + (minorVersion.map { Array($0.utf8) } ?? [0, 0, 0, 0]))
        return type + HEIFFixture.box("mini", head + parts)
    }

    private var configuration: [UInt8] { Array(image.configuration[8...]) }

    /// The configuration of a mask or a map; empty where it is the image's.
    private func configuration(_ coded: HEIFFixture.Coded?) -> [UInt8] {
        guard let coded, coded.configuration != image.configuration else { return [] }
        return Array(coded.configuration[8...])
    }

    private var parts: [UInt8] {
        let parts: [[UInt8]?] = [
            configuration, configuration(mask), configuration(gainMap?.map), profile, gainMap?.metadata, mask?.data,
            gainMap?.map.data, image.data, exif, xmp,
        ]
        return parts.compactMap { $0 }.flatMap { $0 }
    }

    /// The code points of a `colr` box, which come after its head and its kind, and its range.
    private func codes(_ coded: HEIFFixture.Coded) -> (numbers: [Int], isFullRange: Bool) {
        let box = coded.colors ?? []
        return ([13, 15, 17].map { Int(box[$0]) }, box[18] & 0x80 != 0)
    }

    private var head: [UInt8] {
        var bits = Bits()
        let (codes, isFullRange) = codes(image)
        let hasLight = gainMap != nil || lightLevel != nil
        bits.add(version, 2)
        bits.add(minorVersion == nil ? 1 : 0, 1)
        for flag in [
            isFloat, isFullRange, mask != nil, true, hasLight, profile != nil, exif != nil, xmp != nil,
        ] { bits.add(flag ? 1 : 0, 1) }
        bits.add(isGray ? 0 : 3, 2)
        bits.add(orientation - 1, 3)
        let isLarge = isWide || max(image.size.width, image.size.height) > 128
        bits.add(isLarge ? 1 : 0, 1)
        let sideBits = isLarge ? 15 : 7
        bits.add(image.size.width - 1, sideBits)
        bits.add(image.size.height - 1, sideBits)
        // Eight bits.
        bits.add(0, 1)
        if mask != nil { bits.add(isPremultiplied ? 1 : 0, 1) }
        for code in isGray ? codes.dropLast() : codes { bits.add(code, 8) }
        if minorVersion == nil {
            for byte in image.type.utf8 { bits.add(Int(byte), 8) }
            for byte in image.configuration[4..<8] { bits.add(Int(byte), 8) }
        }
        if hasLight { addLight(&bits, sideBits) }
        addLengths(&bits)
        return bits.bytes
    }

    private func addLight(_ bits: inout Bits, _ sideBits: Int) {
        bits.add(gainMap == nil ? 0 : 1, 1)
        if let map = gainMap?.map {
            let (codes, isFullRange) = codes(map)
            bits.add(map.size.width - 1, sideBits)
            bits.add(map.size.height - 1, sideBits)
            bits.add(codes[2], 8)
            bits.add(isFullRange ? 1 : 0, 1)
            // 4:4:4 of eight bits; the alternate rendition is in sRGB.
            bits.add(3, 2)
            bits.add(0, 4)
        }
        bits.add(lightLevel == nil ? 0 : 1, 1)
        bits.add(0, 5)
        for byte in lightLevel ?? [] { bits.add(Int(byte), 8) }
        // The alternate rendition has ambient light and a reference white.
        if gainMap != nil {
            bits.add(0b000101, 6)
            for _ in 0..<12 { bits.add(0, 8) }
        }
    }

    private func addLengths(_ bits: inout Bits) {
        let metadata = [profile, gainMap?.metadata, exif, xmp].compactMap { $0?.count }
        let isLong = isWide || metadata.contains { $0 > 1000 }
        let metadataBits = isLong ? 20 : 10
        if !metadata.isEmpty { bits.add(isLong ? 1 : 0, 1) }
        let configurationBits = isWide || configuration.count > 7 ? 12 : 3
        bits.add(configurationBits == 12 ? 1 : 0, 1)
        let dataBits = isWide || image.data.count > 32000 ? 28 : 15
        bits.add(dataBits == 28 ? 1 : 0, 1)
        if let profile { bits.add(profile.count - 1, metadataBits) }
        if let gainMap {
            bits.add(gainMap.metadata.count, metadataBits)
            bits.add(gainMap.map.data.count, dataBits)
            bits.add(configuration(gainMap.map).count, configurationBits)
        }
        bits.add(configuration.count, configurationBits)
        bits.add(image.data.count - 1, dataBits)
        if let mask {
            bits.add(mask.data.count, dataBits)
            bits.add(configuration(mask).count, configurationBits)
        }
        if exif != nil || xmp != nil { bits.add(0, 1) }
        if let exif { bits.add(exif.count - 1, metadataBits) }
        if let xmp { bits.add(xmp.count - 1, metadataBits) }
    }

    /// Numbers of any bit length.
    private struct Bits {
        private var bits: [Bool] = []

        mutating func add(_ number: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(number >> bit & 1 == 1) }
        }

        /// The bits, filled up with zeros.
        var bytes: [UInt8] {
            stride(from: 0, to: bits.count, by: 8).map { start in
                (start..<start + 8).reduce(0) { $0 << 1 | ($1 < bits.count && bits[$1] ? 1 : 0) }
            }
        }
    }
}
#endif
