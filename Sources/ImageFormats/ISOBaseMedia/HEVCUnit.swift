/// The units of an HEVC stream (NAL units; ITU-T H.265, 7.3.1).
enum HEVCUnit {
    /// Types of units (table 7-1): lower ones hold slices.
    static let firstWithoutSlices = 32
    static let sequenceParameterSet = 33
    /// Supplemental enhancement information before the slices that it is about.
    static let messages = 39

    /// The unit's type; nil if it has no header.
    static func type(of unit: ArraySlice<UInt8>) -> Int? { unit.first.map { Int($0 >> 1 & 63) } }

    /// The bytes after a unit's header of two bytes, without emulation prevention bytes (7.4.2), of its first `limit` bytes.
    static func payload(of unit: ArraySlice<UInt8>, limit: Int) -> [UInt8] {
        NALUnit.payload(unit.dropFirst(2).prefix(limit))
    }
}
