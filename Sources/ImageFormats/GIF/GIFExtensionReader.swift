/// Reads the extensions of a GIF file that say something of use: how frames are shown, how often, XMP, an ICC profile.
///
/// Comments and plain text are left aside.
struct GIFExtensionReader {
    private enum Kind {
        case other, graphicControl
        /// An application's, of which only the name is awaited.
        case application
        case loops, xmp, profile
    }

    private var kind = Kind.other
    private var control: GIFGraphicControl?
    private var bytes: [UInt8] = []

    /// Metadata larger than this are left out.
    var maximumByteCount = 0
    /// How often the frames are shown, 0 for without end; nil where the file doesn't say.
    private(set) var loopCount: Int?
    private(set) var xmp: [UInt8]?
    private(set) var profile: [UInt8]?

    /// An extension of this kind begins.
    mutating func begin(label: UInt8) {
        control = nil
        bytes = []
        switch label {
        case 0xF9: kind = .graphicControl
        case 0xFF: kind = .application
        default: kind = .other
        }
    }

    /// Takes the block that comes next.
    mutating func append(_ block: [UInt8]) {
        switch kind {
        case .other: break
        case .graphicControl:
            if let read = GIFGraphicControl(block) { control = read }
            kind = .other
        case .application: kind = Self.kind(ofApplication: block)
        case .loops:
            // The number says how often the frames are repeated after they were shown once; browsers, ImageMagick and
            // libvips agree. 0 is without end.
            guard block.count >= 3, block[0] & 7 == 1 else { break }
            let repetitions = Int(block[1]) | Int(block[2]) << 8
            loopCount = repetitions == 0 ? 0 : repetitions + 1
        case .xmp:
            // The packet isn't cut into blocks: what reads as a block's length is a character of it.
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

    /// The extension's last block was taken.
    /// - Returns: How the next picture is shown, where it was this that the extension said.
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

    /// The XMP packet before the bytes that lead readers of blocks to its end: 1, then 255 down to 0 and 0 once more,
    /// of which the last ends the extension (XMP specification part 3, 1.1.2).
    private static func packet(_ bytes: [UInt8]) -> [UInt8]? {
        let trailer = [1] + (0...255).reversed().map { UInt8($0) }
        guard bytes.count > trailer.count, bytes.suffix(trailer.count).elementsEqual(trailer) else { return nil }
        return Array(bytes.dropLast(trailer.count))
    }
}
