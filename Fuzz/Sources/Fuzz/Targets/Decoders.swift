import ImageFormats
import Raster

extension FuzzTarget {
    /// The JPEG decoder.
    ///
    /// libjpeg has a fast and a slow loop for sequential data and takes the one that the bytes at hand allow. They agree
    /// on what is valid, not on what codes of no meaning stand for. Samples of other than 8 bits are read without libjpeg.
    static let jpeg = decoding(
        "jpeg", with: JPEGCodec(), seedExtensions: ["jpg", "jpeg"],
        comparesPixels: { $0.isProgressive || $0.bitsPerChannel != 8 }
    ) { [Fixtures.jpeg, Fixtures.losslessJPEG] }

    /// The PNG decoder.
    static let png = decoding("png", with: PNGCodec(), seedExtensions: ["png"]) { [Fixtures.png] }

    /// The JPNG decoder, whose colours are a JPEG's.
    static let jpng = decoding(
        "jpng", with: JPNGCodec(), seedExtensions: ["jpng"], comparesPixels: \.isProgressive
    ) { [Fixtures.jpng, Fixtures.jpngWithJPEGMask] }

    /// The AVIF decoder.
    static let avif = decoding("avif", with: AVIFCodec(), seedExtensions: ["avif", "avifs"]) {
        [Fixtures.minimizedImage]
    }

    /// The JPEG 2000 decoder: boxes, and our structure around OpenJPEG's tiles.
    static let jpeg2000 = decoding(
        "jpeg2000", with: JPEG2000Codec(), seedExtensions: ["jp2", "jpx"]
    ) { [JPEG2000Seeds.tiled(.jpeg2000)] }

    /// JPEG 2000 without boxes.
    static let jpeg2000Codestream = decoding(
        "jpeg2000-codestream", with: JPEG2000Codec(.jpeg2000Codestream), seedExtensions: ["j2k", "j2c"]
    ) { [JPEG2000Seeds.tiled(.jpeg2000Codestream)] }

    /// The HEIC decoder. What libde265 makes of damaged data depends on what its memory held before.
    static let heif = decoding(
        "heif", with: HEIFCodec(), seedExtensions: ["heic", "heif"], comparesPixels: { _ in false }
    ) { [Fixtures.avc] }
}

extension FuzzTarget {
    /// The BMP decoder, which shares rows and colours with that of icons.
    static let bmp = decoding("bmp", with: BMPCodec(), seedExtensions: ["bmp"]) { [] }

    /// The icon decoder, of the largest picture in a file.
    static let ico = decoding("ico", with: ICOCodec(), seedExtensions: ["ico"]) { [] }

    /// The decoder of X bitmaps.
    static let xbm = decoding("xbm", with: XBMCodec(), seedExtensions: ["xbm"]) {
        [
            Array("#define a_width 9\n#define a_height 2\nstatic char a_bits[]={1,0xff,017,/**/0};".utf8),
            Array("#define a_width 9\n#define a_height 2\n#define a_x_hot 1\nstatic short a_bits[]={1,0xffff};".utf8),
        ]
    }

    /// The QOI decoder.
    static let qoi = decoding("qoi", with: QOICodec(), seedExtensions: ["qoi"]) { [] }

    /// The PNM decoder: text of every kind, which it doesn't write, beside what it does.
    static let pnm = decoding("pnm", with: PNMCodec(), seedExtensions: ["pnm", "ppm", "pgm", "pbm", "pam"]) {
        [
            Array("P1 # bits\n9 2\n011010011 1 0 1 0 1 0 1 0 1".utf8), Array("P2\n3 2\n9\n0 1 2\n7 8 9".utf8),
            Array("P3 2 2 1000\n0 500 1000 1 2 3 # comment\n4 5 6 7 8 9".utf8), Array("P4 9 2\nabcd".utf8),
            Array("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 99\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n12345678".utf8),
        ]
    }

