internal import Raster

/// Takes a GIF file apart as its bytes arrive: blocks, not pixels.
///
/// Lenient where viewers are: zeros between blocks are skipped, the trailer may be missing, and what follows it is left
/// aside. Anything else that is no block ends the file with an error.
struct GIFReader {
    /// Which frames' palettes and pixels are kept.
    enum Keeping {
        /// The first one's; the others are only counted.
        case firstFrame
        /// All of them.
        case everyFrame
    }

    private enum State {
        case screen, globalPalette, introducer, extensionLabel, descriptor, localPalette, codeSize
        /// The length of a block of an extension, and its bytes.
        case blockLength, block
        /// The length of a block of codes, and its bytes.
        case dataLength, data
        case end
    }

    private let keeping: Keeping
    private let limits: DecodingLimits
    private var state = State.screen
    /// How many bytes the current state takes.
    private var needed = Self.screenByteCount
    /// Those that it has got, but for codes.
    private var part: [UInt8] = []
    private var extensionReader = GIFExtensionReader()
    private var control = GIFGraphicControl()
    private var keptByteCount = 0

    /// Signature and logical screen descriptor.
    private static let screenByteCount = 13

    /// How many bytes were read.
    private(set) var offset = 0
    /// The logical screen, once it and its palette are read.
    private(set) var screen: PixelSize?
    /// The global colours, three bytes each.
    private(set) var globalPalette: [UInt8]?
    /// The frames that are kept, from the moment when their codes begin.
    private(set) var frames: [GIFFrame] = []
    /// How many frames have begun.
    private(set) var frameCount = 0
    /// Whether the trailer was read.
    private(set) var isAtEnd = false
    /// What made the rest useless.
    private(set) var damage: ImageError?

    init(keeping: Keeping, limits: DecodingLimits) {
        self.keeping = keeping
        self.limits = limits
        extensionReader.maximumByteCount = limits.maximumMetadataByteCount
    }

    /// How often the frames are shown, 0 for without end; nil where the file doesn't say.
    var loopCount: Int? { extensionReader.loopCount }
    /// The XMP packet.
    var xmp: [UInt8]? { extensionReader.xmp }
    /// The ICC profile.
    var profile: [UInt8]? { extensionReader.profile }

    /// The picture's size: the logical screen, made larger where the first frame reaches beyond; nil before the first
    /// frame.
    ///
    /// Pillow, Wuffs and so Chrome enlarge it too. What later frames have beyond is cut off, as the size is known by
    /// then.
    var canvasSize: PixelSize? {
        guard let screen, let first = frames.first else { return nil }
        let region = first.region
        guard !region.isEmpty else { return screen }
        return PixelSize(
            width: max(screen.width, region.x + region.width), height: max(screen.height, region.y + region.height))
    }

    /// What is said of the picture where it shows `first` alone, on a canvas of `size`.
    func header(_ first: GIFFrame, _ size: PixelSize, _ limits: DecodingLimits) throws(ImageError) -> ImageHeader {
        try limits.check(size, format: .gif)
        return ImageHeader(
            format: .gif, storedSize: size, colorModel: .indexed,
            hasAlpha: first.control.transparentIndex != nil || first.region != PixelRect(size),
            profile: profile.map { .icc($0) } ?? .sRGB, isProgressive: first.isInterlaced)
    }

    /// What is known of the frames.
    func sequence(isInputFinished: Bool) -> ImageSequence {
        ImageSequence(.animation, count: isAtEnd || isInputFinished ? frameCount : nil, loopCount: loopCount ?? 1)
    }

    /// Takes the bytes that come next. After `damage` or the trailer they are left aside.
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

    /// Drops codes of the first frame that have been unpacked.
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

    /// Goes on from a state whose bytes are all in `part`.
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

    /// The number of two bytes in the part that is there.
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
                    .limitExceeded, "the GIF file has more frames than the limit of \(limits.maximumFrameCount)",
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
                        "the GIF file is larger than the limit of \(limits.maximumInputByteCount) bytes",
                        byteOffset: offset))
            }
            keptByteCount += codes.byteCount
            // Used within the call only.
            codes.withUnsafeBytes { frames[frames.count - 1].data.append(contentsOf: $0) }
        }
        if needed == 0 { enter(.dataLength) }
    }
}
