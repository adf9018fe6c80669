extension ImageFormat {
    /// SVG 1.1, plain or gzipped.
    public static let svg = ImageFormat(
        typeIdentifier: "public.svg-image", name: "SVG", mimeTypes: ["image/svg+xml"],
        filenameExtensions: ["svg", "svgz"])
}

extension BuiltInFormat {
    #if SVG
    /// SVG.
    static let svg = BuiltInFormat(.svg) { _ in SVGCodec() }
    #else
    /// SVG, which this build only knows by name.
    static let svg = BuiltInFormat(.svg)
    #endif
}
