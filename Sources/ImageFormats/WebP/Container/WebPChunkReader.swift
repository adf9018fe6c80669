#if WebP
internal import Raster

/// Parses a WebP file as its bytes arrive (RFC 9649, section 2).
///
/// Pixel chunks are kept unchanged for libwebp, known metadata chunks are collected, and all others are skipped without
/// being stored.
struct WebPChunkReader {
    private enum Part {
        case fileHeader
        case chunkHeader
        case frameHeader
        case contents(remaining: Int)
        case padding
        case end
    }

    /// The handling of a chunk's bytes.
    private enum Use {
        case skip
        case collect(WebPChunkType)
        case picture(WebPChunkType)
    }

    private let limits: DecodingLimits
    private let keepsAllFrames: Bool
    private var part = Part.fileHeader
    private var use = Use.skip
    /// The bytes so far of a part that must be complete before it is parsed.
    private var collected: [UInt8] = []
    /// Whether a padding byte follows the chunk.
    private var isPadded = false
    /// The end offsets of the file and of the current frame.
    private var fileEnd = 0
    private var frameEnd: Int?
    /// The first bytes of the current image's most recent chunk.
    private var pictureHead: [UInt8] = []
    private var heldByteCount = 0
    private var frameCount = 0
    /// The number of bytes of the file parsed so far.
    private(set) var offset = 0

    private(set) var extended: WebPExtendedHeader?
    /// The number of times that an animation plays, 0 for endless; 1 without an ANIM chunk.
    private(set) var loopCount = 1
    private(set) var profile: [UInt8]?
    private(set) var exif: [UInt8]?
    /// Whether the EXIF block comes after the first frame of an animation: too late for its orientation, since that
    /// frame is delivered as soon as it arrives.
    private(set) var isEXIFLate = false
    private(set) var xmp: [UInt8]?
    /// The features announced by the VP8X chunk whose chunks haven't arrived yet.
    private(set) var awaited: WebPExtendedHeader.Features = []
    /// The images that have begun: all frames of an animation if they are kept, else the first.
    private(set) var frames: [WebPFrame] = []

    init(limits: DecodingLimits, keepsAllFrames: Bool) {
        self.limits = limits
        self.keepsAllFrames = keepsAllFrames
    }

    /// Whether the file was parsed to the end given in its header.
    var isAtEnd: Bool {
        // Some files lack the last padding byte, which does no harm.
        switch part {
        case .end: true
        case .padding: frameEnd == nil && offset + 1 >= fileEnd
        default: false
        }
    }

    /// The number of frames; nil until the end of the file.
    var knownFrameCount: Int? { isAtEnd ? frameCount : nil }

    var isAnimated: Bool { extended?.features.contains(.animation) ?? false }

    /// Returns the first image's bytes that weren't taken before.
    mutating func takeFirstPicture() -> [UInt8] {
        guard !frames.isEmpty else { return [] }
        var taken: [UInt8] = []
        swap(&taken, &frames[0].bytes)
        return taken
    }

