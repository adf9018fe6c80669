import ImageFormats

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
    static let avif = decoding("avif", with: AVIFCodec(), seedExtensions: ["avif", "avifs"]) { [] }

    /// The HEIC decoder. What libde265 makes of damaged data depends on what its memory held before.
    static let heif = decoding(
        "heif", with: HEIFCodec(), seedExtensions: ["heic", "heif"], comparesPixels: { _ in false }
    ) { [] }
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

    /// The TIFF decoder: our structure around libtiff's unpacking.
    static let tiff = decoding("tiff", with: TIFFCodec(), seedExtensions: ["tif", "tiff"]) { [] }
}
