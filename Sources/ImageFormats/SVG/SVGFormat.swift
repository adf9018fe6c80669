extension ImageFormat {
    /// SVG 1.1, plain or gzipped.
    public static let svg = ImageFormat(
        typeIdentifier: "public.svg-image", name: "SVG", mimeTypes: ["image/svg+xml"],
        filenameExtensions: ["svg", "svgz"])
}

extension BuiltInFormat {
    /// SVG, which a build without the trait only knows by name.
    static let svg = BuiltInFormat(.svg) { _ in
        #if SVG
        return SVGCodec()
        #else
        return nil
        #endif
    }
}