    /// Parses bytes; those after the end of the file are ignored.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var rest = bytes
        while !rest.isEmpty {
            let taken: Int
            switch part {
            case .fileHeader: taken = try collect(rest, 12) { (reader) throws(ImageError) in try reader.beginFile() }
            case .chunkHeader: taken = try collect(rest, 8) { (reader) throws(ImageError) in try reader.beginChunk() }
            case .frameHeader:
                taken = try collect(rest, WebPFrame.headerByteCount) { (reader) throws(ImageError) in
                    try reader.beginFrame()
                }
            case .contents(let remaining): taken = try takeContents(rest, remaining: remaining)
            case .padding:
                taken = 1
                offset += 1
                try passPadding()
            case .end: return
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
    }

    private mutating func collect(
        _ bytes: UnsafeRawBufferPointer, _ count: Int, then next: (inout WebPChunkReader) throws(ImageError) -> Void
    ) throws(ImageError) -> Int {
        let taken = min(bytes.count, count - collected.count)
        collected.append(contentsOf: bytes.prefix(taken))
        offset += taken
        if collected.count == count {
            try next(&self)
            collected.removeAll(keepingCapacity: true)
        }
        return taken
    }

    private mutating func beginFile() throws(ImageError) {
        let byteCount = collected.littleEndian(at: 4, byteCount: 4)!
        guard collected.starts(with: Array("RIFF".utf8)), collected[8..<12].elementsEqual("WEBP".utf8) else {
            throw ImageError(.corrupt, "not a WebP file", byteOffset: 0)
        }
        guard byteCount >= 12 else {
            throw ImageError(.corrupt, "a WebP file of \(byteCount) bytes holds no image", byteOffset: 4)
        }
        fileEnd = 8 + byteCount
        part = .chunkHeader
    }

    private mutating func beginChunk() throws(ImageError) {
        let start = offset - 8
        let byteCount = collected.littleEndian(at: 4, byteCount: 4)!
        let type = WebPChunkType(header: collected)
        guard byteCount <= (frameEnd ?? fileEnd) - offset else {
            throw ImageError(
                .corrupt, "the WebP chunk of \(byteCount) bytes is longer than its container", byteOffset: start)
        }
        isPadded = byteCount % 2 == 1
        part = .contents(remaining: byteCount)
        use = .skip
        switch type {
        case .extended where start == 12:
            guard byteCount >= WebPExtendedHeader.byteCount else { throw tooShort(.extended, byteCount, start) }
            use = .collect(.extended)
        case .lossy, .lossless, .alpha:
            guard start > 12 || type != .alpha else { throw noPicture(start) }
            try beginPicture(type!, byteCount: byteCount)
        case _ where start == 12:
            throw noPicture(start)
        case .animation where isAnimated && frames.isEmpty:
            guard byteCount >= 6 else { throw tooShort(.animation, byteCount, start) }
            if byteCount <= limits.maximumMetadataByteCount { use = .collect(.animation) }
        case .frame where isAnimated && frameEnd == nil:
            guard byteCount >= WebPFrame.headerByteCount else { throw tooShort(.frame, byteCount, start) }
            guard frameCount < limits.maximumFrameCount else {
                throw ImageError(
                    .limitExceeded,
                    "the WebP has more frames than the limit of \(limits.maximumFrameCount)"
                        + " (DecodingLimits.maximumFrameCount)",
                    byteOffset: start)
            }
            frameCount += 1
            guard keepsAllFrames || frames.isEmpty else { break }
            frameEnd = offset + byteCount
            part = .frameHeader
        case .profile, .exif, .xmp:
            guard let feature = type?.feature, awaited.contains(feature), frameEnd == nil else { break }
            if byteCount > 0, byteCount <= limits.maximumMetadataByteCount {
                use = .collect(type!)
            } else {
                awaited.remove(feature)
            }
        default: break
        }
        if case .contents(0) = part { try endContents() }
    }

    private func noPicture(_ start: Int) -> ImageError {
        ImageError(.corrupt, "the WebP file doesn't begin with an image", byteOffset: start)
    }

    private func tooShort(_ type: WebPChunkType, _ byteCount: Int, _ start: Int) -> ImageError {
        ImageError(.corrupt, "the WebP chunk \(type.rawValue) has only \(byteCount) bytes", byteOffset: start)
    }

    private mutating func beginFrame() throws(ImageError) {
        let frame = WebPFrame.animation(collected)
        let start = offset - WebPFrame.headerByteCount
        guard frame.region.lies(within: extended!.canvas) else {
            throw ImageError(
                .corrupt, "frame \(frames.count) of the WebP lies outside its canvas", byteOffset: start)
        }
        frames.append(WebPFrame(animation: frame))
        try nextChunk()
    }

    /// Begins a pixel chunk, of the current frame or of a still image.
    private mutating func beginPicture(_ type: WebPChunkType, byteCount: Int) throws(ImageError) {
        if !isAnimated, frames.isEmpty {
            frames.append(WebPFrame(animation: AnimationFrame(region: PixelRect(canvas), storedDuration: 0)))
        }
        // Pixel chunks after a complete image, or between frames, are ignored.
        guard isAnimated == (frameEnd != nil), frames[frames.count - 1].byteCount == nil else { return }
        let start = offset - 8
        let index = frames.count - 1
        guard max(frames[index].animation.region.width, frames[index].animation.region.height) <= 1 << 14 else {
            throw ImageError(.corrupt, "no WebP image is \(frames[index].animation.region.size)", byteOffset: start)
        }
        if type == .alpha {
            guard !frames[index].hasAlphaChunk else { return }
            frames[index].hasAlphaChunk = true
        } else {
            guard !(frames[index].hasAlphaChunk && type == .lossless) else {
                throw ImageError(.corrupt, "the lossless WebP image has alpha in a second place", byteOffset: start)
            }
            guard byteCount >= WebPPictureHeader.byteCount(type) else { throw tooShort(type, byteCount, start) }
            pictureHead = []
        }
        use = .picture(type)
        try keep(collected)
        if type != .alpha {
            frames[index].byteCount = frames[index].arrivedByteCount + byteCount
        }
    }

    private var canvas: PixelSize { extended?.canvas ?? PixelSize(width: 0, height: 0) }

    private mutating func keep(_ bytes: some Collection<UInt8>) throws(ImageError) {
        guard bytes.count <= limits.maximumInputByteCount - heldByteCount else {
            throw ImageError(
                .limitExceeded,
                "the WebP's pixels take more than the limit of \(limits.maximumInputByteCount) bytes"
                    + " (DecodingLimits.maximumInputByteCount)",
                byteOffset: offset)
        }
        heldByteCount += bytes.count
        frames[frames.count - 1].arrivedByteCount += bytes.count
        frames[frames.count - 1].bytes.append(contentsOf: bytes)
    }
}

// MARK: - Contents

extension WebPChunkReader {
    private mutating func takeContents(
        _ bytes: UnsafeRawBufferPointer, remaining: Int
    ) throws(ImageError) -> Int {
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(remaining))
        switch use {
        case .skip: break
        case .collect: collected.append(contentsOf: piece)
        case .picture(let type):
            try keep(piece)
            if type != .alpha { try readPictureHeader(type, piece) }
        }
        offset += piece.count
        part = .contents(remaining: remaining - piece.count)
        if piece.count == remaining { try endContents() }
        return piece.count
    }

