internal import CTesseraLibDeflate
internal import Raster

/// Parses a PNG file as its bytes arrive (ISO/IEC 15948, 5.3).
///
/// Checks each chunk's CRC. Image data goes to `imageData` immediately; of the other chunks, the relevant ones are
/// collected and the rest are skipped.
struct PNGChunkReader {
    static let signature = ImageFormat.png.signatures[0]

    private enum Part {
        case signature
        case chunkHeader
        case chunkData(remaining: Int)
        case checksum
        case end
    }

    private let limits: DecodingLimits
    private var part = Part.signature
    /// The bytes so far of a part that must be complete.
    private var collected: [UInt8] = []
    private var type = PNGChunkType(code: 0)
    private var checksum: UInt32 = 0
    private var keepsData = false
    private var data: [UInt8] = []
    /// The number of bytes read from the file.
    private(set) var offset = 0

    private(set) var header: PNGHeader?
    private(set) var ancillary = PNGAncillaryData()
    /// Whether the first IDAT chunk has begun, so that everything before it is known.
    private(set) var hasReachedImageData = false
    /// The metadata before the image data, from which the orientation is read; later metadata comes too late for it.
    private(set) var leadingMetadata = ImageMetadata()
    private(set) var imageData = PNGByteQueue()
    /// A wrong checksum of image data. The pixels may still be correct.
    private(set) var damage: ImageError?
    /// The frames of an animation, which receive the image data; nil when decoding a still.
    ///
    /// A still from an animation of one frame is that frame: if the default image isn't part of the animation, the
    /// reader creates this list itself.
    private(set) var frames: PNGFrameList?
    private var hasReachedFrame = false

    init(limits: DecodingLimits, frames: PNGFrameList? = nil) {
        self.limits = limits
        self.frames = frames
    }

    /// Returns a reader that has read a frame as if it were a separate file.
    func frame(at index: Int) -> PNGChunkReader? {
        guard let frames, frames.frames.indices.contains(index) else { return nil }
        var still = self
        still.frames = nil
        still.header?.size = frames.frames[index].region.size
        still.imageData = frames.data(of: index)
        still.part = .end
        still.damage = nil
        return still
    }

    /// Whether the last chunk has been read.
    var isAtEnd: Bool {
        if case .end = part { true } else { false }
    }

    /// Calls `body` with the queue of image data to consume.
    mutating func withImageData<R>(_ body: (inout PNGByteQueue) -> R) -> R { body(&imageData) }

