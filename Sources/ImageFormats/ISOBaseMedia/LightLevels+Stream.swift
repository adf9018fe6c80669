// Light levels inside of coded streams. Writers that mux a video encoder's output often add no boxes.
extension LightLevels {
    /// The number of units that are looked at before the image's first slice. Streams have about five.
    private static let maximumUnitCount = 64
    /// The bytes of a unit that are looked at. Encoders write their settings into a message, a few kilobytes.
    private static let maximumUnitByteCount = 1 << 16

    /// Reads the messages in a unit of HEVC (ITU-T H.265, 7.3.5, D.2.28 and D.2.35).
    mutating func readMessages(ofHEVC unit: ArraySlice<UInt8>) {
        let bytes = HEVCUnit.payload(of: unit, limit: Self.maximumUnitByteCount)
        var reader = ISOBoxReader(bytes, 0..<bytes.count)
        /// A number as the sum of bytes up to the first that isn't 255.
        func sum() -> Int? {
            var sum = 0
            while let byte = reader.number(1) {
                sum += byte
                if byte < 255 { return sum }
            }
            return nil
        }
        while let type = sum(), let count = sum() {
            let start = reader.offset
            guard reader.skip(count) else { return }
            let payload = ISOBoxReader(bytes, start..<reader.offset)
            switch type {
            // In units of 0.0001.
            case 137: readDisplay(payload, scale: 10_000)
            case 144: readContent(payload)
            default: break
            }
        }
    }

    /// Reads the messages before the first slice of an HEVC image, whose units each follow their length.
    mutating func readUnits(ofHEVC data: ArraySlice<UInt8>, lengthByteCount: Int) {
        var rest = data
        for _ in 0..<Self.maximumUnitCount {
            let length = rest.prefix(lengthByteCount)
            guard length.count == lengthByteCount else { return }
            rest = rest.dropFirst(lengthByteCount)
            let unit = rest.prefix(length.reduce(0) { $0 << 8 | Int($1) })
            guard let type = HEVCUnit.type(of: unit), type >= HEVCUnit.firstWithoutSlices else { return }
            if type == HEVCUnit.messages { readMessages(ofHEVC: unit) }
            rest = rest.dropFirst(unit.count)
        }
    }

    /// Reads the metadata before the first frame of AV1 (AV1 Bitstream, 5.3, 5.8.2 to 5.8.4).
    mutating func readUnits(ofAV1 data: ArraySlice<UInt8>) {
        var rest = data
        for _ in 0..<Self.maximumUnitCount {
            guard let head = rest.popFirst() else { return }
            let type = head >> 3 & 15
            // An extension of the header.
            if head & 4 != 0 { rest = rest.dropFirst() }
            var count = rest.count
            if head & 2 != 0 {
                guard let coded = Self.readLEB128(&rest) else { return }
                count = min(coded, rest.count)
            }
            let unit = rest.prefix(count)
            switch type {
            case 5: readMetadata(ofAV1: unit)
            // A frame's header, its tiles, or both.
            case 3, 4, 6: return
            default: break
            }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func readMetadata(ofAV1 unit: ArraySlice<UInt8>) {
        var rest = unit
        guard let type = Self.readLEB128(&rest) else { return }
        let bytes = Array(rest.prefix(32))
        let fields = ISOBoxReader(bytes, 0..<bytes.count)
        switch type {
        case 1: readContent(fields)
        // In units of 1/256.
        case 2: readDisplay(fields, scale: 256)
        default: break
        }
    }

    /// Reads a number in groups of seven bits, the lowest first (AV1 Bitstream, 4.10.5); nil if it is incomplete or
    /// exceeds 32 bits.
    private static func readLEB128(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        for group in 0..<8 {
            guard let byte = bytes.popFirst() else { return nil }
            value |= Int(byte & 127) << (7 * group)
            if byte & 128 == 0 { return value >> 32 == 0 ? value : nil }
        }
        return nil
    }
}
