#if JPEG2000
/// The packets of a tile's smallest resolutions, read by their headers alone to find where they end (ISO/IEC 15444-1, B.9 to
/// B.12).
///
/// A decoder of a small version needs no others. Where the packets of each resolution come before those of the next larger one,
/// it needs nothing behind them.
struct JPEG2000Packets {
    /// A code block: how its next length is written.
    private struct Block {
        var isIncluded = false
        var lengthBits = 3
        /// The passes so far of its last segment, and the most that this one can have.
        var passCount = 0
        var mostPasses = 0
    }

    /// The code blocks of a band in a precinct.
    private struct Band {
        var blocks: [Block]
        var inclusion: JPEG2000TagTree
        var zeroPlanes: JPEG2000TagTree
    }

    private struct Precinct {
        let component: Int
        let index: Int
        /// Its corner on the grid, by which precincts of different components are ordered.
        let place: (y: Int, x: Int)
        let blockStyle: UInt8
        var bands: [Band]
    }

    /// The precincts of each resolution that is needed, in order.
    private var resolutions: [[Precinct]] = []
    private let layerCount: Int
    private let isByLayer: Bool
    private let style: JPEG2000CodingStyle
    /// The next packet: its resolution, and its number within that.
    private var resolution = 0
    private var number = 0

    /// More code blocks aren't worth the time: they are a picture of 16 megapixels.
    private static let mostBlocks = 1 << 14

    /// Prepares to read the packets of a tile that covers `tile` of the grid, of the resolutions that are left when it is halved
    /// `halvings` times.
    /// - Returns: nil if packets of larger resolutions may come before them, or if they can't be told apart.
    init?(
        _ style: JPEG2000CodingStyle, _ tile: JPEG2000Grid.Area, _ components: [JPEG2000Grid.Component], halvings: Int
    ) {
        guard let levelCount = style[0]?.levelCount, style.isByResolution, halvings <= levelCount, levelCount <= 20
        else { return nil }
        self.style = style
        (layerCount, isByLayer) = (style.layerCount, style.progression == JPEG2000CodingStyle.byResolutionAndLayer)
        var blockCount = 0
        for resolution in 0...(levelCount - halvings) {
            var precincts: [Precinct] = []
            for (index, component) in components.enumerated() {
                // The resolutions of components with different numbers of levels don't belong together.
                guard let own = style[index], own.levelCount == levelCount,
                    own.blockStyle & JPEG2000CodingStyle.highThroughput == 0,
                    let found = Self.precincts(
                        of: index, component, own, tile, resolution: resolution, room: Self.mostBlocks - blockCount)
                else { return nil }
                blockCount += found.reduce(0) { $0 + $1.bands.reduce(1) { $0 + $1.blocks.count } }
                precincts += found
            }
            if !isByLayer {
                precincts.sort {
                    ($0.place.y, $0.place.x, $0.component, $0.index) < ($1.place.y, $1.place.x, $1.component, $1.index)
                }
            }
            resolutions.append(precincts)
        }
    }

    /// The precincts of a component's resolution; nil if there are more than `room`, with their code blocks.
    private static func precincts(
        of index: Int, _ component: JPEG2000Grid.Component, _ style: JPEG2000CodingStyle.Component,
        _ tile: JPEG2000Grid.Area, resolution: Int, room: Int
    ) -> [Precinct]? {
        let area = tile.sampled(component.dx, component.dy)
        let halvings = style.levelCount - resolution
        let part = area.reduced(halvings)
        guard !part.x.isEmpty, !part.y.isEmpty else { return [] }
        let size = style.precincts[resolution]
        let (across, down) = (part.x.cells(size.width), part.y.cells(size.height))
        guard across.count <= room, down.count <= room, across.count * down.count <= room else { return nil }
        // Where a precinct begins on the grid; the first may begin before the tile.
        func place(_ cell: Int, _ exponent: Int, _ part: Range<Int>, _ step: Int, _ tile: Range<Int>) -> Int {
            cell << exponent < part.lowerBound ? tile.lowerBound : (cell << exponent) * step << halvings
        }
        // Beyond the smallest resolution there are three bands of half its size.
        let isBand = resolution > 0
        let (width, height) = (size.width - (isBand ? 1 : 0), size.height - (isBand ? 1 : 0))
        let (blockWidth, blockHeight) = (min(style.blockWidth, width), min(style.blockHeight, height))
        let kinds = isBand ? [(true, false), (false, true), (true, true)] : [(false, false)]
        let areas = kinds.map { isRight, isLow in
            isBand
                ? JPEG2000Grid.Area(
                    x: area.x.band(halvings + 1, isHigh: isRight), y: area.y.band(halvings + 1, isHigh: isLow)) : part
        }
        var precincts: [Precinct] = []
        var left = room
        for y in down {
            for x in across {
                var bands: [Band] = []
                for area in areas {
                    let columns = area.x.clamped(to: x << width..<(x + 1) << width).cells(blockWidth).count
                    let rows = area.y.clamped(to: y << height..<(y + 1) << height).cells(blockHeight).count
                    guard columns > 0, rows > 0 else { continue }
                    guard columns <= left, rows <= left, columns * rows <= left else { return nil }
                    left -= columns * rows
                    let tree = JPEG2000TagTree(columns, rows)
                    bands.append(
                        Band(
                            blocks: [Block](repeating: Block(), count: columns * rows), inclusion: tree,
                            zeroPlanes: tree))
                }
                precincts.append(
                    Precinct(
                        component: index, index: precincts.count,
                        place: (
                            place(y, size.height, part.y, component.dy, tile.y),
                            place(x, size.width, part.x, component.dx, tile.x)
                        ), blockStyle: style.blockStyle, bands: bands))
            }
        }
        return precincts
    }