    /// Parses bytes; ignores those after the last chunk.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var rest = bytes
        while !rest.isEmpty {
            let taken: Int
            switch part {
            case .signature:
                taken = try collect(rest, upTo: 8) { (reader) throws(ImageError) in try reader.checkSignature() }
            case .chunkHeader:
                taken = try collect(rest, upTo: 8) { (reader) throws(ImageError) in try reader.beginChunk() }
            case .chunkData(let remaining): taken = try takeData(rest, remaining: remaining)
            case .checksum: taken = try collect(rest, upTo: 4) { (reader) throws(ImageError) in try reader.endChunk() }
            case .end: return
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
    }

    private mutating func collect(
        _ bytes: UnsafeRawBufferPointer, upTo count: Int,
        then next: (inout PNGChunkReader) throws(ImageError) -> Void
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

    private mutating func checkSignature() throws(ImageError) {
        guard collected == Self.signature else { throw ImageError(.corrupt, "not a PNG file", byteOffset: 0) }
        part = .chunkHeader
    }

    private mutating func beginChunk() throws(ImageError) {
        let length = collected[0..<4].reduce(0) { $0 << 8 | Int($1) }
        type = PNGChunkType(code: collected[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
        guard type.isValid, length <= 0x7FFF_FFFF else {
            throw ImageError(.corrupt, "no PNG chunk begins with \(length) and \(type)", byteOffset: offset - 8)
        }
        guard (header == nil) == (type == .header) else {
            throw ImageError(
                .corrupt,
                header == nil ? "the PNG file begins with \(type) instead of IHDR" : "the PNG file has two headers",
                byteOffset: offset - 8)
        }
        guard type.isAncillary || [.header, .palette, .imageData, .end].contains(type) else {
            throw ImageError(.unsupported, "the PNG chunk \(type) is unknown and critical", byteOffset: offset - 8)
        }
        if type == .imageData {
            guard header?.colorType != .indexed || ancillary.palette != nil else {
                throw ImageError(.corrupt, "the indexed PNG image has no palette", byteOffset: offset - 8)
            }
            if !hasReachedImageData {
                hasReachedImageData = true
                leadingMetadata = ImageMetadata(exif: ancillary.exif, xmp: ancillary.xmp)
                if frames == nil, ancillary.animation?.frameCount == 1, !hasReachedFrame {
                    frames = PNGFrameList(limits: limits)
                }
                try frames?.beginImageData(ancillary.animation, canvas: header!.size, offset: offset - 8)
            }
        }
        if type == .frameControl { hasReachedFrame = true }
        if type == .frameData { frames?.beginFrameData() }
        if type == .frameControl || type == .end { try frames?.end(offset: offset - 8) }
        keepsData =
            type == .header || (PNGAncillaryData.wants(type) && length <= limits.maximumMetadataByteCount)
            || (type == .frameControl && frames != nil && length == PNGFrameControl.byteCount)
        if type == .header, length != 13 {
            throw ImageError(.corrupt, "the PNG header has \(length) bytes instead of 13", byteOffset: offset - 8)
        }
        data.removeAll(keepingCapacity: true)
        checksum = collected[4..<8].withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, 4) }
        part = length == 0 ? .checksum : .chunkData(remaining: length)
    }

    private mutating func takeData(_ bytes: UnsafeRawBufferPointer, remaining: Int) throws(ImageError) -> Int {
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(remaining))
        checksum = libdeflate_crc32(checksum, piece.baseAddress, piece.count)
        if frames != nil, type == .imageData {
            try frames?.appendImageData(piece, offset: offset)
        } else if frames != nil, type == .frameData {
            try frames?.appendFrameData(piece, offset: offset)
        } else if type == .imageData {
            guard imageData.count <= limits.maximumInputByteCount - piece.count else {
                throw ImageError(
                    .limitExceeded,
                    "more than \(limits.maximumInputByteCount) bytes of the PNG image are waiting"
                        + " (DecodingLimits.maximumInputByteCount)",
                    byteOffset: offset)
            }
            imageData.append(piece)
        } else if keepsData {
            data.append(contentsOf: piece)
        }
        offset += piece.count
        part = remaining == piece.count ? .checksum : .chunkData(remaining: remaining - piece.count)
        return piece.count
    }

    private mutating func endChunk() throws(ImageError) {
        let stored = collected[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        part = type == .end ? .end : .chunkHeader
        guard stored == checksum else {
            let isOfFrames = frames != nil && (type == .frameControl || type == .frameData)
            // The standard allows decoders to ignore an ancillary chunk.
            guard !type.isAncillary || isOfFrames else { return }
            let error = ImageError(.corrupt, "the checksum of the PNG chunk \(type) is wrong", byteOffset: offset - 4)
            // Rows are decoded before the checksum of their data arrives, and IEND has no data.
            guard type == .imageData || type == .end else { throw error }
            damage = damage ?? error
            return
        }
        if type == .header {
            let header = try PNGHeader(data, offset: offset - 4 - data.count)
            try limits.check(header.size, format: .png)
            self.header = header
        } else if type == .frameControl {
            if let header { try frames?.begin(data, canvas: header.size, offset: offset - 4 - data.count) }
        } else if keepsData, let header, !hasReachedImageData || type == .exif || type == .internationalText {
            // Chunks that affect how pixels are read must precede the image data.
            try ancillary.read(type, data, header: header, limits: limits, offset: offset - 4 - data.count)
        }
    }
}

extension PNGChunkReader {
    /// The image header from the chunks so far, and the expander for its rows; nil before IHDR.
    func imageHeader(_ options: DecodingOptions) -> (header: ImageHeader, expander: PNGRowExpander)? {
        guard let stored = header else { return nil }
        let expander = PNGRowExpander(
            stored, ancillary: ancillary, maximumBitsPerChannel: options.maximumBitsPerChannel)
        let colorModel: ImageHeader.ColorModel =
            switch stored.colorType {
            case .gray, .grayAlpha: .gray
            case .indexed: .indexed
            case .rgb, .rgba: .rgb
            }
        let header = ImageHeader(
            format: .png, storedSize: stored.size, colorModel: colorModel, bitsPerChannel: stored.bitDepth,
            hasAlpha: expander.hasAlpha, profile: ancillary.colorProfile, isProgressive: stored.isInterlaced,
            sequence: ancillary.animation?.sequence,
            metadata: ImageMetadata(
                orientation: leadingMetadata.orientationInBlocks(options), exif: ancillary.exif,
                xmp: ancillary.xmp, resolution: ancillary.resolution))
        return (header, expander)
    }
}
