#if WebP
internal import Raster

/// Makes a WebP file smaller without changing its pixels.
package enum WebPOptimization {
    /// Returns `file` with the same pixels, frames and times in fewer bytes; nil if none are saved.
    ///
    /// Compresses lossless images, also those of frames, with libwebp's greatest effort: some seconds for each megapixel.
    /// Lossy images stay byte for byte, since any new compression would lose more.
    /// - Parameter keeping: The metadata to keep: `.all` keeps every chunk, the others the orientation and, with
    ///   `.profile`, the colour profile.
    /// - Throws: `corrupt` or `truncated` for damaged files; `limitExceeded`.
    package static func smaller(
        _ file: [UInt8], keeping: MetadataPolicy = .all, limits: DecodingLimits = .standard
    ) throws(ImageError) -> [UInt8]? {
        let header = try ImageSource.header(
            of: file, options: DecodingOptions(color: .asStored, limits: limits),
            registry: CodecRegistry([WebPCodec()]))
        let list = try WebPChunkList(file)
        var reader = WebPChunkReader(limits: limits, keepsAllFrames: true)
        // The pointer doesn't leave the closure.
        try file.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try reader.append(bytes) }

        var (frames, body) = (reader.frames[...], [UInt8]())
        var features = reader.extended?.features ?? []
        let isKept: (WebPChunkType?) -> Bool = { type in
            switch type {
            case .extended: false
            case .exif, .xmp, nil: keeping == .all
            case .profile: keeping != .none
            default: true
            }
        }
        for chunk in list.chunks where isKept(chunk.type) {
            // Images that follow a still one aren't shown.
            guard chunk.type == .lossless || chunk.type == .frame, let frame = frames.popFirst() else {
                body += list.stored(chunk)
                continue
            }
            let picture = try frame.recompressed(limits)
            if chunk.type == .lossless {
                body += picture ?? list.stored(chunk)
            } else {
                body += try self.frame(chunk, of: list, with: picture)
            }
        }
        if keeping != .all {
            features.remove([.exif, .xmp])
            if keeping == .none { features.remove(.profile) }
            if header.metadata.orientation != .up {
                features.insert(.exif)
                body += WebPContainerWriter.chunk(.exif, EXIF.smallest(header.metadata.orientation))
            }
        }
        if let canvas = reader.extended?.canvas, !isSimple(list, features, isKept) {
            let extended = WebPExtendedHeader(features: features, canvas: canvas)
            body = WebPContainerWriter.chunk(.extended, extended.encoded) + body
        }
        let result = Array("RIFF".utf8) + (body.count + 4).littleEndianBytes(4) + Array("WEBP".utf8) + body
        let trailing = keeping == .all ? file[list.end...] : []
        return result.count + trailing.count < file.count ? result + trailing : nil
    }

    /// Whether an image needs no extended header: there is nothing but a VP8 or VP8L chunk.
    private static func isSimple(
        _ list: WebPChunkList, _ features: WebPExtendedHeader.Features, _ isKept: (WebPChunkType?) -> Bool
    ) -> Bool {
        let kept = list.chunks.filter { isKept($0.type) }
        return features.isSubset(of: .alpha) && kept.count == 1 && [.lossy, .lossless].contains(kept[0].type)
    }

    /// Returns the chunk of a frame with `picture` instead of its image; nil keeps that.
    private static func frame(
        _ chunk: WebPChunkList.Chunk, of list: WebPChunkList, with picture: [UInt8]?
    ) throws(ImageError) -> [UInt8] {
        guard let picture else { return list.stored(chunk) }
        let start = chunk.data.lowerBound + WebPFrame.headerByteCount
        let inner = try WebPChunkList(list.file, in: start..<chunk.data.upperBound)
        var contents = Array(list.file[chunk.data.lowerBound..<start])
        var isDone = false
        for part in inner.chunks {
            contents += part.type == .lossless && !isDone ? picture : inner.stored(part)
            isDone = isDone || part.type == .lossless
        }
        return WebPContainerWriter.chunk(.frame, contents)
    }
}

extension WebPFrame {
    /// The frame's lossless image, compressed again; nil for a lossy one, and if it wouldn't be smaller.
    fileprivate func recompressed(_ limits: DecodingLimits) throws(ImageError) -> [UInt8]? {
        guard let picture, picture.isLossless, !hasAlphaChunk else { return nil }
        // The pixels twice, and the encoder's hash chain.
        try limits.checkWorkingMemory(24 * picture.size.pixelCount, for: "optimizing the WebP image")
        let bitmap = try decoded(profile: .sRGB, limits: limits)
        let encoder = try WebPPixelEncoder(
            bitmap.info, options: EncodingOptions(isLossless: true, webP: .init(method: 6)), losslessEffort: 100)
        try encoder.write(bitmap.rows)
        let smaller = try encoder.finish()
        return smaller.count < byteCount ?? 0 ? smaller : nil
    }
}
#endif
