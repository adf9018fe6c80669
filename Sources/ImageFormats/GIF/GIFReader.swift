internal import Raster

/// Parses the blocks of a GIF file as its bytes arrive, without unpacking pixels.
///
/// As lenient as viewers: skips zeros between blocks, accepts a missing trailer, and ignores anything after the
/// trailer. Any other invalid block ends parsing with an error.
struct GIFReader {
    /// The frames whose palettes and pixels are kept.
    enum Keeping {
        /// Only the first; further frames are just counted.
        case firstFrame
        /// All frames.
        case everyFrame
    }

    private enum State {
        case screen, globalPalette, introducer, extensionLabel, descriptor, localPalette, codeSize
        /// The length of an extension's sub-block, and its bytes.
        case blockLength, block
        /// The length of an image data sub-block, and its bytes.
        case dataLength, data
        case end
    }

    private let keeping: Keeping
    private let limits: DecodingLimits
    private var state = State.screen
    /// The number of bytes that the current state needs.
    private var needed = Self.screenByteCount
    /// The bytes collected for the current state, except image data.
    private var part: [UInt8] = []
    private var extensionReader = GIFExtensionReader()
    private var control = GIFGraphicControl()
    private var keptByteCount = 0

    /// The length of the signature and logical screen descriptor.
    private static let screenByteCount = 13

    /// The number of bytes read.
    private(set) var offset = 0
    /// The size of the logical screen, once its descriptor is read.
    private(set) var screen: PixelSize?
    /// The global palette, three bytes per colour.
    private(set) var globalPalette: [UInt8]?
    /// The frames kept, each added when its descriptor is read.
    private(set) var frames: [GIFFrame] = []
    /// The number of frames that have begun.
    private(set) var frameCount = 0
    /// Whether the trailer was read.
    private(set) var isAtEnd = false
    /// The error that ended parsing.
    private(set) var damage: ImageError?

    init(keeping: Keeping, limits: DecodingLimits) {
        self.keeping = keeping
        self.limits = limits
        extensionReader.maximumByteCount = limits.maximumMetadataByteCount
    }

    /// The number of times the animation plays, 0 for endless; nil if the file has no loop count.
    var loopCount: Int? { extensionReader.loopCount }
    /// The XMP packet.
    var xmp: [UInt8]? { extensionReader.xmp }
    /// The ICC profile.
    var profile: [UInt8]? { extensionReader.profile }

    /// The canvas size: the logical screen, enlarged to contain the first frame; nil before the first frame.
    ///
    /// Pillow and Wuffs (and with it Chrome) enlarge it too. Later frames are cropped to the canvas, whose size is
    /// known by then.
    var canvasSize: PixelSize? {
        guard let screen, let first = frames.first else { return nil }
        let region = first.region
        guard !region.isEmpty else { return screen }
        return PixelSize(
            width: max(screen.width, region.x + region.width), height: max(screen.height, region.y + region.height))
    }

    /// The header for an image that shows only `first`, on a canvas of `size`.
    func header(_ first: GIFFrame, _ size: PixelSize, _ limits: DecodingLimits) throws(ImageError) -> ImageHeader {
        try limits.check(size, format: .gif)
        return ImageHeader(
            format: .gif, storedSize: size, colorModel: .indexed,
            hasAlpha: first.control.transparentIndex != nil || first.region != PixelRect(size),
            profile: profile.map { .icc($0) } ?? .sRGB, isProgressive: first.isInterlaced)
    }

    /// The frame and loop counts, as far as known.
    func sequence(isInputFinished: Bool) -> ImageSequence {
        ImageSequence(.animation, count: isAtEnd || isInputFinished ? frameCount : nil, loopCount: loopCount ?? 1)
    }

    /// Parses the next bytes. Ignores bytes after `damage` or the trailer.
    mutating func append(_ bytes: RawSpan) {
        var position = 0
        while position < bytes.byteCount, state != .end {
            let count = min(needed - (state == .data ? 0 : part.count), bytes.byteCount - position)
            let piece = bytes.extracting(position..<(position + count))
            position += count
            offset += count
            if state == .data {
                take(piece)
            } else {
                // Used within the call only.
                piece.withUnsafeBytes { part.append(contentsOf: $0) }
                if part.count == needed {
                    advance()
                    part.removeAll(keepingCapacity: true)
                }
            }
        }
    }

