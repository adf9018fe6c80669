extension JPEGSlicedScan {
    /// The gaps in a batch's data before a position.
    struct Gaps {
        /// The first gap that isn't before it.
        var first: Int
        /// All bytes removed before it.
        var skipped: Int
    }

    /// Makes an index while the scan is read, the same as a `JPEGTileIndexer`'s; nothing may have been read.
    ///
    /// `index` becomes nil where the other would end with an error that isn't found here: of DC coefficients beyond 16 bits.
    package func makeIndex(_ layout: JPEGTileLayout) {
        precondition(taken == 0 && layout.mcusAcross * layout.mcusDown == totalCount)
        index = JPEGTileIndex(layout)
    }

    /// Adds the entries of a run, the batch's next.
    func record(_ run: Run, _ gaps: inout Gaps) {
        guard var index else { return }
        // Moved out, so that it isn't copied.
        self.index = nil
        // Sums of two numbers of 15 bits don't wrap around.
        guard run.slice.reach < 16384, (0..<4).allSatisfy({ abs(Self.component($0, of: run.base)) < 16384 }) else {
            return
        }
        let (across, step) = (index.layout.mcusAcross, index.layout.mcusPerColumn)
        var mcu = run.mcus.lowerBound
        while mcu < run.mcus.upperBound {
            let column = mcu % across
            if column % step == 0 {
                let mark = run.mark(of: mcu)
                pass(to: mark.position >> 3, isBehindRestart: true, &gaps)
                index.append(at: mark.position, skipped: gaps.skipped, Self.sum(run.base, mark.sums))
            }
            let next = mcu - column + min((column / step + 1) * step, across)
            if next <= run.mcus.upperBound, next % across == 0 {
                let last = run.mark(of: next - 1)
                pass(to: last.position >> 3, isBehindRestart: true, &gaps)
                pass(to: last.end >> 3, isBehindRestart: false, &gaps)
                index.append(at: last.end, skipped: gaps.skipped, Self.sum(run.base, lastSums(run, next - 1)))
                index.rowCount += 1
            }
            mcu = next
        }
        self.index = index
    }

    /// Passes the gaps up to a byte; on request not the next restart marker, which is at it.
    private func pass(to place: Int, isBehindRestart: Bool, _ gaps: inout Gaps) {
        while gaps.first < input.data.gaps.count, input.data.gaps[gaps.first].place <= place {
            let gap = input.data.gaps[gaps.first]
            if gap.restart != nil, !isBehindRestart { return }
            gaps.skipped = gap.skipped
            gaps.first += 1
        }
    }

    /// The sums of DC differences behind an MCU, as in a mark.
    private func lastSums(_ run: Run, _ mcu: Int) -> UInt64 {
        var words = run.words(from: mcu)
        var sums: UInt64 = 0
        for block in tables.blocks {
            // A block's first word has its sum, and the number of words that follow.
            let shift = UInt64(16 * block.member)
            sums = sums & ~(0xFFFF << shift) | UInt64(words.pointee >> 16) << shift
            words += 1 + Int(words.pointee & 0xFFFF)
        }
        return sums
    }

    /// A component's number among four.
    private static func component(_ index: Int, of sums: UInt64) -> Int {
        Int(Int16(truncatingIfNeeded: sums >> UInt64(16 * index)))
    }
}

extension JPEGTileIndex {
    /// Adds an entry for a bit of the scan's data without the bytes removed before it.
    fileprivate mutating func append(at position: Int, skipped: Int, _ sums: UInt64) {
        entries.append(
            Entry(
                position: UInt64((layout.dataOffset + skipped) * 8 + position),
                predictions: (
                    Int16(truncatingIfNeeded: sums), Int16(truncatingIfNeeded: sums >> 16),
                    Int16(truncatingIfNeeded: sums >> 32)
                )))
    }
}
