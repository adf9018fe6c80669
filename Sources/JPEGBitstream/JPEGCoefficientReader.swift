/// Reads the blocks of a scan into coefficients, at any stage of any Huffman-coded DCT process.
///
/// Every block has 64 coefficients in natural order and a mask with a bit for each coefficient, by its place in zigzag
/// order, that isn't zero. Refinement goes from one such coefficient to the next by the mask, not through the zeros.
/// Coefficients are 16-bit, as in libjpeg; larger ones, which only damaged data has, are cut off.
struct JPEGCoefficientReader: ~Escapable {
    var reader: JPEGBitReader
    /// Blocks that the current end of block still stands for.
    var endRun: Int
    /// The look-up tables, and the tables they were made of.
    private let entries: Span<UInt32>
    private let tables: Span<JPEGHuffmanTable>

    @_lifetime(copy reader, copy entries, copy tables)
    init(_ reader: consuming JPEGBitReader, endRun: Int, entries: Span<UInt32>, tables: Span<JPEGHuffmanTable>) {
        self.reader = reader
        self.endRun = endRun
        self.entries = entries
        self.tables = tables
    }

    /// A table for the codes of one kind: its first entry in the look-up tables, and its index among the tables.
    struct Table: Hashable, Sendable {
        let start: Int
        let index: Int
    }

