import ImageFormats
import Raster

extension FuzzTarget {
    /// An EXIF block by itself, and as a JPEG gets it written: its orientation then is what it was told.
    static let exif = FuzzTarget(name: "exif", seedExtensions: [], seeds: { [MetadataBlocks.exif] }) { input in
        let metadata = ImageMetadata(exif: input)
        _ = metadata.dates
        if let thumbnail = metadata.embeddedThumbnail { precondition(thumbnail.count <= input.count) }
        _ = try? metadata.embeddedThumbnailBitmap()
        MetadataBlocks.roundTrip(ImageMetadata(orientation: .left, exif: input))
    }

    /// An XMP packet, whose orientation is read where there is no EXIF block, and overwritten where a picture is turned.
    static let xmp = FuzzTarget(name: "xmp", seedExtensions: [], seeds: { [MetadataBlocks.xmp] }) { input in
        MetadataBlocks.roundTrip(ImageMetadata(orientation: .right, xmp: input))
        for codec in [JPEGCodec(), PNGCodec()] as [any ImageCodec] {
            guard let header = MetadataBlocks.header(writing: ImageMetadata(xmp: input), by: codec) else { continue }
            let upright = MetadataBlocks.header(writing: MetadataPolicy.all.metadata(of: header), by: codec)
            precondition(upright?.metadata.orientation == .up, "\(codec.format)")
        }
    }

    /// An ICC profile, of colours or of grey: a picture in it is converted, or it isn't.
    static let icc = FuzzTarget(name: "icc", seedExtensions: ["icc", "icm"], seeds: { MetadataBlocks.profiles }) {
        input in
        for format in [PixelFormat.rgba8, .gray8, .rgba16] {
            let info = BitmapInfo(
                size: PixelSize(width: 5, height: 3), format: format, alpha: .none, profile: .icc(input))
            guard let bitmap = try? Fixtures.gradient(info), let converted = try? bitmap.convertedToSRGB() else {
                continue
            }
            precondition(converted.size == bitmap.size)
        }
        let inks = [UInt8](repeating: 90, count: 20)
        let row = [RGBA8](repeating: RGBA8(0, 0, 0), count: 5)
        var pixels = row
        var span = pixels.mutableSpan
        CMYKConverter(profile: input, isInverted: true).convert(inks.span.bytes, into: &span)
    }
}

private enum MetadataBlocks {
    /// An orientation, two dates, a resolution, and a thumbnail.
    static let exif: [UInt8] = {
        func short(_ tag: UInt8, _ high: UInt8, _ value: UInt8) -> [UInt8] {
            [tag, high, 3, 0, 1, 0, 0, 0, value, 0, 0, 0]
        }
        func long(_ tag: UInt8, _ high: UInt8, _ value: Int) -> [UInt8] {
            [tag, high, 4, 0, 1, 0, 0, 0, UInt8(value & 255), UInt8(value >> 8), 0, 0]
        }
        let date = Array("2024:02:29 12:34:56\0".utf8)
        let dateOffset = 8 + 2 + 4 * 12 + 4
        let ratioOffset = dateOffset + date.count
        let exifOffset = ratioOffset + 8
        let secondOffset = exifOffset + 2 + 12 + 4
        let thumbnailOffset = secondOffset + 2 + 3 * 12 + 4
        var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 4, 0]
        bytes += short(0x12, 0x01, 6)
        bytes += [0x1A, 0x01, 5, 0, 1, 0, 0, 0, UInt8(ratioOffset), 0, 0, 0]
        bytes += [0x32, 0x01, 2, 0, 20, 0, 0, 0, UInt8(dateOffset), 0, 0, 0]
        bytes += long(0x69, 0x87, exifOffset)
        bytes += [UInt8(secondOffset), 0, 0, 0] + date + [72, 0, 0, 0, 1, 0, 0, 0]
        bytes += [1, 0, 0x03, 0x90, 2, 0, 20, 0, 0, 0, UInt8(dateOffset), 0, 0, 0, 0, 0, 0, 0]
        bytes += [3, 0] + short(0x03, 0x01, 6) + long(0x01, 0x02, thumbnailOffset)
        bytes += long(0x02, 0x02, Fixtures.jpeg.count) + [0, 0, 0, 0]
        return bytes + Fixtures.jpeg
    }()

    static let xmp = Array(
        """
        <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- a -->
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
        xmlns:t="http://ns.adobe.com/tiff/1.0/" t:Orientation="6"><t:Orientation> 8 </t:Orientation>
        <a><![CDATA[b]]></a></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """.utf8)

    /// A profile of a matrix and three curves, as small as can be.
    static let profiles: [[UInt8]] = {
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        func fixed(_ number: Double) -> [UInt8] { bytes(Int((number * 65536).rounded())) }
        func profile(_ space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
            var table = bytes(tags.count)
            var data: [UInt8] = []
            for (name, content) in tags {
                table += Array(name.utf8) + bytes(128 + 4 + 12 * tags.count + data.count) + bytes(content.count)
                data += content
            }
            var header = bytes(128 + table.count + data.count) + [0, 0, 0, 0, 4, 0x20, 0, 0]
            header += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
            header += [UInt8](repeating: 0, count: 28) + fixed(0.9642) + fixed(1) + fixed(0.8249)
            return header + [UInt8](repeating: 0, count: 128 - header.count) + table + data
        }
        func point(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
            Array("XYZ \0\0\0\0".utf8) + fixed(x) + fixed(y) + fixed(z)
        }
        let curve: [UInt8] = Array("curv\0\0\0\0\0\0\0\u{1}".utf8) + [2, 0x33, 0, 0]
        let power = Array("para\0\0\0\0\0\0\0\0".utf8) + fixed(2.2)
        return [
            profile(
                "RGB ",
                [
                    ("wtpt", point(0.9642, 1, 0.8249)), ("rXYZ", point(0.6, 0.3, 0.02)),
                    ("gXYZ", point(0.2, 0.6, 0.07)),
                    ("bXYZ", point(0.15, 0.1, 0.74)), ("rTRC", curve), ("gTRC", power), ("bTRC", curve),
                ]),
            profile("GRAY", [("wtpt", point(0.9642, 1, 0.8249)), ("kTRC", power)]),
        ]
    }()

    /// Writes the blocks into a JPEG and a PNG, which says of itself what it was told.
    static func roundTrip(_ metadata: ImageMetadata) {
        for codec in [JPEGCodec(), PNGCodec()] as [any ImageCodec] {
            guard let header = header(writing: metadata, by: codec) else { continue }
            precondition(header.metadata.orientation == metadata.orientation, "\(codec.format)")
        }
    }

    /// What a picture with these blocks says of itself; nil where they can't be written.
    static func header(writing metadata: ImageMetadata, by codec: any ImageCodec) -> ImageHeader? {
        let info = BitmapInfo(size: PixelSize(width: 4, height: 4), format: .gray8, alpha: .none)
        let buffer = ByteBuffer()
        guard let bitmap = try? Fixtures.gradient(info),
            (try? codec.encode(bitmap, options: EncodingOptions(metadata: metadata), output: buffer)) != nil
        else { return nil }
        let reading = DecodingOptions(readsXMPOrientation: true)
        guard
            let header = try? ImageSource.header(
                of: buffer.bytes, options: reading, registry: CodecRegistry([codec]))
        else { preconditionFailure("a file that was written has no header") }
        return header
    }
}
