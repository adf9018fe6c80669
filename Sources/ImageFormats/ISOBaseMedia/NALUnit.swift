/// The bytes of units in AVC's and HEVC's streams (NAL units; ITU-T H.264, 7.4.1, and H.265, 7.4.2).
enum NALUnit {
    /// Bytes of a unit without emulation prevention bytes: a 3 after two zeros.
    static func payload(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            kept.append(byte)
        }
        return kept
    }

    /// Whether a unit has bytes that mean the start of another one in a stream: two zeros before a byte below 3.
    static func containsStartCode(_ unit: ArraySlice<UInt8>) -> Bool {
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte < 3 { return true }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return false
    }
}
