/// Where reading a scan stands at the start of a row of MCUs.
package struct JPEGScanState: Hashable, Sendable {
    /// The first bit that wasn't read: eight times the JPEG's byte, and the bit within it from the top. `damaged` if none
    /// can be.
    package var position: UInt64
    /// The DC predictions of up to four components, 16 bits each from the lowest; of AC coefficients the blocks left of an
    /// end-of-block run.
    package var carry: UInt64

    /// The position of a scan that can't be read further.
    package static let damaged = UInt64.max

    package init(position: UInt64, carry: UInt64) {
        self.position = position
        self.carry = carry
    }
}

extension JPEGScanCursor {
    /// The bytes before the next one that `state(in:from:)` may need.
    static let lookBehind = 32

    /// The first byte that reading on needs.
    var firstByte: Int { max(dataOffset, place - Self.lookBehind) }

    /// The bytes that reading on needs first, to the end of its data.
    /// - Parameter fileEnd: The JPEG's end, for a scan that no marker ends.
    func remainingRange(fileEnd: Int) -> Range<Int> {
        let end = end ?? fileEnd
        // A scan that can't be read further needs none.
        return failure == nil ? min(firstByte, end)..<end : end..<end
    }

    /// Whether it stopped so close to this byte that the bytes from there on may be what it lacks.
    func mayHaveLacked(bytesFrom end: Int) -> Bool { failure != nil && place + 16 >= end }

    /// Where reading stands after a row of MCUs, which was read from the same data.
    func state(in data: RawSpan, from start: Int) -> JPEGScanState {
        guard failure == nil else { return JPEGScanState(position: JPEGScanState.damaged, carry: 0) }
        var carry = UInt64(endRun)
        if isNeeded {
            carry = 0
            // Coefficients have 16 bits, so that the predictions' others don't matter.
            for index in members.indices {
                carry |= UInt64(UInt16(truncatingIfNeeded: predictions[index])) << UInt64(16 * index)
            }
        }
        let reader = JPEGBitReader(data, offset: place - start, bits: bits, count: count)
        return JPEGScanState(position: UInt64(start * 8 + reader.position), carry: carry)
    }

    /// Goes to the start of a row of MCUs, given what `state(in:from:)` was there.
    mutating func resume(_ state: JPEGScanState, at row: Int, _ layout: JPEGCoefficientLayout) {
        guard row > 0 else { return }
        guard state.position != JPEGScanState.damaged else {
            return fail(
                JPEGBitstreamError(.invalidEntropyData, "scan \(number) is damaged", offset: offset), in: -1)
        }
        let component = layout.components[members[0].component]
        let done =
            members.count == 1
            ? component.blocksAcross * min(row * component.down, component.blocksDown) : row * layout.mcusAcross
        enter(state, after: done)
    }

    /// Goes to where a number of the scan's MCUs, or of its blocks if it has one component, have been read.
    mutating func enter(_ state: JPEGScanState, after done: Int) {
        place = Int(clamping: state.position >> 3)
        bitsRead = Int(state.position & 7)
        (bits, count) = (0, 0)
        if isNeeded {
            for index in members.indices {
                predictions[index] = Int(Int16(truncatingIfNeeded: state.carry >> UInt64(16 * index)))
            }
        } else {
            endRun = Int(state.carry & 0xFFFF)
        }
        guard restartInterval > 0 else { return }
        mcusToRestart = done > 0 ? restartInterval - 1 - (done - 1) % restartInterval : restartInterval
        nextRestart = done > 0 ? (done - 1) / restartInterval & 7 : 0
    }
}
