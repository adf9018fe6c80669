/// Reads the blocks of a slice, a few codes at a time.
///
/// Where a code begins is known only after the code before it was looked up, so a processor waits most of the time; where
/// codes are only passed over, two slices that take turns are read in three quarters of the time. The state of a turn is held in
/// numbers and pointers, for which registers suffice; its functions are transparent, since the optimizer doesn't inline
/// them twice otherwise.
///
/// Unchecked: the pointers are into memory of the slice and its tables, which outlive the reader. There is room for an MCU
/// behind `word` while one is read.
struct JPEGSliceReader: ~Escapable {
    private var reader: JPEGFlatReader
    /// The next position in the block.
    private var place = 1
    /// Where the next word goes, and the block's first word.
    private var word: UnsafeMutablePointer<UInt32>
    private var head: UnsafeMutablePointer<UInt32>
    /// The block's tables.
    private var pairs: UnsafePointer<UInt64>
    private var skips: UnsafePointer<UInt16>
    /// The positions whose coefficients are needed.
    private var neededCount = 64

    /// The block, and the one behind the last of an MCU.
    private var block: UnsafePointer<JPEGSliceTables.Block>
    private let firstBlock: UnsafePointer<JPEGSliceTables.Block>
    private let lastBlock: UnsafePointer<JPEGSliceTables.Block>
    private let tables: Unmanaged<JPEGSliceTables>
    private let sums: UnsafeMutablePointer<Int>
    private var sum = 0
    private var reach = 0

    /// The MCU's mark, and the first behind those that there is room for.
    private var mark: UnsafeMutablePointer<JPEGSlice.Mark>
    private var lastMark: UnsafeMutablePointer<JPEGSlice.Mark>
    /// The slice's first word, the one behind the last whole MCU, and the last behind which there is room for an MCU.
    private var words: UnsafeMutablePointer<UInt32>
    private var endOfMCU: UnsafeMutablePointer<UInt32>
    private var lastWord: UnsafeMutablePointer<UInt32>

    private var stretch: JPEGSlice.Stretch
    private var left = 0
    /// Whether the data of the stretch could be read so far.
    private var isSound = true

    /// Begins to read what a slice is to read; nil if that is nothing.
    @_lifetime(copy data)
    init?(_ slice: JPEGSlice, _ input: JPEGSlice.Input, _ data: RawSpan) {
        guard let stretch = slice.nextStretch(input) else { return nil }
        self.stretch = stretch
        tables = .passUnretained(slice.tables)
        sums = slice.sums
        firstBlock = UnsafePointer(slice.tables.blocks.baseAddress!)
        block = firstBlock
        lastBlock = block + slice.tables.blocks.count
        (pairs, skips) = (block.pointee.pairs, block.pointee.skips)
        (words, word, head, endOfMCU, lastWord) = (slice.words, slice.words, slice.words, slice.words, slice.words)
        (mark, lastMark) = (slice.marks, slice.marks)
        reader = JPEGFlatReader(data, at: 0)
        guard begin(slice, input, data) else { return nil }
    }

    /// Begins a stretch or, where there was no room for an MCU, goes on with it; false if there is nothing left to read.
    @_lifetime(self: copy data)
    private mutating func begin(_ slice: JPEGSlice, _ input: JPEGSlice.Input, _ data: RawSpan) -> Bool {
        while true {
            slice.reserve()
            (words, word) = (slice.words, slice.words + slice.wordCount)
            endOfMCU = word
            lastWord = words + (slice.wordCapacity - slice.mostWordsInMCU)
            (mark, lastMark) = (slice.marks + slice.markCount, slice.marks + slice.markCapacity)
            (left, isSound) = (stretch.mostCount, true)
            reader = JPEGFlatReader(data, at: slice.state.position - stretch.start)
            beginMCU(at: reader.position)
            if beginBlock() { return true }
            guard endStretch(slice, input) else { return false }
        }
    }

    /// Goes on after `advance()` was false; false if there is nothing left to read.
    @_lifetime(self: copy data)
    mutating func goOn(_ slice: JPEGSlice, _ input: JPEGSlice.Input, _ data: RawSpan) -> Bool {
        guard endStretch(slice, input) else { return false }
        return begin(slice, input, data)
    }

    /// Hands over what was read, and finds the next stretch; false if there is none.
    private mutating func endStretch(_ slice: JPEGSlice, _ input: JPEGSlice.Input) -> Bool {
        slice.reach |= reach
        slice.markCount = mark - slice.marks
        slice.wordCount = endOfMCU - slice.words
        let position = reader.position &+ stretch.start
        guard slice.end(at: position, mcuCount: stretch.mostCount - left, isSound: isSound, input),
            let next = slice.nextStretch(input)
        else { return false }
        stretch = next
        return true
    }

