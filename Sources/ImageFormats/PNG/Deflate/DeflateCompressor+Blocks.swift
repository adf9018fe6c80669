// MARK: - Writing

extension DeflateCompressor {
    /// Writes a block with dynamic codes, or stored if that is no larger.
    mutating func write(
        _ bytes: UnsafePointer<UInt8>, count: Int, symbolCount: Int, isLast: Bool, into writer: inout DeflateBitWriter
    ) {
        literalCode.build(literalFrequencies)
        distanceCode.build(distanceFrequencies)
        let header = DeflateBlockHeader(literals: literalCode, distances: distanceCode, code: &lengthCode)
        if (header.bitCount + symbolBitCount() + 7) / 8 >= count + 5 * (count / 65535 + 1) {
            writeStored(bytes, count: count, isLast: isLast, into: &writer)
            return
        }
        writer.add(isLast ? 1 : 0, 1)
        writer.add(2, 2)
        header.write(code: lengthCode, into: &writer)
        writeSymbols(symbolCount, into: &writer)
    }

    private func symbolBitCount() -> Int {
        var total = 0
        for symbol in 0..<DeflateTables.literalCount {
            var length = Int(literalCode.lengths[symbol])
            if symbol > 256 { length += Int(DeflateTables.lengthExtraBits[symbol - 257]) }
            total += Int(literalFrequencies[symbol]) * length
        }
        for symbol in 0..<DeflateTables.distanceCount {
            let length = UInt32(distanceCode.lengths[symbol]) + DeflateTables.distanceExtraBits(UInt32(symbol))
            total += Int(distanceFrequencies[symbol]) * Int(length)
        }
        return total
    }

    private func writeSymbols(_ symbolCount: Int, into output: inout DeflateBitWriter) {
        // A local copy keeps the bit buffer in registers.
        var writer = output
        let symbols = symbols
        let literalLengths = literalCode.lengths
        let literalWords = literalCode.words
        let distanceLengths = distanceCode.lengths
        let distanceWords = distanceCode.words
        var index = 0
        while index < symbolCount {
            let symbol = symbols[index]
            index &+= 1
            if symbol < 256 {
                let byte = Int(symbol)
                writer.add(UInt32(literalWords[byte]), literalLengths[byte])
                // Two more literals fit before the flush: three times 15 bits, and 7 left over.
                if index < symbolCount, symbols[index] < 256 {
                    let second = Int(symbols[index])
                    index &+= 1
                    writer.add(UInt32(literalWords[second]), literalLengths[second])
                    if index < symbolCount, symbols[index] < 256 {
                        let third = Int(symbols[index])
                        index &+= 1
                        writer.add(UInt32(literalWords[third]), literalLengths[third])
                    }
                }
                writer.flush()
                continue
            }
            let length = Int(symbol &>> 15 & 0xFF)
            let lengthSymbol = Int(costs.lengthSymbols[length])
            writer.add(UInt32(literalWords[257 &+ lengthSymbol]), literalLengths[257 &+ lengthSymbol])
            writer.add(
                UInt32(truncatingIfNeeded: length) &- costs.lengthBases[lengthSymbol],
                costs.lengthExtraBits[lengthSymbol])
            let distance = symbol & 0x7FFF
            let distanceSymbol = DeflateTables.distanceSymbol(distance)
            let extra = DeflateTables.distanceExtraBits(distanceSymbol)
            writer.add(UInt32(distanceWords[Int(distanceSymbol)]), distanceLengths[Int(distanceSymbol)])
            writer.add(distance & (1 &<< extra &- 1), UInt8(truncatingIfNeeded: extra))
            writer.flush()
        }
        writer.add(UInt32(literalWords[DeflateTables.endOfBlock]), literalLengths[DeflateTables.endOfBlock])
        writer.flush()
        output = writer
    }

    func writeStored(
        _ bytes: UnsafePointer<UInt8>, count: Int, isLast: Bool, into writer: inout DeflateBitWriter
    ) {
        var offset = 0
        while offset < count {
            let length = min(65535, count - offset)
            writer.add(isLast && offset + length == count ? 1 : 0, 3)
            writer.align()
            writer.add(UInt32(length), 16)
            writer.add(UInt32(length) ^ 0xFFFF, 16)
            writer.flush()
            writer.append(bytes + offset, count: length)
            offset += length
        }
    }

    func writeEmptyStoredBlock(isLast: Bool, into writer: inout DeflateBitWriter) {
        writer.add(isLast ? 1 : 0, 3)
        writer.align()
        writer.add(0xFFFF_0000, 32)
        writer.flush()
    }
}
