/// The light of an image's content, and of the display on which it was made, in candela per square metre: static metadata of
/// SMPTE ST 2086 and CTA-861.3, which boxes and coded streams have in several forms.
struct LightLevels: Equatable {
    /// The brightest pixel (MaxCLL); nil if unknown.
    private(set) var content: Double?
    /// The display's brightest light; nil if unknown.
    private(set) var display: Double?

    /// The peak for tone mapping.
    var peak: Double? { content ?? display }

    /// Sets the content's light if it isn't known yet. A level that PQ can't have counts as unknown.
    mutating func add(content level: Double?) {
        content = content ?? level.flatMap { HighDynamicRangeSpace.validPeak($0) }
    }

    /// The same for the display's light.
    mutating func add(display level: Double?) {
        display = display ?? level.flatMap { HighDynamicRangeSpace.validPeak($0) }
    }

    /// Adds what `other` knows beyond this.
    mutating func add(_ other: LightLevels) {
        add(content: other.content)
        add(display: other.display)
    }

    /// Reads a mastering display's three primaries and white, of 16 bytes, then its brightest light in units of
    /// 1 / `scale`: the form that boxes, HEVC and AV1 have in common.
    mutating func readDisplay(_ fields: ISOBoxReader, scale: Double) {
        var fields = fields
        guard fields.skip(16) else { return }
        add(display: fields.number(4).map { Double($0) / scale })
    }

    /// Reads a content light level, which begins with the brightest pixel's in all forms.
    mutating func readContent(_ fields: ISOBoxReader) {
        var fields = fields
        add(content: fields.number(2).map { Double($0) })
    }
}
