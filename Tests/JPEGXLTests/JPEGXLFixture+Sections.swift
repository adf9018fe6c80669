#if JPEGXL
import Raster

extension JPEGXLFixture {
    /// A codestream of one frame, its sections stored in another order: the second and third of the sections that are in
    /// between change places with each other, as newer encoders put low frequencies behind groups of pixels.
    ///
    /// ISO/IEC 18181-1, annex F.3.3: a frame's table of contents is a bit, a permutation if it is set, and the sections'
    /// sizes. It stands where the sizes add up to the rest of the file. The header before it ends in zeros, so that the bit
    /// can be one of several: a file for each, of which one is right.
    static func reordered(_ codestream: [UInt8], sectionCount: Int, exchanging first: Int, _ second: Int) -> [[UInt8]] {
        var files: [[UInt8]] = []
        for bit in 16..<min(codestream.count * 8, 4000) {
            var reader = Bits(codestream, at: bit)
            guard reader.read(1) == 0, reader.alignToZeros() else { continue }
            let sizes = (0..<sectionCount).compactMap { _ in reader.readSize() }
            guard sizes.count == sectionCount, reader.alignToZeros() else { continue }
            let start = reader.position / 8
            guard sizes.reduce(start, +) == codestream.count else { continue }
            let offsets = sizes.indices.map { start + sizes[..<$0].reduce(0, +) }
            var order = Array(sizes.indices)
            order.swapAt(first, second)
            var writer = Bits(codestream, at: 0)
            writer.truncate(to: bit)
            writer.write(1, 1)
            writer.writePermutation(exchanging: first, second)
            writer.align()
            for index in order { writer.writeSize(sizes[index]) }
            writer.align()
            files.append(writer.bytes + order.flatMap { codestream[offsets[$0]..<(offsets[$0] + sizes[$0])] })
        }
        return files
    }

    /// Bits of bytes, the lowest first.
    private struct Bits {
        private(set) var bytes: [UInt8]
        private(set) var position: Int

        init(_ bytes: [UInt8], at position: Int) {
            self.bytes = bytes
            self.position = position
        }

        mutating func read(_ count: Int) -> Int? {
            guard position + count <= bytes.count * 8 else { return nil }
            var value = 0
            for bit in 0..<count { value |= Int(bytes[(position + bit) / 8] >> UInt8((position + bit) % 8) & 1) << bit }
            position += count
            return value
        }

        /// Whether what is left of the byte is zero, as it must be.
        mutating func alignToZeros() -> Bool { position % 8 == 0 || read(8 - position % 8) == 0 }

        mutating func readSize() -> Int? {
            let kinds = [(10, 0), (14, 1024), (22, 17408), (30, 4_211_712)]
            guard let kind = read(2) else { return nil }
            return read(kinds[kind].0).map { $0 + kinds[kind].1 }
        }

        mutating func truncate(to bit: Int) {
            bytes = Array(bytes[..<((bit + 7) / 8)])
            if bit % 8 != 0 { bytes[bytes.count - 1] &= 1 << UInt8(bit % 8) - 1 }
            position = bit
        }

        mutating func write(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if position % 8 == 0 { bytes.append(0) }
                bytes[position / 8] |= UInt8(value >> bit & 1) << UInt8(position % 8)
                position += 1
            }
        }

        mutating func align() { position = bytes.count * 8 }

        mutating func writeSize(_ size: Int) {
            if size < 1024 {
                write(0, 2)
                write(size, 10)
            } else {
                precondition(size < 17408)
                write(1, 2)
                write(size - 1024, 14)
            }
        }

        /// A permutation that exchanges two numbers, as Lehmer's code has it, in a prefix code of 0, 1 and two others.
        mutating func writePermutation(exchanging first: Int, _ second: Int) {
            // Each is how many smaller numbers are still to come.
            var codes = [Int](repeating: 0, count: first) + [second - first]
            codes += [Int](repeating: 1, count: second - first - 1)
            let values = [codes.count] + codes
            let symbols = [0, 1] + Set(values).subtracting([0, 1]).sorted()
            precondition(symbols.count == 4 && symbols[3] < 64)
            // No repetitions; one distribution for all contexts; a prefix code; values stand for themselves.
            write(0, 1)
            write(1, 1)
            write(0, 2)
            write(1, 1)
            write(15, 4)
            // An alphabet of 64, in four codes of two bits.
            write(1, 1)
            write(5, 4)
            write(31, 5)
            write(1, 2)
            write(3, 2)
            for symbol in symbols { write(symbol, 6) }
            write(0, 1)
            for value in values {
                let code = symbols.firstIndex(of: value)!
                write(code >> 1, 1)
                write(code & 1, 1)
            }
        }
    }
}
#endif
