extension ImageFormat {
    /// SVG 1.1, plain or gzipped.
    public static let svg = ImageFormat(
        typeIdentifier: "public.svg-image", name: "SVG", mimeTypes: ["image/svg+xml"],
        filenameExtensions: ["svg", "svgz"])
}

extension BuiltInFormat {
    /// SVG, known only by name in a build without the SVG trait.
    static let svg = BuiltInFormat(.svg) { _ in
        #if SVG
        return SVGCodec()
        #else
        return nil
        #endif
    }
}
