internal import Raster

/// Compresses the frames of an animated PNG again.
struct PNGAnimationRewriting {
    let list: PNGChunkList
    let control: PNGAnimationControl
    let keeping: MetadataPolicy
    let orientation: Orientation
    let limits: DecodingLimits

    /// The control of the animation in a file; nil for a still image.
    static func control(in list: PNGChunkList) -> PNGAnimationControl? {
        for chunk in list.chunks {
            if chunk.type == .imageData { return nil }
            if chunk.type == .animationControl { return PNGAnimationControl(list.data(chunk)) }
        }
        return nil
    }

    /// Returns the file.
    /// - Throws: `corrupt` for damaged data, `unsupported` for an interlaced animation, `limitExceeded`.
    func written() throws(ImageError) -> [UInt8] {
        guard let first = list.chunks.first, first.type == .header else {
            throw ImageError(.corrupt, "the PNG file doesn't begin with IHDR", byteOffset: 8)
        }
        let header = try PNGHeader(list.data(first), offset: first.data.lowerBound)
        guard !header.isInterlaced else {
            throw ImageError(.unsupported, "an interlaced PNG animation can't be optimized")
        }
        try limits.checkFrameCount(control.frameCount, format: .png)
        let sink = ByteBuffer()
        let writer = PNGChunkWriter(sink)
        try writer.writeSignature()
        try writer.write(.header, list.data(first))
        if keeping != .all, orientation != .up { try writer.write(.exif, EXIF.smallest(orientation)) }

        var (sequenceNumber, frameCount, size) = (0, 0, header.size)
        // The data of the image that is being read, up to the next one's control.
        var (data, type) = ([UInt8](), PNGChunkType.imageData)
        func writeImage() throws(ImageError) {
            guard !data.isEmpty else { return }
            var frame = header
            frame.size = size
            let stream = try smaller(data, frame)
            if type == .frameData {
                try writer.write(.frameData, sequenceNumber.bigEndianBytes(4) + stream)
                sequenceNumber += 1
            } else {
                try writer.write(.imageData, stream)
            }
            data = []
        }
        for chunk in list.chunks.dropFirst() {
            switch chunk.type {
            case .imageData: data += list.file[chunk.data]
            case .frameData:
                guard frameCount > 0, chunk.data.count >= 4 else {
                    throw ImageError(
                        .corrupt, "data of a PNG animation's frame that didn't begin",
                        byteOffset: chunk.data.lowerBound)
                }
                if type == .imageData { try writeImage() }
                type = .frameData
                data += list.file[chunk.data].dropFirst(4)
            case .frameControl:
                try writeImage()
                let control = list.data(chunk)
                let frame = try PNGFrameControl.frame(control, canvas: header.size, offset: chunk.data.lowerBound)
                size = frame.region.size
                frameCount += 1
                try writer.write(.frameControl, sequenceNumber.bigEndianBytes(4) + control.dropFirst(4))
                sequenceNumber += 1
            case .palette, .transparency, .animationControl: try writer.write(chunk.type, list.data(chunk))
            case .end: try writeImage()
            default:
                guard PNGRewriting.keeps(chunk.type, keeping: keeping, keepsFormChunks: true) else { continue }
                // Between the chunks of an image, whose data is written as one: it comes before them.
                try writer.write(chunk.type, list.data(chunk))
            }
        }
        guard frameCount == control.frameCount else {
            throw ImageError(
                .corrupt, "the PNG animation has \(frameCount) frames instead of \(control.frameCount)",
                byteOffset: list.trailing.lowerBound)
        }
        try writer.write(.end, [])
        return sink.bytes + (keeping == .all ? list.file[list.trailing] : [])
    }

    /// Returns the zlib stream of an image, or a smaller one.
    private func smaller(_ stream: [UInt8], _ header: PNGHeader) throws(ImageError) -> [UInt8] {
        try limits.check(header.size, format: .png)
        let search = try PNGStreamSearch(unpacking: stream, PNGStoredForm(header: header), limits: limits)
        return search.smallest(below: stream.count) ?? stream
    }
}
