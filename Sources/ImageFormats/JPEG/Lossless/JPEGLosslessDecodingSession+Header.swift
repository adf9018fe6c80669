internal import JPEGBitstream
internal import Raster

extension JPEGLosslessDecodingSession {
    /// Makes the header once a scan begins and the height is known, which a DNL marker may give after the first scan.
    func readHeader() throws(ImageError) {
        let structure = walker.structure
        isWalked = isWalked || walker.isAtEnd
        guard header == nil, let frame = structure.frame, let scan = structure.scans.first else {
            guard header == nil, isWalked else { return }
            throw fail(ImageError(.corrupt, "the JPEG is corrupt: it has no scan", byteOffset: walker.byteCount))
        }
        guard let height = structure.height, height > 0 else {
            guard isWalked || structure.numberOfLines == 0 else { return }
            throw fail(
                ImageError(
                    isFinished && !walker.isAtEnd ? .truncated : .corrupt,
                    "the JPEG gives no height, neither in its frame header nor by a DNL marker",
                    byteOffset: walker.byteCount))
        }
        do throws(ImageError) {
            let size = PixelSize(width: frame.width, height: height)
            try options.limits.check(size, format: .jpeg)
            color = try JPEGLosslessColor(structure, frame, in: bytes.span)
            header = try makeHeader(structure, frame, size)
        } catch {
            throw fail(error)
        }
        isInterleaved = scan.components.count >= frame.components.count
        isWalked = isWalked || isInterleaved
    }

    private func makeHeader(
        _ structure: JPEGStructure, _ frame: JPEGFrame, _ size: PixelSize
    ) throws(ImageError) -> ImageHeader {
        do throws(JPEGBitstreamError) {
            let offset = structure.segments.first { $0.marker.isStartOfFrame }?.offset ?? 0
            workingByteCount = try JPEGLosslessLayout(frame, height: size.height, offset: offset).workingByteCount
        } catch {
            throw ImageError(error)
        }
        var blocks = JPEGMetadataBlocks(options)
        var resolution: ImageMetadata.Resolution?
        for segment in structure.segments {
            if segment.marker == .startOfScan { break }
            guard segment.marker.isApplication else { continue }
            if segment.isJFIF(in: bytes.span) {
                let density = bytes[segment.payload].dropFirst(7).prefix(5).map { Int($0) }
                resolution = ImageMetadata.Resolution(
                    jfifUnit: UInt8(density[0]), horizontal: density[1] << 8 | density[2],
                    vertical: density[3] << 8 | density[4])
            }
            blocks.add(
                Array(bytes[segment.payload]), of: segment.marker.rawValue, at: segment.payload.lowerBound)
        }
        return ImageHeader(
            format: .jpeg, storedSize: size, colorModel: color.model, bitsPerChannel: Int(frame.precision),
            profile: blocks.profile(for: color.model), sequence: blocks.sequence,
            metadata: blocks.metadata(jfifResolution: resolution))
    }
}
