import CTesseraKernels
import CTesseraLibZ
import ImageFormats
import Testing
import TestSupport

@Suite("PNG kernels")
struct PNGKernelTests {
    /// Bytes of several kinds: noise, few values, runs, repetitions, photograph-like residuals.
    private static func bytes(_ count: Int, kind: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            let noise = UInt8.random(in: 0...255, using: &random)
            switch kind {
            case 0: result.append(noise)
            case 1: result.append(noise % 5)
            case 2: result.append(noise < 3 ? noise : 0)
            case 3: result.append(index >= 3 && noise > 30 ? result[index - 3] : noise)
            case 4: result.append(index >= 300 && noise > 12 ? result[index - 300] : noise % 31)
            default: result.append((noise % 4 &+ noise / 64) &- 3)
            }
        }
        return result
    }

    @Test(
        "Filters are undone by the standard's rules, at every width and pixel size",
        arguments: [1, 2, 3, 4, 6, 8] as [UInt32])
    func unfilter(distance: UInt32) {
        var random = SeededGenerator(UInt64(distance))
        for width in 1...40 {
            for count in [1, 3, 4, 5, 9] {
                let rowByteCount = width * Int(distance)
                var rows = (0..<(count * (rowByteCount + 1) + 16)).map { _ in UInt8.random(in: 0...255, using: &random)
                }
                for y in 0..<count {
                    // Mostly Paeth, which is undone several rows at a time.
                    rows[y * (rowByteCount + 1)] = UInt8.random(in: 0...9, using: &random)
                    if rows[y * (rowByteCount + 1)] > 4 { rows[y * (rowByteCount + 1)] = 4 }
                }
                let prior = (0..<(rowByteCount + 16)).map { _ in UInt8.random(in: 0...255, using: &random) }
                for hasPrior in [false, true] {
                    var (fast, plain) = (rows, rows)
                    prior.withUnsafeBufferPointer { prior in
                        let above = hasPrior ? prior.baseAddress : nil
                        #expect(tessera_png_unfilter(&fast, count, rowByteCount, distance, above) == count)
                        #expect(tessera_png_unfilter_scalar(&plain, count, rowByteCount, distance, above) == count)
                    }
                    #expect(fast == plain, "\(width) pixels, \(count) rows")
                }
            }
        }
    }

    @Test(
        "Filtering and undoing it gives the same row, with the cheapest filter",
        arguments: [1, 3, 4, 8] as [UInt32])
    func filter(distance: UInt32) {
        var random = SeededGenerator(UInt64(distance) + 9)
        for width in [1, 2, 5, 6, 16, 33, 70] {
            let count = width * Int(distance)
            let (row, prior) = (
                Self.bytes(count, kind: width % 6, &random), Self.bytes(count, kind: width % 5, &random)
            )
            for above in [nil, prior] as [[UInt8]?] {
                var costs: [UInt64] = []
                for filter in 0..<5 as Range<UInt32> {
                    var out = [UInt8](repeating: 0, count: count + 17)
                    Self.withPointer(above) { tessera_png_filter(&out, row, $0, count, distance, filter) }
                    #expect(UInt32(out[0]) == filter)
                    let cost = out[1...count].reduce(0 as UInt64) { $0 + UInt64(abs(Int(Int8(bitPattern: $1)))) }
                    costs.append(cost)
                    #expect(
                        Self.withPointer(above) { tessera_png_filter_cost(row, $0, count, distance, filter) } == cost)
                    let undone = Self.withPointer(above) {
                        tessera_png_unfilter_scalar(&out, 1, count, distance, $0)
                    }
                    #expect(undone == 1 && Array(out[1...count]) == row)
                }
                for filters in 1...5 {
                    var out = [UInt8](repeating: 0, count: count + 1)
                    Self.withPointer(above) {
                        tessera_png_filter_adaptive(&out, row, $0, count, distance, UInt32(filters))
                    }
                    #expect(Int(out[0]) == costs.firstIndex(of: costs.prefix(filters).min()!))
                }
            }
        }
    }

    private static func withPointer<R>(_ bytes: [UInt8]?, _ body: (UnsafePointer<UInt8>?) -> R) -> R {
        guard let bytes else { return body(nil) }
        return bytes.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    @Test("An invalid filter stops at its row")
    func unknownFilter() {
        var rows: [UInt8] = [0, 1, 1, 2, 5, 3] + [UInt8](repeating: 0, count: 16)
        #expect(tessera_png_unfilter(&rows, 3, 1, 1, nil) == 2)
        #expect(tessera_png_unfilter(&rows, 3, 1, 3, nil) == 2)
    }

    private static func compressed(_ bytes: [UInt8], pieces: Int, effort: DeflateEffort) -> [UInt8] {
        var compressor = DeflateCompressor(effort: effort)
        var result: [UInt8] = []
        for piece in 0..<pieces {
            let range = (bytes.count * piece / pieces)..<(bytes.count * (piece + 1) / pieces)
            var output = [UInt8](repeating: 0xAA, count: DeflateCompressor.bound(for: range.count) + 1)
            let count = bytes[range].withUnsafeBufferPointer {
                compressor.compress($0, isLast: piece == pieces - 1, into: &output)
            }
            // The bound holds, the spare byte behind it included.
            #expect(output.last == 0xAA)
            result += output[..<count]
        }
        return result
    }

    @Test("Our compressed data is inflated by zlib and by us", arguments: 0..<6)
    func deflate(kind: Int) {
        var random = SeededGenerator(UInt64(kind))
        for count in [0, 1, 2, 7, 8, 300, 5000, 70000, 300_000] {
            let bytes = Self.bytes(count, kind: kind, &random)
            for level in [0, 1, 2, 3, 5, 6, 7, 9] where level < 7 || count < 100_000 {
                for pieces in [1, 3] {
                    let stream = Self.compressed(bytes, pieces: pieces, effort: DeflateEffort(level: level))
                    #expect(Self.zlibUnpack(stream, limit: count + 1).bytes == bytes)
                    #expect(Self.unpack(stream + [0, 0, 0, 0], limit: count + 1).bytes == bytes)
                    if kind == 1, count > 1000, level > 0 { #expect(stream.count < count / 2) }
                }
            }
        }
    }

    private enum Ending { case end, corrupt, needsInput, full }

    private static func zlibUnpack(_ stream: [UInt8], limit: Int) -> (bytes: [UInt8], ending: Ending) {
        var state = z_stream()
        var output = [UInt8](repeating: 0, count: limit + 1)
        var input = stream
        let (inputCount, outputCount) = (UInt32(input.count), UInt32(output.count))
        let (result, made) = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                inflateInit2_(&state, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                state.next_in = input.baseAddress
                state.avail_in = inputCount
                state.next_out = output.baseAddress
                state.avail_out = outputCount
                let result = inflate(&state, Z_FINISH)
                let made = outputCount - state.avail_out
                inflateEnd(&state)
                return (result, Int(made))
            }
        }
        let ending: Ending =
            result == Z_STREAM_END ? .end : result == Z_DATA_ERROR ? .corrupt : made > limit ? .full : .needsInput
        return (Array(output[..<made]), ending)
    }

    /// Unpacks raw deflate data, and whatever stands for a check value behind it, by giving it a zlib header.
    private static func unpack(
        _ stream: [UInt8], limit: Int, pieceByteCount: Int = .max, roomByteCount: Int = 1 << 16
    ) -> (bytes: [UInt8], ending: Ending) {
        let inflater = PNGInflater()
        let input = [0x78, 0x01] + stream
        var (result, position): ([UInt8], Int) = ([], 0)
        var room = [UInt8](repeating: 0, count: roomByteCount)
        while true {
            let end = pieceByteCount < input.count - position ? position + pieceByteCount : input.count
            let (used, made, status) = input[position..<end].withUnsafeBufferPointer { piece in
                room.withUnsafeMutableBufferPointer { inflater.inflate(piece, into: $0, isFinal: end == input.count) }
            }
            position += used
            result += room[..<made]
            if result.count > limit { return (Array(result.prefix(limit + 1)), .full) }
            switch status {
            case .outputFull: continue
            case .end, .wrongChecksum: return (result, .end)
            case .corrupt: return (result, .corrupt)
            case .needsInput: if position == input.count { return (result, .needsInput) }
            }
        }
    }

    @Test("zlib's streams are inflated like zlib does, whole, split, damaged or truncated", arguments: 0..<6)
    func inflateLikeZlib(kind: Int) {
        var random = SeededGenerator(UInt64(100 + kind))
        for round in 0..<250 {
            let bytes = Self.bytes(
                Int.random(in: 1...(round % 25 == 0 ? 150_000 : 3000), using: &random), kind: kind, &random)
            var stream = Self.zlibPack(
                bytes, level: Int32(round % 10), strategy: Int32(round % 5), memory: Int32(1 + round % 9))
            let damage = round % 3
            if damage == 1 {
                for _ in 0..<3 {
                    stream[Int.random(in: 0..<min(stream.count, 80), using: &random)] ^= 1 << UInt8(round % 8)
                }
            }
            if damage == 2 { stream.removeLast(Int.random(in: 1...stream.count, using: &random)) }
            let limit = bytes.count * 2 + 1000
            let expected = Self.zlibUnpack(stream, limit: limit)
            let trailer: [UInt8] = damage == 2 ? [] : [0, 0, 0, 0]
            for (piece, room) in [(Int.max, 1 << 16), (1 + round % 700, 1 + round % 2000), (1, 999)]
            where piece > 1 || stream.count < 600 {
                let got = Self.unpack(stream + trailer, limit: limit, pieceByteCount: piece, roomByteCount: room)
                // After damage both stop, at the same symbol or a little sooner.
                if expected.ending == .end {
                    #expect(got.ending == .end && got.bytes == expected.bytes)
                } else if damage == 0 {
                    Issue.record("zlib failed on its own stream")
                } else {
                    #expect(got.ending != .end)
                    let count = min(got.bytes.count, expected.bytes.count)
                    #expect(got.bytes.prefix(count) == expected.bytes.prefix(count))
                }
            }
        }
    }

    private static func zlibPack(_ bytes: [UInt8], level: Int32, strategy: Int32, memory: Int32) -> [UInt8] {
        var state = z_stream()
        var output = [UInt8](repeating: 0, count: bytes.count * 3 / 2 + 1000)
        var input = bytes
        let (inputCount, outputCount) = (UInt32(input.count), UInt32(output.count))
        let made = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                deflateInit2_(
                    &state, level, Z_DEFLATED, -15, memory, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                state.next_in = input.baseAddress
                state.avail_in = inputCount
                state.next_out = output.baseAddress
                state.avail_out = outputCount
                CTesseraLibZ.deflate(&state, Z_FINISH)
                let made = outputCount - state.avail_out
                deflateEnd(&state)
                return Int(made)
            }
        }
        return Array(output[..<made])
    }
}