    private mutating func readPictureHeader(
        _ type: WebPChunkType, _ bytes: UnsafeRawBufferPointer
    ) throws(ImageError) {
        let (index, needed) = (frames.count - 1, WebPPictureHeader.byteCount(type))
        guard frames[index].picture == nil else { return }
        pictureHead.append(contentsOf: bytes.prefix(needed - pictureHead.count))
        guard pictureHead.count == needed else { return }
        guard let picture = WebPPictureHeader(type, pictureHead) else {
            throw ImageError(.corrupt, "the WebP chunk \(type.rawValue) holds no image", byteOffset: offset)
        }
        if extended == nil {
            frames[index].animation.region = PixelRect(picture.size)
        } else if picture.size != frames[index].animation.region.size {
            throw ImageError(
                .corrupt,
                "the WebP image is \(picture.size) pixels, but its frame header has \(frames[index].animation.region.size)",
                byteOffset: offset)
        }
        frames[index].picture = picture
    }

    private mutating func endContents() throws(ImageError) {
        switch use {
        case .skip: break
        case .picture(let type):
            if type != .alpha { frames[frames.count - 1].isComplete = true }
        case .collect(let type):
            keepCollected(as: type)
            collected = []
        }
        if isPadded {
            part = .padding
        } else {
            try nextChunk()
        }
    }

    private mutating func keepCollected(as type: WebPChunkType) {
        if let feature = type.feature { awaited.remove(feature) }
        switch type {
        case .extended:
            let header = WebPExtendedHeader(collected)
            extended = header
            awaited = header.features.intersection([.profile, .exif, .xmp])
        case .animation: loopCount = collected.littleEndian(at: 4, byteCount: 2)!
        case .profile: if frames.isEmpty { profile = collected }
        case .exif:
            isEXIFLate = isAnimated && !frames.isEmpty
            exif = EXIF.withoutPrefix(collected)
        case .xmp: xmp = collected
        case .frame, .alpha, .lossy, .lossless: break
        }
    }

    private mutating func passPadding() throws(ImageError) {
        // The padding byte after an alpha chunk is kept: libwebp skips it.
        if case .picture(.alpha) = use { try keep([0]) }
        try nextChunk()
    }

    /// Continues after a chunk and its padding.
    private mutating func nextChunk() throws(ImageError) {
        if let end = frameEnd, offset + 8 > end {
            guard frames[frames.count - 1].isComplete else {
                throw ImageError(
                    .corrupt, "frame \(frames.count - 1) of the WebP holds no image", byteOffset: offset)
            }
            // The rest is shorter than a chunk header, or is the frame's own padding.
            frameEnd = nil
            use = .skip
            isPadded = false
            let rest = min(end + end % 2, fileEnd) - offset
            part = rest > 0 ? .contents(remaining: rest) : .chunkHeader
            if rest > 0 { return }
        }
        part = frameEnd == nil && offset + 8 > fileEnd ? .end : .chunkHeader
    }
}

extension WebPChunkType {
    /// The VP8X flag that announces chunks of this type.
    fileprivate var feature: WebPExtendedHeader.Features? {
        switch self {
        case .profile: .profile
        case .exif: .exif
        case .xmp: .xmp
        default: nil
        }
    }
}
#endif
