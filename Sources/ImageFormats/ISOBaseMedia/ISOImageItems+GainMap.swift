internal import Raster

// Queries for gain maps.
extension ISOImageItems {
    /// Coded images, and images composed of them.
    static let imageTypes: Set<FourCharacterCode> = ["hvc1", "av01", "grid"]

    /// The items of `type`, in the order of their identifiers.
    func items(of type: FourCharacterCode) -> [Int] { types.filter { $0.value == type }.keys.sorted() }

    /// The auxiliary images of an item: masks, depths, gain maps.
    func auxiliaries(of identifier: Int) -> [Int] { auxiliaries[identifier] ?? [] }

    /// Whether two items are alternatives of each other (ISO/IEC 14496-12, 8.15.3.1).
    func areAlternatives(_ first: Int, _ second: Int) -> Bool {
        alternatives.contains { $0.contains(first) && $0.contains(second) }
    }

    /// The colour space in an item's properties; nil if they have none, or unspecified primaries.
    func profile(of identifier: Int, in file: [UInt8], isGray: Bool = false) -> ColorProfile? {
        for property in properties(of: identifier) where property.type == "colr" {
            var reader = ISOBoxReader(file, property.contents)
            guard let kind = reader.code() else { continue }
            if kind == "nclx", let primaries = reader.number(2), primaries != 2, let transfer = reader.number(2) {
                return .coded(primaries: primaries, transfer: transfer, isGray: isGray)
            } else if kind == "prof" || kind == "rICC" {
                return .icc(Array(file[reader.offset..<reader.end]))
            }
        }
        return nil
    }

    /// The size of the primary image after its turns and before any crop; nil if it isn't declared.
    func uprightSize(in file: [UInt8]) -> PixelSize? {
        guard let primary else { return nil }
        var size: PixelSize?
        for property in properties(of: primary) {
            var reader = ISOBoxReader(file, property.contents)
            if property.type == "ispe" {
                size = reader.size()
            } else if property.type == "irot", let angle = reader.number(1), angle & 1 == 1 {
                size = size?.transposed
            }
        }
        return size
    }
}