    /// The end of the packets that are needed, or of those in a tile-part.
    enum End: Equatable {
        /// All were read, up to this byte.
        case complete(Int)
        /// The bytes end behind a packet.
        case betweenPackets
        /// The bytes end within a packet, or are damaged.
        case withinPacket
    }

    /// Reads packets from byte `start` on.
    mutating func read(_ bytes: [UInt8], from start: Int) -> End {
        var offset = start
        while resolution < resolutions.count {
            let count = resolutions[resolution].count
            guard number < count * layerCount else {
                (resolution, number) = (resolution + 1, 0)
                continue
            }
            guard offset < bytes.count else { return .betweenPackets }
            let (precinct, layer) =
                isByLayer ? (number % count, number / count) : (number / layerCount, number % layerCount)
            guard let end = Self.end(of: &resolutions[resolution][precinct], layer, style, bytes, from: offset) else {
                return .withinPacket
            }
            offset = end
            number += 1
        }
        return .complete(offset)
    }

    /// The end of the packet of a precinct and a layer; nil if the bytes end before, or are damaged.
    private static func end(
        of precinct: inout Precinct, _ layer: Int, _ style: JPEG2000CodingStyle, _ bytes: [UInt8], from start: Int
    ) -> Int? {
        var start = start
        if style.marksPackets, bytes.bigEndian(at: start, byteCount: 2) == 0xFF91 { start += 6 }
        var reader = JPEG2000HeaderBits(bytes, from: start)
        var byteCount = 0
        if reader.bit() {
            for band in precinct.bands.indices {
                for block in precinct.bands[band].blocks.indices {
                    guard
                        let count = Self.byteCount(
                            of: block, in: &precinct.bands[band], layer, precinct.blockStyle, &reader)
                    else { return nil }
                    byteCount += count
                }
            }
        }
        guard let end = reader.end() else { return nil }
        return byteCount <= bytes.count - end ? end + byteCount : nil
    }

    /// Reads a code block's part of a packet's header: the number of its bytes in the packet (B.10.3 to B.10.7).
    private static func byteCount(
        of index: Int, in band: inout Band, _ layer: Int, _ blockStyle: UInt8, _ reader: inout JPEG2000HeaderBits
    ) -> Int? {
        var block = band.blocks[index]
        defer { band.blocks[index] = block }
        if block.isIncluded {
            guard reader.bit() else { return 0 }
        } else {
            guard band.inclusion.isValue(of: index, below: layer + 1, &reader) else { return 0 }
            var planes = 1
            while !band.zeroPlanes.isValue(of: index, below: planes, &reader) {
                planes += 1
                guard planes < 128 else { return nil }
            }
            block.isIncluded = true
            block.mostPasses = Self.mostPasses(after: 0, blockStyle)
        }
        var passes = Self.passCount(&reader)
        while reader.bit() { block.lengthBits += 1 }
        var byteCount = 0
        while passes > 0 {
            if block.passCount == block.mostPasses {
                (block.passCount, block.mostPasses) = (0, Self.mostPasses(after: block.mostPasses, blockStyle))
            }
            let count = min(passes, block.mostPasses - block.passCount)
            let length = block.lengthBits + Int.bitWidth - 1 - count.leadingZeroBitCount
            guard length <= 32 else { return nil }
            byteCount += reader.bits(length)
            block.passCount += count
            passes -= count
        }
        return byteCount
    }