    /// Drops the first `count` bytes of the first frame's codes, which have been unpacked.
    mutating func dropData(_ count: Int) {
        frames[0].data.removeFirst(count)
        keptByteCount -= count
    }

    private mutating func enter(_ state: State, needing count: Int = 1) {
        self.state = state
        needed = count
    }

    private mutating func end(_ damage: ImageError? = nil) {
        self.damage = damage
        isAtEnd = damage == nil
        state = .end
    }

    /// Leaves a state whose bytes are all in `part`.
    private mutating func advance() {
        switch state {
        case .screen: readScreen()
        case .globalPalette:
            globalPalette = part
            enter(.introducer)
        case .introducer: readIntroducer()
        case .extensionLabel:
            extensionReader.begin(label: part[0])
            enter(.blockLength)
        case .blockLength: readBlockLength()
        case .block:
            extensionReader.append(part)
            enter(.blockLength)
        case .descriptor: readDescriptor()
        case .localPalette:
            if keepsCurrentFrame { frames[frames.count - 1].localPalette = part }
            enter(.codeSize)
        case .codeSize:
            if keepsCurrentFrame {
                frames[frames.count - 1].minimumCodeSize = Int(part[0])
                frames[frames.count - 1].dataOffset = offset
            }
            enter(.dataLength)
        case .dataLength:
            if part[0] > 0 {
                enter(.data, needing: Int(part[0]))
            } else {
                if keepsCurrentFrame { frames[frames.count - 1].isComplete = true }
                enter(.introducer)
            }
        case .data, .end: break
        }
    }

    /// The two-byte number at `offset` in `part`.
    private func number(at offset: Int) -> Int { part.littleEndian(at: offset, byteCount: 2)! }

    private mutating func readScreen() {
        guard ImageFormat.gif.signatures.contains(where: { part.starts(with: $0) }) else {
            return end(ImageError(.corrupt, "the file doesn't begin as a GIF", byteOffset: 0))
        }
        screen = PixelSize(width: number(at: 6), height: number(at: 8))
        if part[10] & 0x80 != 0 {
            enter(.globalPalette, needing: 3 << (Int(part[10] & 7) + 1))
        } else {
            enter(.introducer)
        }
    }

    private mutating func readIntroducer() {
        switch part[0] {
        case 0x21: enter(.extensionLabel)
        case 0x2C: enter(.descriptor, needing: 9)
        case 0x3B: end()
        case 0: enter(.introducer)
        default:
            end(ImageError(.corrupt, "\(part[0]) begins no block of a GIF file", byteOffset: offset - 1))
        }
    }

    private mutating func readBlockLength() {
        if part[0] > 0 { return enter(.block, needing: Int(part[0])) }
        if let read = extensionReader.finish() { control = read }
        enter(.introducer)
    }

    private mutating func readDescriptor() {
        if keeping == .everyFrame, frameCount == limits.maximumFrameCount {
            return end(
                ImageError(
                    .limitExceeded,
                    "the GIF file has more frames than the limit of \(limits.maximumFrameCount)"
                        + " (DecodingLimits.maximumFrameCount)",
                    byteOffset: offset))
        }
        frameCount += 1
        let frame = GIFFrame(
            region: PixelRect(x: number(at: 0), y: number(at: 2), width: number(at: 4), height: number(at: 6)),
            isInterlaced: part[8] & 0x40 != 0, control: control)
        if keepsCurrentFrame { frames.append(frame) }
        control = GIFGraphicControl()
        if part[8] & 0x80 != 0 {
            enter(.localPalette, needing: 3 << (Int(part[8] & 7) + 1))
        } else {
            enter(.codeSize)
        }
    }

    private var keepsCurrentFrame: Bool { keeping == .everyFrame || frameCount == 1 }

    private mutating func take(_ codes: RawSpan) {
        needed -= codes.byteCount
        if keepsCurrentFrame {
            guard codes.byteCount <= limits.maximumInputByteCount - keptByteCount else {
                return end(
                    ImageError(
                        .limitExceeded,
                        "the GIF file is larger than the limit of \(limits.maximumInputByteCount) bytes"
                            + " (DecodingLimits.maximumInputByteCount)",
                        byteOffset: offset))
            }
            keptByteCount += codes.byteCount
            // Used within the call only.
            codes.withUnsafeBytes { frames[frames.count - 1].data.append(contentsOf: $0) }
        }
        if needed == 0 { enter(.dataLength) }
    }
}
