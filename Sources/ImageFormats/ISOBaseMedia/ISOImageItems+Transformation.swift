internal import Raster

// The transformations of a tone-mapped primary item, which apply to its base and its map together.
extension ISOImageItems {
    /// The transformations of a tone-mapped primary item.
    struct ToneMappedTransformation {
        /// All transformations of the stored base: its own, then those of the tone-mapped image.
        var whole: ISOTransformation
        /// Those of the tone-mapped image alone.
        var last: ISOTransformation
    }

    /// The transformations of a tone-mapped primary item; nil if it has none after its base.
    /// - Throws: `corrupt` if declared sizes contradict each other, and for a crop that isn't inside of the image.
    func toneMappedTransformation(in file: [UInt8]) throws(ImageError) -> ToneMappedTransformation? {
        guard let primary, let base = toneMappedBase else { return nil }
        let added = properties(of: primary)
        guard added.contains(where: { ISOTransformation.types.contains($0.type) }) else { return nil }
        guard let size = declaredSize(of: base, in: file), !size.isEmpty else {
            throw ImageError(.corrupt, "the base of the tone-mapped primary item \(primary) declares no size")
        }
        var whole = ISOTransformation(size)
        try whole.add(properties(of: base), in: file)
        if let declared = declaredSize(of: primary, in: file), declared != whole.resultSize {
            throw ImageError(
                .corrupt,
                "the tone-mapped primary item \(primary) declares \(declared) pixels, but its base has \(whole.resultSize)"
            )
        }
        var last = ISOTransformation(whole.resultSize)
        try last.add(added, in: file)
        try whole.add(added, in: file)
        return ToneMappedTransformation(whole: whole, last: last)
    }

    /// The size that an item declares; nil if it declares none.
    private func declaredSize(of item: Int, in file: [UInt8]) -> PixelSize? {
        guard let box = properties(of: item).first(where: { $0.type == "ispe" }) else { return nil }
        var reader = ISOBoxReader(file, box.contents)
        return reader.size()
    }

    /// Replaces the transformations among the properties of `selected` items of `file` by none: the number 0.
    func removeTransformations(of selected: [Int], from file: inout [UInt8]) {
        let selected = Set(selected)
        let numbers = Set(
            selected.flatMap { numberedProperties(of: $0) }
                .filter { ISOTransformation.types.contains($0.box.type) }.map { $0.number & 0x7FFF })
        let original = file
        guard let meta = ISOBoxReader(original, 0..<original.count).first("meta") else { return }
        var reader = ISOBoxReader(original, meta.contents)
        guard reader.versionAndFlags() != nil else { return }
        while let properties = reader.box() {
            var boxes = reader.contents(of: properties)
            while properties.type == "iprp", let box = boxes.box() {
                guard box.type == "ipma" else { continue }
                _ = boxes.contents(of: box).forEachAssociation { item, property, place in
                    guard selected.contains(item), numbers.contains(property & 0x7FFF) else { return }
                    for offset in place { file[offset] = 0 }
                }
            }
        }
    }
}
