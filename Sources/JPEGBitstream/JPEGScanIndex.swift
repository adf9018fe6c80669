/// The state of every scan at the starts of a JPEG's rows of MCUs, so that decoding can begin at any of them.
///
/// For files of several scans, progressive ones above all. It grows as rows are decoded, from the top, and takes 16 bytes for
/// each scan and row; of a file with very many, every so many rows. No coefficient is kept.
package struct JPEGScanIndex: Hashable, Sendable {
    /// The states of all scans at a row of MCUs.
    package struct Start: Hashable, Sendable {
        package let row: Int
        package let states: [JPEGScanState]

        package init(row: Int, states: [JPEGScanState]) {
            self.row = row
            self.states = states
        }
    }

    /// Rows of MCUs from one entry to the next.
    package let rowStep: Int
    /// The first damage in the indexed rows.
    package private(set) var failure: JPEGBitstreamError?
    /// Whether it was restored, so that only decoding shows whether it is true.
    package private(set) var isStored = false

    private let mcusDown: Int
    private let scanCount: Int
    /// For each scan the first bit of its data, and the one after its last; the latter unknown where the file ends in it.
    private let bounds: [Range<UInt64>]
    /// The states at the rows `rowStep`, `2 * rowStep` and so on.
    private var states: [JPEGScanState] = []

    /// The most bytes that entries may take, where there is more than one row to an entry.
    private static let largestByteCount = 8 << 20

    /// An index with no row but the first.
    /// - Parameter fileEnd: The JPEG's end, for a scan that no marker ends.
    package init(_ script: JPEGScanScript, fileEnd: Int) {
        mcusDown = script.layout.mcusDown
        scanCount = script.scanCount
        bounds = script.dataRanges(fileEnd: fileEnd).map { UInt64($0.lowerBound) * 8..<UInt64($0.upperBound) * 8 }
        rowStep = max(1, (mcusDown * scanCount * 16 + Self.largestByteCount - 1) / Self.largestByteCount)
    }

    /// The entries that there are when all rows are indexed; the first row has none, and the last row's end has one, by which
    /// a restored index is checked.
    private var fullCount: Int { mcusDown / rowStep }
    private var count: Int { scanCount == 0 ? fullCount : states.count / scanCount }

    /// Whether all rows are indexed.
    package var isComplete: Bool { count == fullCount }

    /// Whether all rows up to this one are indexed.
    package func covers(_ row: Int) -> Bool { isComplete || row / rowStep <= count }

    /// The last row at which decoding can begin, up to this one.
    package func start(for row: Int) -> Start {
        let place = min(row / rowStep, count)
        guard place > 0 else {
            return Start(row: 0, states: bounds.map { JPEGScanState(position: $0.lowerBound, carry: 0) })
        }
        return Start(
            row: place * rowStep, states: Array(states[((place - 1) * scanCount)..<(place * scanCount)]))
    }

    /// Whether the states at this row would be new.
    package func needsStates(at row: Int) -> Bool {
        row > 0 && row % rowStep == 0 && row / rowStep <= fullCount && row / rowStep > count
    }

    /// Notes damage.
    package mutating func note(_ failure: JPEGBitstreamError) {
        if failure.offset < self.failure?.offset ?? .max { self.failure = failure }
    }

    /// Adds the states at a row, unless those above it are missing or it has them; false if it has others.
    package mutating func add(_ start: Start) -> Bool {
        guard start.row > 0, start.row % rowStep == 0, start.states.count == scanCount else { return true }
        let place = start.row / rowStep
        guard place > count else {
            return start.states.elementsEqual(states[((place - 1) * scanCount)..<(place * scanCount)])
        }
        if place == count + 1, place <= fullCount { states += start.states }
        return true
    }
}

/// The serialized form: little-endian 64-bit numbers, as ``JPEGTileIndex`` has them: a signature with the version; the
/// file's byte count and modification time; the number of bytes of its hash, and the hash; rows of MCUs; scans; for each scan
/// its first and last bit; the states, a position and a carry each; and a checksum.
extension JPEGScanIndex {
    /// "JPEGSIX" and the version.
    private static let signature: UInt64 = 0x0158_4953_4745_504A
    /// The first number of the serialized form.
    package static let signatureBytes = (0..<8).map { UInt8(truncatingIfNeeded: signature >> UInt64(8 * $0)) }

    /// The most bytes of a serialized index of this one's file.
    package var largestSerializedByteCount: Int { fullCount * scanCount * 16 + scanCount * 16 + 1024 }

    /// The serialized index.
    package func serialized(for source: JPEGTileSource) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(largestSerializedByteCount)
        output.appendIdentity(Self.signature, source)
        output.appendNumber(UInt64(mcusDown))
        output.appendNumber(UInt64(scanCount))
        for bound in bounds {
            output.appendNumber(bound.lowerBound)
            output.appendNumber(bound.upperBound)
        }
        for state in states {
            output.appendNumber(state.position)
            output.appendNumber(state.carry)
        }
        output.appendNumber(JPEGIndexReader.checksum(output.span.bytes))
        return output
    }

    /// Restores the serialized, complete index of the file of an empty one.
    ///
    /// Positions are checked against the scans' data. Whether the states are true shows in decoding.
    /// - Throws: ``JPEGBitstreamError/Code/invalidIndex``, or ``JPEGBitstreamError/Code/otherSource`` if the file isn't the
    ///   indexed one; the error's offset is that in the serialized bytes.
    package init(
        serialized bytes: RawSpan, for source: JPEGTileSource, like empty: JPEGScanIndex
    ) throws(JPEGBitstreamError) {
        self = empty
        var reader = try JPEGIndexReader(bytes, signature: Self.signature, for: source)
        guard try reader.next() == UInt64(mcusDown), try reader.next() == UInt64(scanCount) else {
            throw JPEGIndexReader.invalid("the index has another number of rows or scans", at: reader.offset)
        }
        for bound in bounds {
            guard try reader.next() == bound.lowerBound, try reader.next() == bound.upperBound else {
                throw JPEGIndexReader.invalid("a scan of the index lies elsewhere", at: reader.offset)
            }
        }
        guard bytes.byteCount - 8 - reader.offset == fullCount * scanCount * 16 else {
            throw JPEGIndexReader.invalid("the index's number of entries is wrong", at: reader.offset)
        }
        states = []
        states.reserveCapacity(fullCount * scanCount)
        for place in 0..<(fullCount * scanCount) {
            let state = JPEGScanState(position: try reader.next(), carry: try reader.next())
            let scan = place % scanCount
            let last = place < scanCount ? bounds[scan].lowerBound : states[place - scanCount].position
            guard last <= state.position, state.position <= bounds[scan].upperBound else {
                throw JPEGIndexReader.invalid("an entry of the index is outside its scan", at: reader.offset - 16)
            }
            states.append(state)
        }
        isStored = true
    }
}
