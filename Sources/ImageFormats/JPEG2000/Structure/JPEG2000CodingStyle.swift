#if JPEG2000
/// How the samples of an image or a tile are coded: the markers COD and COC (ISO/IEC 15444-1, A.6).
struct JPEG2000CodingStyle: Sendable {
    /// The style of one component.
    struct Component: Sendable {
        /// The number of decomposition levels, so that there are one more resolutions.
        var levelCount: Int
        /// Exponents of a code block's sides.
        var blockWidth: Int
        var blockHeight: Int
        /// How code blocks are coded (table A.19).
        var blockStyle: UInt8
        /// Exponents of the precincts' sides at each resolution, the smallest first; 15 where none are given.
        var precincts: [(width: Int, height: Int)]

        /// Reads the parameters that COD and COC share, from `offset` on; nil if they are invalid.
        init?(_ bytes: [UInt8], at offset: Int, hasPrecincts: Bool) {
            guard offset + 5 <= bytes.count else { return nil }
            levelCount = Int(bytes[offset])
            blockWidth = Int(bytes[offset + 1] & 15) + 2
            blockHeight = Int(bytes[offset + 2] & 15) + 2
            blockStyle = bytes[offset + 3]
            guard levelCount <= 32, blockWidth <= 10, blockHeight <= 10, blockWidth + blockHeight <= 12 else {
                return nil
            }
            precincts = [(15, 15)]
            guard hasPrecincts else {
                precincts = Array(repeating: (15, 15), count: levelCount + 1)
                return
            }
            guard offset + 5 + levelCount < bytes.count else { return nil }
            precincts = (0...levelCount).map { index in
                let byte = bytes[offset + 5 + index]
                return (Int(byte & 15), Int(byte >> 4))
            }
            // Only the smallest resolution isn't divided into bands of half its size.
            guard precincts.dropFirst().allSatisfy({ $0.width > 0 && $0.height > 0 }) else { return nil }
        }
    }

    private(set) var layerCount = 1
    /// The order of packets (table A.16).
    private(set) var progression: UInt8 = 0
    /// Whether there may be a marker before each packet.
    private(set) var marksPackets = false
    /// Whether there is a marker behind each packet's header.
    private var marksHeaderEnds = false
    /// Whether the order changes within a tile, or the packets' headers are apart from them.
    private var isIrregular = false
    /// The style of components without a separate one; nil until COD was read.
    private var common: Component?
    private var own: [Int: Component] = [:]

    /// Whether the packets of each resolution come before those of the next larger one, their headers with them, and may be
    /// missing from one on. Where their headers' ends are marked, OpenJPEG wants each mark.
    var isByResolution: Bool {
        !isIrregular && !marksHeaderEnds
            && (progression == Self.byResolutionAndLayer || progression == Self.byResolutionAndPlace)
    }

    /// The style of the component at `index`; nil if the header gave none.
    subscript(_ index: Int) -> Component? { own[index] ?? common }

    /// The fewest levels of any of `count` components.
    func leastLevelCount(componentCount count: Int) -> Int {
        var least = common?.levelCount ?? 0
        for (index, style) in own where index < count { least = min(least, style.levelCount) }
        return least
    }

    /// Takes a segment, its marker and length left out; false if it is invalid.
    mutating func take(_ marker: Int, _ bytes: [UInt8], componentCount: Int) -> Bool {
        switch marker {
        case Self.cod:
            guard bytes.count >= 10,
                let style = Component(bytes, at: 5, hasPrecincts: bytes[0] & 1 == 1)
            else { return false }
            (marksPackets, marksHeaderEnds) = (bytes[0] & 2 != 0, bytes[0] & 4 != 0)
            progression = bytes[1]
            layerCount = Int(bytes[2]) << 8 | Int(bytes[3])
            common = style
            return layerCount > 0
        case Self.coc:
            let width = componentCount < 257 ? 1 : 2
            guard bytes.count > width, let index = bytes.bigEndian(at: 0, byteCount: width), index < componentCount,
                let style = Component(bytes, at: width + 1, hasPrecincts: bytes[width] & 1 == 1)
            else { return false }
            own[index] = style
            return true
        case Self.poc, Self.ppt:
            isIrregular = true
            return true
        default: return true
        }
    }

    /// This style with the segments of a tile's header, which take precedence; nil if one is invalid.
    func with(_ segments: [(marker: Int, bytes: [UInt8])], componentCount: Int) -> JPEG2000CodingStyle? {
        var changed = self
        if segments.contains(where: { $0.marker == Self.cod }) { changed.own = [:] }
        for segment in segments where !changed.take(segment.marker, segment.bytes, componentCount: componentCount) {
            return nil
        }
        return changed
    }

    static let cod = 0xFF52
    static let coc = 0xFF53
    private static let poc = 0xFF5F
    private static let ppt = 0xFF61
    /// The segments of a tile's header that say how it is coded.
    static let markers = [cod, coc, poc, ppt]

    // Orders of packets, and bits of a code block's style.
    static let byResolutionAndLayer: UInt8 = 1
    private static let byResolutionAndPlace: UInt8 = 2
    static let bypasses: UInt8 = 1
    static let terminatesAll: UInt8 = 4
    static let highThroughput: UInt8 = 0x40
}
#endif
