import CTesseraLibZ

/// Files put together of numbers.
enum Bytes {
    /// `value` in `count` bytes, the most significant first.
    static func big(_ value: Int, _ count: Int = 4) -> [UInt8] { Array(little(value, count).reversed()) }

    /// `value` in `count` bytes, the least significant first.
    static func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static func checksum(_ bytes: some Sequence<UInt8>) -> Int {
        let bytes = Array(bytes)
        return Int(crc32(0, bytes, uInt(bytes.count)))
    }

    /// A zlib stream of so many zeros: about a thousandth of them.
    static func packedZeros(_ count: Int) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, 15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var zeros = zeros(1 << 16)
        var packed: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var rest = count
        while true {
            let isLast = rest <= zeros.count
            let (given, room) = (min(rest, zeros.count), piece.count)
            var isFull = true
            zeros.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(given)
                while isFull {
                    piece.withUnsafeMutableBufferPointer { output in
                        stream.next_out = output.baseAddress
                        stream.avail_out = uInt(room)
                        deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    }
                    packed += piece.prefix(room - Int(stream.avail_out))
                    isFull = stream.avail_out == 0
                }
            }
            rest -= given
            if isLast { return packed }
        }
    }

    /// Bits from the least significant of each byte on, zeros behind them.
    static func bits(_ fields: [(value: Int, count: Int)], padding: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = 0
        for field in fields {
            for bit in 0..<field.count {
                if position % 8 == 0 { bytes.append(0) }
                if field.value >> bit & 1 == 1 { bytes[position / 8] |= 1 << UInt8(position % 8) }
                position += 1
            }
        }
        return bytes + zeros(padding)
    }
}
