internal import CTesseraLibDeflate
internal import Raster

extension PNGChunkWriter {
    /// Writes what comes before the pixels, in the order that the standard asks for.
    func writeHead(
        _ header: PNGHeader, profile: ColorProfile, metadata: ImageMetadata, palette: PNGPalette?
    ) throws(ImageError) {
        try writeSignature()
        var data = Self.bytes(UInt32(header.size.width)) + Self.bytes(UInt32(header.size.height))
        data += [UInt8(header.bitDepth), header.colorType.rawValue, 0, 0, header.isInterlaced ? 1 : 0]
        try write(.header, data)
        try write(profile, isGray: header.colorType.isGray)
        if let resolution = metadata.resolution { try write(resolution) }
        if let exif = metadata.exifForWriting { try write(.exif, exif) }
        if let xmp = metadata.xmp {
            // Keyword, not compressed, no language, no translated keyword.
            try write(.internationalText, Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
        }
        if let palette {
            try write(.palette, palette.colors.flatMap { [$0.red, $0.green, $0.blue] })
            let alphas = palette.colors.prefix { $0.alpha < 255 }.map(\.alpha)
            if !alphas.isEmpty { try write(.transparency, alphas) }
        }
    }

    private func write(_ profile: ColorProfile, isGray: Bool) throws(ImageError) {
        switch profile {
        case .sRGB: try write(.standardRGB, [0])
        case .icc(let icc):
            // A profile for another kind of picture would be ignored by readers, or worse.
            guard icc.count >= 128, icc[16..<20].elementsEqual(Array((isGray ? "GRAY" : "RGB ").utf8)) else { return }
            try write(.profile, Array("ICC profile".utf8) + [0, 0] + Self.zlib(icc))
        case .calibrated(let gamma, let chromaticities):
            try write(.gamma, Self.hundredThousandths(gamma))
            guard let chromaticities else { return }
            let points = [chromaticities.white, chromaticities.red, chromaticities.green, chromaticities.blue]
            try write(
                .chromaticities, points.flatMap { Self.hundredThousandths($0.x) + Self.hundredThousandths($0.y) })
        }
    }

    private func write(_ resolution: ImageMetadata.Resolution) throws(ImageError) {
        // Per metre; what has no such number is left out.
        let (x, y) = (resolution.horizontal / 0.0254, resolution.vertical / 0.0254)
        guard x >= 1, y >= 1, x < 2_147_483_647, y < 2_147_483_647 else { return }
        try write(.physicalSize, Self.bytes(UInt32(x.rounded())) + Self.bytes(UInt32(y.rounded())) + [1])
    }

    private static func hundredThousandths(_ value: Double) -> [UInt8] {
        let scaled = (value * 100_000).rounded()
        return bytes(scaled >= 0 && scaled <= 2_147_483_647 ? UInt32(scaled) : 0)
    }

    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(9) else { return [] }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            // The bound is the room that the library asks for.
            count = bytes.withUnsafeBytes {
                libdeflate_zlib_compress(compressor, $0.baseAddress, $0.count, target.baseAddress, target.count)
            }
        }
    }
}
