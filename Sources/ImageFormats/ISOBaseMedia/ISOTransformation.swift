internal import Raster

/// Crops, turns and mirrorings in the order of an item's properties (ISO/IEC 23008-12, 6.5): together one crop of the stored
/// image, and an orientation to apply after it.
struct ISOTransformation {
    /// The types of properties that transform an image.
    static let types: Set<FourCharacterCode> = ["clap", "irot", "imir"]

    /// The size of the stored image.
    let size: PixelSize
    /// The part of the stored image that is shown.
    private(set) var crop: PixelRect
    /// The orientation to apply to that part.
    private(set) var orientation = Orientation.up

    /// Real files have at most three.
    private static let maximumCount = 100

    /// No transformation of an image of `size`, which mustn't be empty.
    init(_ size: PixelSize) {
        precondition(!size.isEmpty)
        self.size = size
        crop = PixelRect(size)
    }

    /// The size of the result.
    var resultSize: PixelSize { orientation.applied(to: crop.size) }

    /// Adds the transformations among `properties`, whose contents are in `file`.
    /// - Throws: `corrupt` for a truncated property, or a crop that isn't inside of the image; `unsupported` for more than
    ///   100 properties.
    mutating func add(_ properties: [ISOBoxReader.Box], in file: [UInt8]) throws(ImageError) {
        guard properties.count <= Self.maximumCount else {
            throw ImageError(
                .unsupported, "an image item has \(properties.count) properties; the limit is \(Self.maximumCount)")
        }
        for property in properties where Self.types.contains(property.type) {
            if property.type == "clap" {
                try add(cleanAperture: property, in: file)
            } else if let turn = property.orientation(in: file) {
                orientation = orientation.followed(by: turn)
            } else {
                throw ImageError(
                    .corrupt, "the property '\(property.type)' is empty", byteOffset: property.contents.lowerBound)
            }
        }
    }

    /// Adds a crop around the image's centre (ISO/IEC 14496-12, 12.1.4). Edges between pixels are rounded.
    private mutating func add(cleanAperture property: ISOBoxReader.Box, in file: [UInt8]) throws(ImageError) {
        var reader = ISOBoxReader(file, property.contents)
        var values: [Double] = []
        for index in 0..<4 {
            guard let stored = reader.number(4), let denominator = reader.number(4), denominator > 0 else {
                throw ImageError(
                    .corrupt, "invalid crop: the property 'clap' is truncated or divides by 0",
                    byteOffset: property.contents.lowerBound)
            }
            // Offsets have a sign.
            let numerator = index < 2 ? stored : Int(Int32(truncatingIfNeeded: stored))
            values.append(Double(numerator) / Double(denominator))
        }
        let whole = resultSize
        let left = ((Double(whole.width) - values[0]) / 2 + values[2]).rounded()
        let top = ((Double(whole.height) - values[1]) / 2 + values[3]).rounded()
        // Numerators have 32 bits, so all numbers fit in Int.
        let part = PixelRect(
            x: Int(left), y: Int(top), width: Int(values[0].rounded()), height: Int(values[1].rounded()))
        guard part.lies(within: whole) else {
            throw ImageError(
                .corrupt, "invalid crop: \(part.size) at (\(part.x), \(part.y)) isn't inside of an image of \(whole)",
                byteOffset: property.contents.lowerBound)
        }
        let stored = orientation.inverse.applied(to: part, in: whole)
        crop = PixelRect(x: crop.x + stored.x, y: crop.y + stored.y, width: stored.width, height: stored.height)
    }
}

extension ISOBoxReader.Box {
    /// The orientation that a property `irot` or `imir` corrects; nil if it is empty.
    func orientation(in file: [UInt8]) -> Orientation? {
        var reader = ISOBoxReader(file, contents)
        guard let value = reader.number(1) else { return nil }
        // Anticlockwise quarter turns; or 0 to exchange top and bottom, and 1 to exchange left and right.
        return type == "irot"
            ? [.up, .left, .down, .right][value & 3] : value & 1 == 0 ? .downMirrored : .upMirrored
    }
}