    /// The place in natural order of each coefficient in zigzag order.
    static let naturalOrder: InlineArray<64, UInt8> = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
        21,
        28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61,
        54, 47, 55, 62, 63,
    ]

    /// The entry of the next code; 0 if there is none. At least 32 bits are buffered afterwards, the code among them.
    @inline(__always)
    private mutating func next(_ table: Table, isDC: Bool, hasRuns: Bool) -> UInt32 {
        reader.fill()
        // In bounds: each table has an entry for each window of this many bits.
        let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)
        let entry = entries[unchecked: table.start &+ window]
        if entry != 0 { return entry }
        return JPEGSymbolTable.longEntry(of: reader.bits, in: tables[table.index], isDC: isDC, hasRuns: hasRuns)
    }

    /// Reads the difference of a DC coefficient and updates the prediction; false for an invalid code.
    @inline(__always)
    mutating func readDifference(_ table: Table, _ prediction: inout Int) -> Bool {
        let entry = next(table, isDC: true, hasRuns: false)
        prediction &+= JPEGSymbolTable.value(of: reader.bits, entry)
        reader.drop(Int(entry & 63))
        return entry != 0
    }

    /// Reads the AC coefficients of a sequential block; false for an invalid code or a coefficient beyond the last.
    @inline(__always)
    mutating func readBlock(
        _ table: Table, into block: inout MutableSpan<Int16>, at base: Int, mask: inout UInt64, order: Span<UInt8>
    ) -> Bool {
        var position = 1
        var found = mask
        while position < 64 {
            let entry = next(table, isDC: false, hasRuns: false)
            if entry == 0 { return false }
            position &+= Int(entry &>> 8 & 0xFF)
            if entry &>> 24 != 0 {
                guard position <= 64 else { return false }
                let value = Int16(truncatingIfNeeded: JPEGSymbolTable.value(of: reader.bits, entry))
                let place = position &- 1
                block[base &+ Int(order[place])] = value
                found |= 1 &<< UInt64(truncatingIfNeeded: place)
            }
            reader.drop(Int(entry & 63))
        }
        mask = found
        return position == 64 || JPEGSymbolTable.isEnd(position)
    }

    /// Reads the first bits of a band of coefficients (T.81, G.1.2.2); false for invalid data.
    @inline(__always)
    mutating func readBand(
        _ table: Table, _ band: ClosedRange<Int>, low: Int, into block: inout MutableSpan<Int16>, at base: Int,
        mask: inout UInt64, order: Span<UInt8>
    ) -> Bool {
        if endRun > 0 {
            endRun &-= 1
            return true
        }
        var position = band.lowerBound
        while position <= band.upperBound {
            let entry = next(table, isDC: false, hasRuns: true)
            if entry == 0 { return false }
            let advance = Int(entry &>> 8 & 0xFF)
            if advance >= JPEGSymbolTable.endOfBlock {
                endRun = takeRun(entry, advance) &- 1
                break
            }
            position &+= advance
            if entry &>> 24 != 0 {
                let place = position &- 1
                guard place <= band.upperBound else { return false }
                let value = Int16(truncatingIfNeeded: JPEGSymbolTable.value(of: reader.bits, entry) &<< low)
                block[base &+ Int(order[place])] = value
                let bit = UInt64(1) &<< UInt64(truncatingIfNeeded: place)
                mask = value != 0 ? mask | bit : mask & ~bit
            }
            reader.drop(Int(entry & 63))
        }
        return true
    }

    /// The number of blocks that an end of block stands for.
    @inline(__always)
    private mutating func takeRun(_ entry: UInt32, _ advance: Int) -> Int {
        reader.drop(Int(entry & 63))
        let size = advance &- JPEGSymbolTable.endOfBlock
        // At least 16 of the 32 bits are left, and a run has at most 14.
        let extra = Int(truncatingIfNeeded: (reader.bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        reader.drop(size)
        return 1 &<< size &+ extra
    }

    /// Reads the next bit of a band of coefficients (T.81, G.1.2.3); false for invalid data.
    @inline(__always)
    mutating func refineBand(
        _ table: Table, _ band: ClosedRange<Int>, low: Int, into block: inout MutableSpan<Int16>, at base: Int,
        mask: inout UInt64, order: Span<UInt8>
    ) -> Bool {
        let one = Int16(truncatingIfNeeded: 1 &<< low)
        // The places that are still to come: those of known coefficients, which need their bit, and others.
        let all = (~0 &<< UInt64(band.lowerBound)) & (~0 &>> UInt64(63 &- band.upperBound))
        var (known, others) = (mask & all, ~mask & all)
        if endRun == 0 {
            while known | others != 0 {
                let entry = next(table, isDC: false, hasRuns: true)
                if entry == 0 { return false }
                let advance = entry &>> 8 & 0xFF
                if advance >= JPEGSymbolTable.endOfBlock {
                    endRun = takeRun(entry, Int(advance))
                    break
                }
                // A new coefficient has one bit, its sign.
                let size = entry &>> 24
                guard size <= 1 else { return false }
                let sign = Int64(bitPattern: reader.bits &<< UInt64(entry &>> 16 & 63))
                let value = sign < 0 ? one : 0 &- one
                reader.drop(Int(entry & 63))
                // As many of the others are passed as the code says, and the known ones in between.
                let first = (known | others) & (0 &- (known | others))
                var place = first &<< UInt64(truncatingIfNeeded: advance &- 1)
                if known & (place | (place &- 1)) == 0 {
                    others &= ~(place | (place &- 1))
                    place &= all
                } else {
                    for _ in 1..<advance { others &= others &- 1 }
                    place = others & (0 &- others)
                    others ^= place
                    // All, if the place is beyond the band.
                    let passed = known & (place &- 1)
                    known ^= passed
                    refine(passed, &block, base, one, order)
                }
                guard size == 1 else { continue }
                guard place != 0 else { return false }
                block[base &+ Int(order[place.trailingZeroBitCount])] = value
                mask |= place
            }
        }
        if endRun > 0 {
            refine(known, &block, base, one, order)
            endRun &-= 1
        }
        return true
    }

    /// Reads a bit for each known coefficient of some places.
    @inline(__always)
    private mutating func refine(
        _ places: UInt64, _ block: inout MutableSpan<Int16>, _ base: Int, _ one: Int16,
        _ order: Span<UInt8>
    ) {
        var left = places
        while left != 0 {
            reader.fill()
            // At most as many as are buffered in any case.
            var count = 0
            repeat {
                let place = base &+ Int(order[left.trailingZeroBitCount])
                let value = block[place]
                // Without branches, each of which would be predicted wrongly for half of the coefficients.
                let bit = Int16(truncatingIfNeeded: Int64(bitPattern: reader.bits &<< UInt64(count)) &>> 63)
                let sign = value &>> 15
                block[place] = value &+ ((~value & one & bit) ^ sign) &- sign
                left &= left &- 1
                count &+= 1
            } while left != 0 && count < 32
            reader.drop(count)
        }
    }

    /// Reads one bit.
    @inline(__always)
    mutating func takeBit() -> Bool {
        reader.fill()
        let isSet = Int64(bitPattern: reader.bits) < 0
        reader.drop(1)
        return isSet
    }
}
