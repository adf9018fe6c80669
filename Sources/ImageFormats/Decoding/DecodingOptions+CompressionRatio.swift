package import Raster

extension DecodingOptions {
    /// The bytes of input without which a picture of `header` asks for more pixels than the limits' compression ratio
    /// allows; 0 where the ratio says nothing of it.
    ///
    /// What counts is the whole picture's pixels, whatever part of it is wanted: their size is what a file can lie about.
    /// Drawings, as `registry` tells them, have no pixels until somebody asks for some.
    package func neededInputByteCount(for header: ImageHeader, registry: CodecRegistry) -> Int {
        let byteCount = pixelByteCount(of: header)
        guard byteCount >= Self.ratioPixelByteCount, !registry.capabilities(of: header.format).contains(.vector)
        else { return 0 }
        let ratio = max(1, limits.maximumCompressionRatio)
        return byteCount / ratio + (byteCount % ratio == 0 ? 0 : 1)
    }

    /// Checks `byteCount` bytes, all that there are, against the compression ratio.
    /// - Throws: `limitExceeded`.
    package func checkCompressionRatio(
        of header: ImageHeader, inputByteCount byteCount: Int, registry: CodecRegistry
    ) throws(ImageError) {
        guard byteCount < neededInputByteCount(for: header, registry: registry) else { return }
        throw ImageError(
            .limitExceeded,
            "the \(header.format) picture of \(header.storedSize) has \(pixelByteCount(of: header)) bytes of pixels in a "
                + "file of \(byteCount) bytes; the limit is \(limits.maximumCompressionRatio) for each")
    }

    /// Below so many bytes of pixels nothing is said of the ratio: a small blank picture is no bomb.
    private static let ratioPixelByteCount = 64 << 20

    /// Bytes of the whole picture's pixels as decoders deliver them.
    private func pixelByteCount(of header: ImageHeader) -> Int {
        let isGray = header.colorModel == .gray && !header.hasAlpha
        let isDeep = maximumBitsPerChannel > 8 && header.bitsPerChannel > 8
        let (byteCount, overflows) = header.storedSize.pixelCount
            .multipliedReportingOverflow(by: (isGray ? 1 : 4) * (isDeep ? 2 : 1))
        return overflows ? .max : byteCount
    }
}
