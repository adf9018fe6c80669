/// Reads the extensions of a GIF file that are used: frame control, loop count, XMP and ICC profile.
///
/// Ignores comments and plain text.
struct GIFExtensionReader {
    private enum Kind {
        case other, graphicControl
        /// An application extension whose name hasn't been read.
        case application
        case loops, xmp, profile
    }

    private var kind = Kind.other
    private var control: GIFGraphicControl?
    private var bytes: [UInt8] = []

    /// The size limit for metadata; larger blocks are ignored.
    var maximumByteCount = 0
    /// The number of times the animation plays, 0 for endless; nil if the file has no loop count.
    private(set) var loopCount: Int?
    private(set) var xmp: [UInt8]?
    private(set) var profile: [UInt8]?

    /// Starts an extension with this label.
    mutating func begin(label: UInt8) {
        control = nil
        bytes = []
        switch label {
        case 0xF9: kind = .graphicControl
        case 0xFF: kind = .application
        default: kind = .other
        }
    }

    /// Reads the next block.
    mutating func append(_ block: [UInt8]) {
        switch kind {
        case .other: break
        case .graphicControl:
            if let read = GIFGraphicControl(block) { control = read }
            kind = .other
        case .application: kind = Self.kind(ofApplication: block)
        case .loops:
            // The stored number counts repetitions after the first play, as browsers, ImageMagick and libvips read it.
            // 0 is endless.
            guard block.count >= 3, block[0] & 7 == 1 else { break }
            let repetitions = Int(block[1]) | Int(block[2]) << 8
            loopCount = repetitions == 0 ? 0 : repetitions + 1
        case .xmp:
            // The packet isn't divided into blocks: the length bytes are part of its text.
            collect([UInt8(block.count)] + block)
        case .profile: collect(block)
        }
    }

    private static func kind(ofApplication name: [UInt8]) -> Kind {
        switch String(decoding: name, as: UTF8.self) {
        case "NETSCAPE2.0", "ANIMEXTS1.0": .loops
        case "XMP DataXMP": .xmp
        case "ICCRGBG1012": .profile
        default: .other
        }
    }

    private mutating func collect(_ block: [UInt8]) {
        guard block.count <= maximumByteCount - bytes.count else {
            bytes = []
            kind = .other
            return
        }
        bytes += block
    }

    /// Ends the extension.
    /// - Returns: The control of the next image, if the extension was a graphic control.
    mutating func finish() -> GIFGraphicControl? {
        switch kind {
        case .xmp where xmp == nil: xmp = Self.packet(bytes)
        case .profile where profile == nil && !bytes.isEmpty: profile = bytes
        default: break
        }
        kind = .other
        bytes = []
        return control
    }

    /// The XMP packet without the trailer that leads block readers to its end: 1, then 255 down to 0. The 0 that
    /// follows is the block terminator (XMP specification part 3, 1.1.2).
    private static func packet(_ bytes: [UInt8]) -> [UInt8]? {
        let trailer = [1] + (0...255).reversed().map { UInt8($0) }
        guard bytes.count > trailer.count, bytes.suffix(trailer.count).elementsEqual(trailer) else { return nil }
        return Array(bytes.dropLast(trailer.count))
    }
}
