#if SVG
extension SVGCodec {
    /// The pixel buffer shared with the worker process; the worker has separate limits for everything else.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 4, secondsPerMegapixel: 0.1, baseByteCount: 16 << 20)
    }
}
#endif
