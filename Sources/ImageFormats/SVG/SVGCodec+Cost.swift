#if SVG
extension SVGCodec {
    /// The pixels, which the process that draws shares; it has limits of its own for all else.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.1, baseByteCount: 16 << 20)
    }
}
#endif
