#if AVIF
internal import CTesseraAVIF
#endif
#if HEIF
internal import CTesseraHEIF
#endif
#if JPEGXL
internal import CTesseraJXL
#endif
#if TIFF
internal import CTesseraTIFF
#endif
#if WebP
internal import CTesseraWebP
#endif

extension CodecRegistry {
    /// What this build can read and write by itself, with the libraries that are installed.
    public static let builtIn = CodecRegistry(installedCodecs)

    private static var installedCodecs: [any ImageCodec] {
        var codecs: [any ImageCodec] = [
            JPNGCodec(), PNGCodec(), JPEGCodec(), GIFCodec(), BMPCodec(), ICOCodec(.ico), ICOCodec(.cur), XBMCodec(),
        ]
        #if WebP
        if tessera_webp_available() { codecs.append(WebPCodec()) }
        #endif
        #if TIFF
        if tessera_tiff_available() { codecs.append(TIFFCodec()) }
        #endif
        #if HEIF
        if tessera_heif_available() { codecs += [HEIFCodec(.heic), HEIFCodec(.heif)] }
        #endif
        #if AVIF
        if tessera_avif_available() { codecs.append(AVIFCodec()) }
        #endif
        #if JPEGXL
        if tessera_jxl_available() { codecs.append(JPEGXLCodec()) }
        #endif
        #if SVG
        // Last, since it reads the most before it knows.
        codecs.append(SVGCodec())
        #endif
        return codecs
    }
}
