extension JPEGSlice {
    /// Makes room for another MCU.
    @inline(__always)
    private func reserve() {
        // A block has 64 words at most, and one more may be written behind the last.
        if wordCount &+ 64 &* tables.blocks.count &+ 1 > wordCapacity {
            let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * wordCapacity)
            larger.moveInitialize(from: words, count: wordCount)
            words.deallocate()
            (words, wordCapacity) = (larger, 2 * wordCapacity)
        }
        if markCount == markCapacity {
            let larger = UnsafeMutablePointer<Mark>.allocate(capacity: 2 * markCapacity)
            larger.moveInitialize(from: marks, count: markCount)
            marks.deallocate()
            (marks, markCapacity) = (larger, 2 * markCapacity)
        }
    }

    /// Reads MCUs until one begins at `end` or after it, at most `most`; false for invalid data.
    func read(
        _ data: RawSpan, until end: Int, limit: Int, most: Int, _ start: Int
    ) -> Bool {
        let (blocks, blockCount) = (tables.blocks.baseAddress!, tables.blocks.count)
        let (dc, ac) = (tables.dc.baseAddress!, tables.ac.baseAddress!)
        let (pairs, skips) = (tables.pairs.baseAddress!, tables.skips.baseAddress!)
        let sums = sums
        var reader = JPEGFlatReader(data, at: state.position - start)
        var reach = reach
        defer { self.reach = reach }
        var left = most
        while left > 0 {
            let position = reader.position
            if position >= end { break }
            reserve()
            let words = words
            var at = wordCount
            var packed: UInt64 = 0
            for index in 0..<4 {
                packed |= UInt64(UInt16(truncatingIfNeeded: sums[index])) &<< UInt64(truncatingIfNeeded: 16 &* index)
            }
            marks[markCount] = Mark(position: position &+ start, sums: packed, word: at)
            var isSound = true
            for index in 0..<blockCount {
                let block = blocks + index
                reader.fill()
                var entry = dc[block.pointee.dcStart &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
                if entry == 0 {
                    entry = JPEGSymbolTable.longEntry(of: reader.bits, in: tables.tables[block.pointee.dc], isDC: true)
                    if entry == 0 {
                        isSound = false
                        break
                    }
                }
                let sum = sums[block.pointee.member] &+ JPEGSymbolTable.value(of: reader.bits, entry)
                sums[block.pointee.member] = sum
                reach |= sum ^ (sum &>> 63)
                reader.drop(Int(entry & 63))
                let head = at
                at &+= 1
                var place = 1
                if block.pointee.isFlat {
                    while place < 64 {
                        reader.fill()
                        let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)
                        let skip = skips[block.pointee.skipStart &+ window]
                        let next = place &+ Int(skip &>> 8)
                        if next < 64 {
                            reader.drop(Int(skip & 63))
                            place = next
                        } else if next == 64 || JPEGSymbolTable.isEnd(next) {
                            reader.drop(Int(skip & 63))
                            place = next
                            break
                        } else {
                            // A long code, or several that would read on into the next block.
                            let step = JPEGSymbolTable.longEntry(
                                of: reader.bits, in: tables.tables[block.pointee.ac], isDC: false)
                            if step == 0 {
                                place = .max
                                break
                            }
                            place &+= Int(step &>> 8 & 0xFF)
                            reader.drop(Int(step & 63))
                        }
                    }
                } else {
                    let pairs = pairs + block.pointee.pairStart
                    while true {
                        // At least 25 bits are buffered, and an entry has at most 11.
                        var pair = JPEGPairTable.entry(reader.bits, in: pairs)
                        var next = place &+ JPEGPairTable.advance(pair)
                        if next < 64 {
                            at = JPEGPairTable.write(pair, after: place, to: words, at: at)
                            reader.drop(JPEGPairTable.bitCount(pair))
                            place = next
                            pair = JPEGPairTable.entry(reader.bits, in: pairs)
                            next = place &+ JPEGPairTable.advance(pair)
                            if next < 64 {
                                at = JPEGPairTable.write(pair, after: place, to: words, at: at)
                                reader.drop(JPEGPairTable.bitCount(pair))
                                place = next
                                reader.fill()
                                continue
                            }
                        }
                        if next == 64 || JPEGSymbolTable.isEnd(next) {
                            at = JPEGPairTable.write(pair, after: place, to: words, at: at)
                            reader.drop(JPEGPairTable.bitCount(pair))
                            place = next
                            break
                        }
                        // A long code, or a coefficient that may be the block's last.
                        reader.fill()
                        let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)
                        entry = ac[block.pointee.acStart &+ window]
                        if entry == 0 {
                            entry = JPEGSymbolTable.longEntry(
                                of: reader.bits, in: tables.tables[block.pointee.ac], isDC: false)
                            if entry == 0 {
                                place = .max
                                break
                            }
                        }
                        place &+= Int(entry &>> 8 & 0xFF)
                        if entry &>> 24 != 0 {
                            let value = UInt32(
                                UInt16(truncatingIfNeeded: JPEGSymbolTable.value(of: reader.bits, entry)))
                            words[at] = value &<< 16 | UInt32(truncatingIfNeeded: place &- 1)
                            at &+= 1
                        }
                        reader.drop(Int(entry & 63))
                        if place >= 64 { break }
                        reader.fill()
                    }
                }
                if place != 64, !JPEGSymbolTable.isEnd(place) {
                    isSound = false
                    break
                }
                let level = UInt32(UInt16(truncatingIfNeeded: sum))
                words[head] = level &<< 16 | UInt32(truncatingIfNeeded: at &- head &- 1)
            }
            guard isSound, reader.position <= limit else {
                state.position = reader.position &+ start
                return false
            }
            marks[markCount].end = reader.position &+ start
            wordCount = at
            markCount &+= 1
            left &-= 1
        }
        state.position = reader.position &+ start
        state.untilRestart = tables.restartInterval > 0 ? state.untilRestart &- (most &- left) : .max
        state.sums = 0
        for index in 0..<4 { state.sums |= UInt64(UInt16(truncatingIfNeeded: sums[index])) << UInt64(16 * index) }
        return true
    }
}