    /// The number of new coding passes (table B.4).
    private static func passCount(_ reader: inout JPEG2000HeaderBits) -> Int {
        guard reader.bit() else { return 1 }
        guard reader.bit() else { return 2 }
        let few = reader.bits(2)
        guard few == 3 else { return 3 + few }
        let more = reader.bits(5)
        return more < 31 ? 6 + more : 37 + reader.bits(7)
    }

    /// The most passes of the segment behind one of at most `last`, or of the first (table D.9).
    private static func mostPasses(after last: Int, _ blockStyle: UInt8) -> Int {
        if blockStyle & JPEG2000CodingStyle.terminatesAll != 0 { return 1 }
        if blockStyle & JPEG2000CodingStyle.bypasses == 0 { return .max }
        return last == 0 ? 10 : last == 1 || last == 10 ? 2 : 1
    }
}

/// A tag tree: numbers of a grid of leaves, each node the least of those below it (B.10.2).
private struct JPEG2000TagTree {
    private struct Node {
        /// The node above; itself at the top.
        var parent: Int
        /// A number that the value isn't below, and the value once it is known.
        var least = 0
        var value = Int.max
    }

    private var nodes: [Node] = []

    init(_ width: Int, _ height: Int) {
        var (width, height) = (width, height)
        while true {
            let (first, across) = (nodes.count, (width + 1) / 2)
            let isTop = width * height == 1
            for y in 0..<height {
                for x in 0..<width {
                    nodes.append(Node(parent: isTop ? first : first + width * height + y / 2 * across + x / 2))
                }
            }
            if isTop { return }
            (width, height) = (across, (height + 1) / 2)
        }
    }

    /// Whether a leaf's value is below a number, for which as many bits are read as are needed.
    mutating func isValue(of leaf: Int, below limit: Int, _ reader: inout JPEG2000HeaderBits) -> Bool {
        var path = [leaf]
        while nodes[path.last!].parent != path.last! { path.append(nodes[path.last!].parent) }
        var least = 0
        for index in path.reversed() {
            least = max(least, nodes[index].least)
            while least < limit, least < nodes[index].value {
                if reader.bit() { nodes[index].value = least } else { least += 1 }
            }
            nodes[index].least = least
        }
        return nodes[leaf].value < limit
    }
}

/// Reads the bits of a packet's header: behind a byte of ones there is a stuffed zero (B.10.1).
private struct JPEG2000HeaderBits {
    private let bytes: [UInt8]
    private var offset: Int
    private var current: UInt8 = 0
    private var left = 0
    private var isPastEnd = false

    init(_ bytes: [UInt8], from offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    mutating func bit() -> Bool {
        if left == 0 { takeByte() }
        left -= 1
        return current >> UInt8(left) & 1 == 1
    }

    mutating func bits(_ count: Int) -> Int { (0..<count).reduce(0) { value, _ in value << 1 | (bit() ? 1 : 0) } }

    private mutating func takeByte() {
        left = current == 0xFF ? 7 : 8
        isPastEnd = isPastEnd || offset >= bytes.count
        current = isPastEnd ? 0 : bytes[offset]
        offset += 1
    }

    /// The byte behind the header; nil if the bytes ended before.
    mutating func end() -> Int? {
        if current == 0xFF { takeByte() }
        return isPastEnd ? nil : offset
    }
}

extension Range<Int> {
    /// The cells of 2 to the power of `exponent` that the range touches.
    fileprivate func cells(_ exponent: Int) -> Range<Int> {
        isEmpty ? 0..<0 : lowerBound >> exponent..<(upperBound - 1) >> exponent + 1
    }

    /// The samples that are left after `count` halvings by the low-pass filter, or by the high-pass filter in the last (B-15).
    fileprivate func band(_ count: Int, isHigh: Bool) -> Range<Int> {
        func up(_ value: Int) -> Int { (value - (isHigh ? 1 << (count - 1) : 0) + 1 << count - 1) >> count }
        return up(lowerBound)..<up(upperBound)
    }
}
#endif
