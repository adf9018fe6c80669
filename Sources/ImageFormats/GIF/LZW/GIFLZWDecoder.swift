internal import CTesseraKernels

/// Unpacks GIF's LZW codes (GIF89a, appendix F), which have increasing width, lowest bits first, in pieces of any size.
struct GIFLZWDecoder {
    /// The reason why `decode` returned.
    enum Stop: Equatable {
        /// The output has the requested number of bytes.
        case full
        /// All input has been used.
        case needsInput
        /// The end code was read.
        case ended
        /// A code was read that isn't in the table.
        case corrupt
    }

    /// The number of extra bytes that `decode` may write: the longest string, and the rest of a word.
    static let overrun = Int(TESSERA_GIF_OVERRUN)

    private var state = tessera_gif_state()
    private var strings = [tessera_gif_string](repeating: tessera_gif_string(), count: Int(TESSERA_GIF_CODES))
    private var stop: Stop?

    /// A decoder for indices of `minimumCodeSize` bits, 1 to 8.
    init(minimumCodeSize: Int) {
        precondition((1...8).contains(minimumCodeSize))
        tessera_gif_begin(&state, &strings, UInt32(minimumCodeSize))
    }

    /// Unpacks `input` from `position` into `output` from `filled` on, until `filled` reaches `wanted`.
    ///
    /// May write up to `overrun` bytes more, for which `output` must have room.
    mutating func decode(
        _ input: RawSpan, from position: inout Int, to output: inout MutableRawSpan, filled: inout Int, wanted: Int
    ) -> Stop {
        if let stop { return stop }
        precondition(output.byteCount - Self.overrun >= wanted && position <= input.byteCount)
        let reason = input.lend { codes, count in
            output.withUnsafeMutableBytes { bytes in
                // There is room for what is wanted and for the overrun, as was just checked.
                tessera_gif_unpack(
                    &state, &strings, codes, count, &position, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self),
                    &filled, wanted)
            }
        }
        switch reason {
        case Int32(TESSERA_GIF_FULL): return .full
        case Int32(TESSERA_GIF_NEEDS_INPUT): return .needsInput
        case Int32(TESSERA_GIF_ENDED): stop = .ended
        default: stop = .corrupt
        }
        return stop!
    }
}