    /// Reads up to four coefficients or more of the block, and begins the next block behind the last; false at the end of the
    /// stretch, and where there is no room.
    @_transparent
    mutating func advance() -> Bool {
        reader.fill()
        // An entry has at most 27 bits, so there are enough for two. The first is taken without a branch, which would often be
        // guessed wrong: at the end of the block it counts nothing, and is looked up again.
        if place >= neededCount {
            var skip = skips[Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)]
            var next = place &+ Int(skip &>> 8)
            let isWithin = next < 64
            reader.drop(isWithin ? UInt64(skip & 63) : 0)
            place = isWithin ? next : place
            skip = skips[Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)]
            next = place &+ Int(skip &>> 8)
            if next <= 64 || JPEGSymbolTable.isEnd(next) {
                reader.drop(UInt64(skip & 63))
                place = next
                if next < 64 { return true }
            }
        } else {
            var pair = JPEGPairTable.entry(reader.bits, in: pairs)
            var next = place &+ JPEGPairTable.advance(pair)
            let isWithin = next < 64
            let written = JPEGPairTable.write(pair, after: place, to: word)
            word = isWithin ? written : word
            reader.drop(isWithin ? JPEGPairTable.bitCount(pair) : 0)
            place = isWithin ? next : place
            pair = JPEGPairTable.entry(reader.bits, in: pairs)
            next = place &+ JPEGPairTable.advance(pair)
            if next <= 64 || JPEGSymbolTable.isEnd(next) {
                word = JPEGPairTable.write(pair, after: place, to: word)
                reader.drop(JPEGPairTable.bitCount(pair))
                place = next
                if next < 64 { return true }
            }
        }
        if place < 64 {
            // A long code, or several that would read on into the next block, or a coefficient that may be the block's last.
            guard readOne() else { return false }
            if place < 64 { return true }
        }
        return endBlock()
    }

    /// Reads a single code; false if it is invalid, or passes the end of the block.
    @_transparent
    private mutating func readOne() -> Bool {
        let entry = nextEntry(block.pointee.acEntries, block.pointee.ac, isDC: false)
        guard entry != 0 else { return damage() }
        place &+= Int(entry &>> 8 & 0xFF)
        if place &- 1 < neededCount, entry &>> 24 != 0 {
            let value = UInt32(UInt16(truncatingIfNeeded: JPEGSymbolTable.value(of: reader.bits, entry)))
            word.pointee = value &<< 16 | UInt32(truncatingIfNeeded: place &- 1)
            word += 1
        }
        reader.drop(UInt64(entry & 63))
        return place <= 64 || JPEGSymbolTable.isEnd(place) || damage()
    }

    @_transparent
    private mutating func damage() -> Bool {
        isSound = false
        return false
    }

    @_transparent
    private mutating func endBlock() -> Bool {
        let level = UInt32(UInt16(truncatingIfNeeded: sum))
        head.pointee = level &<< 16 | UInt32(truncatingIfNeeded: word - head &- 1)
        block += 1
        if block == lastBlock {
            let position = reader.position
            guard position <= stretch.limit else { return damage() }
            mark.pointee.end = position &+ stretch.start
            mark += 1
            endOfMCU = word
            left &-= 1
            guard left > 0, position < stretch.end, word <= lastWord, mark < lastMark else { return false }
            beginMCU(at: position)
        }
        return beginBlock()
    }

    @_transparent
    private mutating func beginMCU(at position: Int) {
        var packed: UInt64 = 0
        for index in 0..<4 {
            packed |= UInt64(UInt16(truncatingIfNeeded: sums[index])) &<< UInt64(truncatingIfNeeded: 16 &* index)
        }
        mark.initialize(to: .init(position: position &+ stretch.start, sums: packed, word: word - words))
        block = firstBlock
    }

    /// Reads the block's DC.
    @_transparent
    private mutating func beginBlock() -> Bool {
        let entry = nextEntry(block.pointee.dcEntries, block.pointee.dc, isDC: true)
        guard entry != 0 else { return damage() }
        let sums = sums + block.pointee.member
        sum = sums.pointee &+ JPEGSymbolTable.value(of: reader.bits, entry)
        sums.pointee = sum
        reach |= sum ^ (sum &>> 63)
        reader.drop(UInt64(entry & 63))
        head = word
        word += 1
        place = 1
        neededCount = block.pointee.neededCount
        pairs = block.pointee.pairs
        skips = block.pointee.skips
        return true
    }

    /// Looks up the next code, which may be a long one; 0 if it is invalid.
    @_transparent
    private mutating func nextEntry(_ entries: UnsafePointer<UInt32>, _ table: Int, isDC: Bool) -> UInt32 {
        reader.fill()
        let entry = entries[Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
        return entry != 0 ? entry : Self.longEntry(of: reader.bits, in: table, of: tables, isDC: isDC)
    }

    @inline(never)
    private static func longEntry(
        of bits: UInt64, in table: Int, of tables: Unmanaged<JPEGSliceTables>, isDC: Bool
    ) -> UInt32 {
        tables._withUnsafeGuaranteedRef { JPEGSymbolTable.longEntry(of: bits, in: $0.tables[table], isDC: isDC) }
    }
}

extension JPEGSlice {
    /// Reads one slice, or two at a time.
    static func read(_ first: JPEGSlice, _ second: JPEGSlice?, _ input: Input) {
        let data = input.data.span
        guard var a = JPEGSliceReader(first, input, data) else {
            if let second { read(second, nil, input) }
            return
        }
        if let second, var b = JPEGSliceReader(second, input, data) {
            while true {
                if readTwo(&a, &b) {
                    guard a.goOn(first, input, data) else { return finish(&b, second, input, data) }
                } else {
                    guard b.goOn(second, input, data) else { break }
                }
            }
        }
        finish(&a, first, input, data)
    }

    /// Reads until one of the readers stops; returns whether it is the first.
    @_lifetime(first: copy first)
    @_lifetime(second: copy second)
    private static func readTwo(_ first: inout JPEGSliceReader, _ second: inout JPEGSliceReader) -> Bool {
        var a = first
        var b = second
        var isFirst = true
        while true {
            guard a.advance() else { break }
            guard b.advance() else {
                isFirst = false
                break
            }
        }
        first = a
        second = b
        return isFirst
    }

    @_lifetime(reader: copy data)
    private static func finish(
        _ reader: inout JPEGSliceReader, _ slice: JPEGSlice, _ input: Input, _ data: RawSpan
    ) {
        repeat {
            var copy = reader
            while copy.advance() {}
            reader = copy
        } while reader.goOn(slice, input, data)
    }
}
