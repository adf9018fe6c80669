internal import Raster

/// The properties in an HEVC configuration record (ISO/IEC 14496-15, 8.3.3.1).
struct HEVCConfiguration {
    /// Whether the coded images are luma only.
    let isGray: Bool
    /// The sizes in its sequence parameter sets, for which a decoder allocates memory.
    let sizes: [PixelSize]
    /// The number of bytes before each unit of an item that have its length.
    let lengthByteCount: Int
    /// The light levels in its messages.
    let light: LightLevels

    /// Parses `record`; nil if it is too short.
    init?(_ record: ArraySlice<UInt8>) {
        let bytes = Array(record)
        guard bytes.count > 22 else { return nil }
        isGray = bytes[16] & 3 == 0
        lengthByteCount = Int(bytes[21] & 3) + 1
        var reader = ISOBoxReader(bytes, 22..<bytes.count)
        var sizes: [PixelSize] = []
        var light = LightLevels()
        let arrayCount = reader.number(1) ?? 0
        arrays: for _ in 0..<arrayCount {
            guard let type = reader.number(1), let unitCount = reader.number(2) else { break }
            for _ in 0..<unitCount {
                guard let length = reader.number(2), length <= reader.end - reader.offset else { break arrays }
                let unit = bytes[reader.offset..<(reader.offset + length)]
                guard reader.skip(length) else { break arrays }
                switch type & 63 {
                case HEVCUnit.sequenceParameterSet:
                    if let size = Self.size(inSequenceParameterSet: unit) { sizes.append(size) }
                case HEVCUnit.messages: light.readMessages(ofHEVC: unit)
                default: break
                }
            }
        }
        self.sizes = sizes
        self.light = light
    }

    /// The coded size in a sequence parameter set (ITU-T H.265, 7.3.2.2), a NAL unit with its header of two bytes.
    private static func size(inSequenceParameterSet unit: ArraySlice<UInt8>) -> PixelSize? {
        // The fields needed are within the set's first bytes.
        var bits = NALBitReader(HEVCUnit.payload(of: unit, limit: 512))
        guard bits.skip(4), let subLayers = bits.read(3), bits.skip(1), bits.skip(96) else { return nil }
        // Profiles and levels of sub-layers.
        var presence: [(profile: Bool, level: Bool)] = []
        for _ in 0..<subLayers {
            guard let profile = bits.read(1), let level = bits.read(1) else { return nil }
            presence.append((profile == 1, level == 1))
        }
        if subLayers > 0, !bits.skip(2 * (8 - subLayers)) { return nil }
        for (profile, level) in presence where !bits.skip((profile ? 88 : 0) + (level ? 8 : 0)) { return nil }
        guard bits.readExponential() != nil, let chroma = bits.readExponential() else { return nil }
        if chroma == 3, !bits.skip(1) { return nil }
        guard let width = bits.readExponential(), let height = bits.readExponential() else { return nil }
        // Clamped to keep products within Int; such sizes exceed all limits anyway.
        return PixelSize(width: min(width, 1 << 30), height: min(height, 1 << 30))
    }
}
