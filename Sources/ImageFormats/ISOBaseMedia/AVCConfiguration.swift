/// An AVC configuration record (ISO/IEC 14496-15, 5.3.3.1).
struct AVCConfiguration {
    /// The number of bytes before each unit of an item that have its length: 1, 2 or 4.
    let lengthByteCount: Int
    /// The units with parameter sets.
    let sequenceParameterSets: [ArraySlice<UInt8>]
    let pictureParameterSets: [ArraySlice<UInt8>]

    /// Types of units (ITU-T H.264, table 7-1).
    static let sequenceParameterSet: UInt8 = 7
    static let pictureParameterSet: UInt8 = 8

    /// Parses the contents of `avcC` in `file`; nil if they are truncated, or hold units of other types.
    init?(_ contents: Range<Int>, in file: [UInt8]) {
        var reader = ISOBoxReader(file, contents)
        // Profile and level are in the parameter sets too.
        guard reader.number(1) == 1, reader.skip(3), let length = reader.number(1), length & 3 != 2 else { return nil }
        lengthByteCount = length & 3 + 1
        /// Reads a number of units, of which the lowest bits of a byte are the number.
        func units(_ type: UInt8, mask: Int) -> [ArraySlice<UInt8>]? {
            guard let count = reader.number(1) else { return nil }
            var units: [ArraySlice<UInt8>] = []
            for _ in 0..<count & mask {
                guard let byteCount = reader.number(2), case let start = reader.offset, reader.skip(byteCount) else {
                    return nil
                }
                let unit = file[start..<start + byteCount]
                guard let head = unit.first, head & 31 == type else { return nil }
                units.append(unit)
            }
            return units
        }
        guard let sequences = units(Self.sequenceParameterSet, mask: 31),
            let pictures = units(Self.pictureParameterSet, mask: 255)
        else { return nil }
        (sequenceParameterSets, pictureParameterSets) = (sequences, pictures)
    }
}
