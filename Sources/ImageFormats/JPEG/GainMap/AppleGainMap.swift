internal import Platform
internal import Raster

/// Apple's gain map before ISO 21496-1: an auxiliary image whose values are light in sRGB's curve, and a headroom.
///
/// The rendition is `base * (1 + (headroom - 1) * light)`, as Apple's "Applying Apple HDR effect to your photos" says.
struct AppleGainMap {
    /// How many times brighter than white the brightest pixel is; above 1.
    let headroom: Double

    private static let namespace = Array("http://ns.apple.com/HDRGainMap/1.0/".utf8)
    private static let dataNamespace = Array("http://ns.apple.com/pixeldatainfo/1.0/".utf8)
    /// The type of the auxiliary image, in XMP and in HEIF's property `auxC`.
    static let auxiliaryType = "urn:com:apple:photo:2020:aux:hdrgainmap"

    /// Reads the XMP packet of a JPEG; nil if that isn't a gain map or no headroom above 1 is known.
    /// - Parameter baseEXIF: The base's EXIF block, whose maker note has the headroom if the packet doesn't.
    init?(_ packet: [UInt8], baseEXIF: [UInt8]?) {
        let xmp = XMP(packet)
        guard
            xmp.properties(in: Self.dataNamespace)["AuxiliaryImageType"]?.first == Self.auxiliaryType
                || xmp.properties(in: Self.namespace)["HDRGainMapVersion"] != nil
        else { return nil }
        self.init(auxiliary: packet, baseEXIF: baseEXIF)
    }

    /// Reads the XMP packet of an image that is known to be a gain map; nil if no headroom above 1 is known.
    /// - Parameter baseEXIF: The base's EXIF block, whose maker note has the headroom if the packet doesn't.
    init?(auxiliary packet: [UInt8]?, baseEXIF: [UInt8]?) {
        let properties = packet.map { XMP($0).properties(in: Self.namespace) }
        let stated = properties?["HDRGainMapHeadroom"]?.first.flatMap { Double($0) }
        guard let headroom = stated ?? baseEXIF.flatMap({ EXIF($0) })?.appleHeadroom, headroom > 1,
            headroom <= 0x1p16
        else { return nil }
        self.headroom = headroom
    }

    /// The map in ISO's form: each value `v` becomes `log2(1 + (headroom - 1) * light(v)) / log2(headroom)`.
    func converted(_ image: Image) throws(ImageError) -> GainMap {
        let stops = log2(headroom)
        let table = (0...255).map { value in
            let light = TransferCurve.light(stored: Double(value) / 255)
            return UInt8((log2(1 + (headroom - 1) * light) / stops * 255).rounded())
        }
        let channel = GainMapMetadata.Channel(minimum: 0, maximum: stops, baseOffset: 0, alternateOffset: 0)
        return GainMap(
            Image(deferred: TableProvider(image: image, table: table)),
            GainMapMetadata(channel, alternateHeadroom: stops))
    }
}

/// Replaces the values of an image of 8 bits by those of a table.
private struct TableProvider: BitmapProvider {
    let image: Image
    let table: [UInt8]

    var info: BitmapInfo { image.info }
    var byteCount: Int { image.byteCount }
    var decodedOrientation: Orientation { image.decodedOrientation }

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        var copy = try image.bitmap(for: plan).mutableCopy()
        let (height, format) = (copy.info.size.height, copy.info.format)
        var rows = copy.mutableRows
        for y in 0..<height {
            if format == .gray8 {
                var row = rows.row(y, as: Gray8.self)
                for x in row.indices { row[x] = Gray8(table[Int(row[x].value)]) }
            } else if format == .rgba8 {
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    let pixel = row[x]
                    row[x] = RGBA8(table[Int(pixel.red)], table[Int(pixel.green)], table[Int(pixel.blue)])
                }
            } else {
                throw ImageError(.unsupported, "a gain map of more than 8 bits a channel")
            }
        }
        return copy.freeze()
    }
}

extension EXIF {
    /// The headroom in the maker note of an iPhone: a function of its tags 33 and 48, with the constants that Apple
    /// gives in "Applying Apple HDR effect to your photos". Nil without both tags.
    fileprivate var appleHeadroom: Double? {
        guard let details = integer(.exifDirectory, in: first).flatMap({ directory(at: $0) }),
            let note = entry(.makerNote, in: details), number(note + 2, 2) == 7, let count = number(note + 4, 4),
            let start = number(note + 8, 4), start + count <= bytes.count, count > 14
        else { return nil }
        // "Apple iOS", a null byte, a version, the byte order, and a directory whose offsets count from the note's start.
        let body = Array(bytes[start..<(start + count)])
        guard body.starts(with: Array("Apple iOS\0".utf8)), body[12..<14].elementsEqual([0x4D, 0x4D]),
            let entryCount = body.bigEndian(at: 14, byteCount: 2)
        else { return nil }
        func value(_ tag: Int) -> Double? {
            for entry in stride(from: 16, to: min(body.count - 11, 16 + 12 * entryCount), by: 12)
            where body.bigEndian(at: entry, byteCount: 2) == tag {
                // A signed fraction.
                guard body.bigEndian(at: entry + 2, byteCount: 2) == 10,
                    let offset = body.bigEndian(at: entry + 8, byteCount: 4),
                    let numerator = body.bigEndian(at: offset, byteCount: 4),
                    let denominator = body.bigEndian(at: offset + 4, byteCount: 4), denominator != 0
                else { return nil }
                return Double(Int32(truncatingIfNeeded: numerator)) / Double(Int32(truncatingIfNeeded: denominator))
            }
            return nil
        }
        guard let headroom = value(33), let gain = value(48) else { return nil }
        let stops =
            headroom < 1
            ? (gain <= 0.01 ? -20 * gain + 1.8 : -0.101 * gain + 1.601)
            : (gain <= 0.01 ? -70 * gain + 3 : -0.303 * gain + 2.303)
        return exp2(max(0, stops))
    }
}
