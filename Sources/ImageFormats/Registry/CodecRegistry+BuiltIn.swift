#if TIFF
internal import CTesseraTIFF
#endif

extension CodecRegistry {
    /// What this build can read and write by itself, with the libraries that are installed.
    public static let builtIn = CodecRegistry(installedCodecs)

    private static var installedCodecs: [any ImageCodec] {
        var codecs: [any ImageCodec] = [JPNGCodec(), PNGCodec(), JPEGCodec()]
        #if TIFF
        if tessera_tiff_available() { codecs.append(TIFFCodec()) }
        #endif
        #if SVG
        // Last, since it reads the most before it knows.
        codecs.append(SVGCodec())
        #endif
        return codecs
    }
}
