extension JPEGEighthScan {
    /// The picture, from data that begins with the scan's entropy-coded data; nil where that isn't as it should be.
    ///
    /// Takes time proportional to the bytes of the scan. What follows the scan's last block isn't looked at.
    package func decode(_ data: RawSpan) -> JPEGEighthPicture? {
        var samples = [UInt8](repeating: 0, count: byteCount)
        var target = samples.mutableSpan
        var sums = [Int](repeating: 0, count: JPEGQuarterWeights.placeCount)
        var predictions = [Int](repeating: 0, count: components.count)
        var reader = JPEGBitReader(data)
        var untilRestart = restartInterval
        var restarts = 0
        for row in 0..<mcusDown {
            for column in 0..<mcusAcross {
                if restartInterval > 0 {
                    if untilRestart == 0 {
                        guard reader.restart(restarts & 7) else { return nil }
                        restarts += 1
                        untilRestart = restartInterval
                        for index in predictions.indices { predictions[index] = 0 }
                    }
                    untilRestart -= 1
                }
                for index in components.indices {
                    let plane = shape.planes[index]
                    let isDone =
                        components[index].side == 1
                        ? components[index].readMeans(
                            &reader, &predictions[index], into: &target,
                            at: plane.offset + row * components[index].down * plane.stride
                                + column * components[index].across, stride: plane.stride)
                        : components[index].readQuarters(
                            &reader, &predictions[index], sums: &sums, into: &target,
                            at: plane.offset + row * 2 * plane.stride + column * 2, stride: plane.stride)
                    guard isDone else { return nil }
                }
                guard reader.count >= 0 else { return nil }
            }
        }
        var picture = shape
        picture.samples = samples
        return picture
    }
}

extension JPEGEighthScan.Component {
    /// Reads the DC difference that comes next into the prediction; false for no code.
    @inline(__always)
    private func readDC(_ reader: inout JPEGBitReader, _ prediction: inout Int) -> Bool {
        reader.fill()
        var entry = dcTable.entries[Int(reader.bits &>> UInt64(64 - JPEGSymbolTable.windowBits))]
        if entry == 0 {
            entry = Self.longEntry(of: reader.bits, in: dc, isDC: true)
            if entry == 0 { return false }
        }
        prediction &+= Self.value(of: reader.bits, entry)
        reader.drop(Int(entry & 0xFF))
        // Sixteen bits hold every coefficient of a sound file.
        return -32768...32767 ~= prediction
    }

    /// The entry of a code that is longer than the table's window; 0 for none.
    @inline(never)
    private static func longEntry(of bits: UInt64, in table: JPEGHuffmanTable, isDC: Bool) -> UInt32 {
        guard let code = table.symbol(of: UInt16(bits >> 48)) else { return 0 }
        return JPEGSymbolTable.entry(code.symbol, length: code.length, isDC: isDC)
    }

    /// The number that an entry's extra bits stand for (T.81, F.2.2.1).
    @inline(__always)
    private static func value(of bits: UInt64, _ entry: UInt32) -> Int {
        let size = UInt64(entry &>> 24)
        let extra = bits &<< UInt64(entry &>> 16 & 0xFF)
        let number = Int(truncatingIfNeeded: (extra &>> 1) &>> (63 &- size))
        let isPositive = Int(truncatingIfNeeded: Int64(bitPattern: extra) &>> 63)
        return number &+ (~isPositive & (1 &- (1 &<< Int(truncatingIfNeeded: size))))
    }

    /// Reads the MCU's blocks, each into one sample.
    @inline(__always)
    fileprivate func readMeans(
        _ reader: inout JPEGBitReader, _ prediction: inout Int, into target: inout MutableSpan<UInt8>, at place: Int,
        stride: Int
    ) -> Bool {
        for y in 0..<down {
            for x in 0..<across {
                guard readDC(&reader, &prediction), skipAC(&reader),
                    let sample = JPEGQuarterWeights.sample((prediction &* quarters.dcStep &+ 4) &>> 3)
                else { return false }
                target[place + y * stride + x] = sample
            }
        }
        return true
    }

    /// Passes over a block's AC coefficients; false for what can't be one.
    @inline(__always)
    private func skipAC(_ reader: inout JPEGBitReader) -> Bool {
        let entries = skippingTable!.entries.span
        var position = 1
        while true {
            reader.fill()
            // As many bits as the table has entries for.
            let entry = entries[
                unchecked: Int(truncatingIfNeeded: reader.bits &>> UInt64(64 - JPEGSkippingTable.windowBits))]
            let next = position &+ Int(entry &>> 8)
            if next < 64 {
                reader.drop(Int(entry & 63))
                position = next
            } else if next == 64
                || JPEGSymbolTable.endOfBlock..<JPEGSymbolTable.endOfBlock + 64 ~= next
            {
                reader.drop(Int(entry & 63))
                return true
            } else {
                // A long code, or the next block's bits would be taken for this one's.
                let step = Self.longEntry(of: reader.bits, in: ac, isDC: false)
                guard step != 0 else { return false }
                position &+= Int(step &>> 8 & 0xFF)
                reader.drop(Int(step & 0xFF))
                if position >= 64 {
                    return position == 64
                        || JPEGSymbolTable.endOfBlock..<JPEGSymbolTable.endOfBlock + 64 ~= position
                }
            }
        }
    }

    /// Reads a block into 2 × 2 samples.
    @inline(__always)
    fileprivate func readQuarters(
        _ reader: inout JPEGBitReader, _ prediction: inout Int, sums: inout [Int],
        into target: inout MutableSpan<UInt8>, at place: Int, stride: Int
    ) -> Bool {
        guard readDC(&reader, &prediction) else { return false }
        for index in sums.indices { sums[index] = 0 }
        sums[0] = prediction &* quarters.dcStep
        var beyond = sums[0] &+ 32768
        var isFlat = true
        var position = 1
        while position < 64 {
            reader.fill()
            var entry = acTable!.entries[Int(reader.bits &>> UInt64(64 - JPEGSymbolTable.windowBits))]
            if entry == 0 {
                entry = Self.longEntry(of: reader.bits, in: ac, isDC: false)
                if entry == 0 { return false }
            }
            position &+= Int(entry &>> 8 & 0xFF)
            if entry &>> 24 != 0 {
                let coefficient = Self.value(of: reader.bits, entry) &* quarters.steps[position &- 1]
                beyond |= coefficient &+ 32768
                sums[quarters.places[position &- 1]] &+= coefficient &* quarters.weights[position &- 1]
                isFlat = false
            }
            reader.drop(Int(entry & 0xFF))
        }
        let isWhole =
            position == 64 || JPEGSymbolTable.endOfBlock..<JPEGSymbolTable.endOfBlock + 64 ~= position
        guard isWhole, beyond >> 16 == 0 else { return false }
        if isFlat {
            guard let sample = JPEGQuarterWeights.sample((sums[0] &+ 4) &>> 3) else { return false }
            target[place] = sample
            target[place + 1] = sample
            target[place + stride] = sample
            target[place + stride + 1] = sample
        } else {
            guard let means = JPEGQuarterWeights.means(of: sums.span) else { return false }
            target[place] = means.0
            target[place + 1] = means.1
            target[place + stride] = means.2
            target[place + stride + 1] = means.3
        }
        return true
    }
}
