internal import Raster

extension ISOImageItems {
    /// The brightest light of an item in candela per square metre: of the content, or else of the display on which it was
    /// made. Nil if neither is a luminance that PQ can have.
    ///
    /// Each comes from the item's boxes (`clli` and `mdcv`; ISO/IEC 23008-12, 6.5.31 and 6.5.32), or else from the coded
    /// stream: its configuration, then its first units. A grid's stream is that of its first tile.
    func peak(of identifier: Int, in file: [UInt8]) -> Double? {
        var light = LightLevels()
        for property in properties(of: identifier) {
            let fields = ISOBoxReader(file, property.contents)
            switch property.type {
            case "clli": light.readContent(fields)
            // In units of 0.0001.
            case "mdcv": light.readDisplay(fields, scale: 10_000)
            default: break
            }
        }
        let coded = type(of: identifier) == "grid" ? parts(of: identifier).first ?? identifier : identifier
        if light.content == nil || light.display == nil { light.add(streamLight(of: coded, in: file)) }
        return light.peak
    }

    /// The light levels in a coded item's stream.
    private func streamLight(of item: Int, in file: [UInt8]) -> LightLevels {
        var light = LightLevels()
        // An item in several extents isn't contiguous, and counts as one without levels.
        let data = data(of: item, in: file) ?? []
        switch type(of: item) {
        case "hvc1":
            guard let configuration = configuration(of: item) else { break }
            light.add(configuration.light)
            light.readUnits(ofHEVC: data, lengthByteCount: configuration.lengthByteCount)
        case "av01":
            if let box = properties(of: item).first(where: { $0.type == "av1C" }) {
                // Four bytes of parameters come first.
                light.readUnits(ofAV1: file[box.contents].dropFirst(4))
            }
            light.readUnits(ofAV1: data)
        default: break
        }
        return light
    }
}