    /// The TGA decoder. The encoder's files are top-down; these have a palette, run lengths and the other origins.
    static let tga = decoding("tga", with: TGACodec(), seedExtensions: ["tga"]) {
        let size: [UInt8] = [0, 0, 0, 0, 3, 0, 2, 0]
        let alpha =
            [2, 0, 10, 0, 0, 0, 0, 0] + size + [32, 8] + Array("id".utf8) + [0x82, 1, 2, 3, 4, 0x82, 5, 6, 7, 8]
        let area: [UInt8] = [0xEF, 1] + [UInt8](repeating: 0, count: 492) + [4]
        return [
            [0, 1, 1, 0, 0, 2, 0, 24] + size + [8, 0x10, 1, 2, 3, 4, 5, 6, 0, 1, 1, 0, 0, 1],
            [0, 0, 10, 0, 0, 0, 0, 0] + size + [16, 1, 0x84, 1, 2, 0x00, 3, 4],
            alpha + area + [UInt8(alpha.count), 0, 0, 0, 0, 0, 0, 0] + Array("TRUEVISION-XFILE.\0".utf8),
        ]
    }

    /// The PSD decoder: an indexed image, and RGB with runs and alpha, of 8 and of 32 bits.
    static let psd = decoding("psd", with: PSDCodec(), seedExtensions: ["psd", "psb"]) {
        func head(_ channels: UInt8, _ bits: UInt8, _ mode: UInt8, version: UInt8 = 1) -> [UInt8] {
            let size: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 3, 0, bits, 0, mode]
            return Array("8BPS".utf8) + [0, version, 0, 0, 0, 0, 0, 0, 0, channels] + size
        }
        let none: [UInt8] = [0, 0, 0, 0]
        let indexed: [UInt8] =
            [0, 0, 3, 0] + [UInt8](repeating: 7, count: 768) + none + none + [0, 0, 0, 1, 2, 3, 4, 5]
        // A negative number of layers, then eight rows of a run of three.
        let layers: [UInt8] = [0, 0, 0, 6, 0, 0, 0, 2, 0xFF, 0xFF, 0, 1]
        let lengths = (0..<8).flatMap { _ in [0, 2] as [UInt8] }
        let runs = (0..<8).flatMap { [0xFE, UInt8($0 * 30)] as [UInt8] }
        let light = (0..<18).flatMap { [0x3F, UInt8($0 * 14), 0, 0] as [UInt8] }
        return [
            head(1, 8, 2) + indexed, head(4, 8, 3) + none + none + layers + lengths + runs,
            head(3, 32, 3, version: 2) + none + none + none + none + [0, 0] + light,
        ]
    }

    /// The Radiance HDR decoder: plain pixels, runs of pixels and runs of channels.
    static let hdr = decoding("hdr", with: HDRCodec(), seedExtensions: ["hdr", "pic"]) {
        let head = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"
        let plain: [UInt8] = [1, 2, 3, 128, 9, 9, 9, 129, 5, 5, 5, 130, 0, 0, 0, 0]
        let runs: [UInt8] = [8, 8, 8, 128, 1, 1, 1, 8]
        let channels = (0..<4).flatMap { [0x84, UInt8(100 + $0), 4, 1, 2, 3, 130] as [UInt8] }
        return [
            Array((head + "-Y 2 +X 2\n").utf8) + plain, Array((head + "+X 1 -Y 9\n").utf8) + runs,
            Array((head + "-Y 1 +X 8\n").utf8) + [2, 2, 0, 8] + channels,
        ]
    }

    /// The OpenEXR decoder: our reading of headers and bands around OpenEXRCore.
    static let exr = decoding("exr", with: EXRCodec(), seedExtensions: ["exr"]) { [] }

    /// The TIFF decoder: our structure around libtiff's unpacking.
    static let tiff = decoding("tiff", with: TIFFCodec(), seedExtensions: ["tif", "tiff"]) { [] }
}

/// Files of JPEG 2000 with what the encoder doesn't do by default.
enum JPEG2000Seeds {
    /// Tiles, layers and few levels; empty if there is no encoder.
    static func tiled(_ format: ImageFormat) -> [UInt8] {
        var options = EncodingOptions(quality: 0.5)
        options.jpeg2000 = EncodingOptions.JPEG2000(
            tileSize: PixelSize(width: 32, height: 40), levelCount: 2, layerCount: 3)
        let info = BitmapInfo(size: PixelSize(width: 90, height: 70), format: .rgba8, alpha: .straight)
        guard let bitmap = try? MutableBitmap(info).freeze() else { return [] }
        return (try? ImageDestination(format: format, options: options).encode(bitmap)) ?? []
    }
}
