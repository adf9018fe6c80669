#if WebP
internal import Raster

/// Writes the container of a WebP file (RFC 9649, section 2).
struct WebPContainerWriter {
    private let profile: [UInt8]?
    private let exif: [UInt8]?
    private let xmp: [UInt8]?
    private let canvas: PixelSize

    /// Creates a file with the size and profile of `info` and the options' metadata.
    init(_ info: BitmapInfo, options: EncodingOptions) {
        canvas = info.size
        if case .icc(let bytes) = info.profile, !bytes.isEmpty { profile = bytes } else { profile = nil }
        exif = EXIF.block(options.metadata.exif, orientation: options.metadata.orientation)
        xmp = options.metadata.xmp.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Writes a file of one image, given by its chunks.
    func write(_ picture: [UInt8], to output: any ByteSink) throws(ImageError) {
        let hasAlphaChunk = picture.starts(with: WebPChunkType.alpha.rawValue.utf8)
        let head = Array(picture.dropFirst(8).prefix(5))
        let isLossless = picture.starts(with: WebPChunkType.lossless.rawValue.utf8)
        let hasAlpha = hasAlphaChunk || isLossless && WebPPictureHeader(.lossless, head)?.hasAlpha ?? false
        // Without profile, metadata or alpha chunk the simple file format suffices.
        let isSimple = profile == nil && exif == nil && xmp == nil && !hasAlphaChunk
        try write(
            [picture], hasAlpha ? .alpha : [], isSimple: isSimple, to: output)
    }

    /// Writes an animation of `frames`, each an ANMF chunk, which plays `loopCount` times; 0 means endlessly.
    func write(frames: [[UInt8]], loopCount: Int, hasAlpha: Bool, to output: any ByteSink) throws(ImageError) {
        // The first four bytes are the background colour, which viewers ignore.
        let animation = Self.chunk(.animation, [0, 0, 0, 0] + min(max(0, loopCount), 0xFFFF).littleEndianBytes(2))
        try write(
            [animation] + frames, hasAlpha ? [.animation, .alpha] : .animation, isSimple: false, to: output)
    }

    private func write(
        _ pictures: [[UInt8]], _ features: WebPExtendedHeader.Features, isSimple: Bool, to output: any ByteSink
    ) throws(ImageError) {
        var chunks: [[UInt8]] = []
        if !isSimple {
            var header = WebPExtendedHeader(features: features, canvas: canvas)
            if profile != nil { header.features.insert(.profile) }
            if exif != nil { header.features.insert(.exif) }
            if xmp != nil { header.features.insert(.xmp) }
            chunks.append(Self.chunk(.extended, header.encoded))
        }
        if let profile { chunks.append(Self.chunk(.profile, profile)) }
        chunks += pictures
        if let exif { chunks.append(Self.chunk(.exif, exif)) }
        if let xmp { chunks.append(Self.chunk(.xmp, xmp)) }
        let byteCount = chunks.reduce(4) { $0 + $1.count }
        guard byteCount <= Int(UInt32.max) - 10 else {
            throw ImageError(.unsupported, "a WebP file has at most 4 GB, and this one would have \(byteCount) bytes")
        }
        try output.write(Array("RIFF".utf8) + byteCount.littleEndianBytes(4) + Array("WEBP".utf8))
        for chunk in chunks { try output.write(chunk) }
    }

    /// Returns a chunk with its header and padding.
    static func chunk(_ type: WebPChunkType, _ contents: [UInt8]) -> [UInt8] {
        Array(type.rawValue.utf8) + contents.count.littleEndianBytes(4) + contents
            + (contents.count % 2 == 1 ? [0] : [])
    }
}
#endif
