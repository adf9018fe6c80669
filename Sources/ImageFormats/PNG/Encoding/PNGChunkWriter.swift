internal import CTesseraLibDeflate
internal import Raster

/// Writes chunks: length, type, data, checksum (ISO/IEC 15948, 5.3).
struct PNGChunkWriter {
    private let output: any ByteSink

    init(_ output: any ByteSink) {
        self.output = output
    }

    func writeSignature() throws(ImageError) {
        try output.write(PNGChunkReader.signature)
    }

    func write(_ type: PNGChunkType, _ data: [UInt8]) throws(ImageError) {
        try write(type, data.span.bytes)
    }

    func write(_ type: PNGChunkType, _ data: RawSpan) throws(ImageError) {
        guard data.byteCount <= 0x7FFF_FFFF else {
            throw ImageError(
                .limitExceeded, "a PNG chunk of \(data.byteCount) bytes is too long; the limit is 2147483647")
        }
        let head = data.byteCount.bigEndianBytes(4) + Int(type.code).bigEndianBytes(4)
        var checksum = head.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress! + 4, 4) }
        checksum = data.withUnsafeBytes { $0.isEmpty ? checksum : libdeflate_crc32(checksum, $0.baseAddress, $0.count) }
        try output.write(head)
        try output.write(data)
        try output.write(Int(checksum).bigEndianBytes(4))
    }
}

extension PNGChunkWriter {
    /// Writes everything before the image data, in the order that the standard requires.
    func writeHead(
        _ header: PNGHeader, profile: ColorProfile, metadata: ImageMetadata, palette: PNGPalette?
    ) throws(ImageError) {
        try writeSignature()
        try writeHeader(header)
        try write(profile, isGray: header.colorType.isGray)
        if let resolution = metadata.resolution { try write(resolution) }
        if let exif = metadata.exifForWriting { try write(.exif, exif) }
        if let xmp = metadata.xmp { try writeXMP(xmp) }
        if let palette { try write(palette) }
    }

    /// Writes an XMP packet.
    func writeXMP(_ packet: [UInt8]) throws(ImageError) {
        // Keyword, not compressed, no language, no translated keyword.
        try write(.internationalText, Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + packet)
    }

    /// Writes IHDR.
    func writeHeader(_ header: PNGHeader) throws(ImageError) {
        var data = header.size.width.bigEndianBytes(4) + header.size.height.bigEndianBytes(4)
        data += [UInt8(header.bitDepth), header.colorType.rawValue, 0, 0, header.isInterlaced ? 1 : 0]
        try write(.header, data)
    }

    /// Writes PLTE and, if there are translucent colours, tRNS.
    func write(_ palette: PNGPalette) throws(ImageError) {
        try write(.palette, palette.colors.flatMap { [$0.red, $0.green, $0.blue] })
        let alphas = palette.colors.prefix { $0.alpha < 255 }.map(\.alpha)
        if !alphas.isEmpty { try write(.transparency, alphas) }
    }

    private func write(_ profile: ColorProfile, isGray: Bool) throws(ImageError) {
        switch profile {
        case .sRGB: try write(.standardRGB, [0])
        case .icc(let icc):
            // Readers would ignore or misapply a profile for another colour model.
            guard icc.isICCProfile(for: isGray ? .gray : .rgb) else { return }
            if let space = HighDynamicRangeSpace(profile) { try write(space, isGray: isGray) }
            try write(.profile, Array("ICC profile".utf8) + [0, 0] + Self.zlib(icc))
        case .calibrated(let gamma, let chromaticities):
            try write(.gamma, Self.hundredThousandths(gamma))
            guard let chromaticities else { return }
            let points = [chromaticities.white, chromaticities.red, chromaticities.green, chromaticities.blue]
            try write(
                .chromaticities, points.flatMap { Self.hundredThousandths($0.x) + Self.hundredThousandths($0.y) })
        }
    }

    /// Writes the code points and, if it is known, the peak of PQ. The profile follows for readers without cICP.
    private func write(_ space: HighDynamicRangeSpace, isGray: Bool) throws(ImageError) {
        // Grey has no primaries, but the chunk has a field for them.
        guard let primaries = isGray ? 9 : space.codedPrimaries else { return }
        try write(.codingPoints, [primaries, space.transfer.rawValue, 0, space.isFullRange ? 1 : 0])
        // MaxCLL, and MaxFALL as unknown (PNG, third edition, 11.3.2.8).
        if let peak = space.peak {
            try write(.contentLightLevel, Int((peak * 10000).rounded()).bigEndianBytes(4) + [0, 0, 0, 0])
        }
    }

    private func write(_ resolution: ImageMetadata.Resolution) throws(ImageError) {
        // Pixels per metre; a value out of range is left out.
        let (x, y) = (resolution.horizontal / 0.0254, resolution.vertical / 0.0254)
        guard x >= 1, y >= 1, x < 2_147_483_647, y < 2_147_483_647 else { return }
        try write(.physicalSize, Int(x.rounded()).bigEndianBytes(4) + Int(y.rounded()).bigEndianBytes(4) + [1])
    }

    private static func hundredThousandths(_ value: Double) -> [UInt8] {
        let scaled = (value * 100_000).rounded()
        return (scaled >= 0 && scaled <= 2_147_483_647 ? Int(scaled) : 0).bigEndianBytes(4)
    }

    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(9) else { return [] }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            // The bound is the buffer size that the library requires.
            count = bytes.withUnsafeBytes {
                libdeflate_zlib_compress(compressor, $0.baseAddress, $0.count, target.baseAddress, target.count)
            }
        }
    }
}
