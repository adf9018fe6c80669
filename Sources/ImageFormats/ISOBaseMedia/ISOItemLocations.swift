/// The places of items' bytes, from the `iloc` box (ISO/IEC 14496-12, 8.11.3).
struct ISOItemLocations {
    /// The bytes of an item, in order: in the contents of the `idat` box, or in the file.
    struct Place {
        let isInItemData: Bool
        let ranges: [Range<Int>]
    }

    private struct Extent {
        let offset: Int
        /// 0 for the rest of the area.
        let byteCount: Int
    }

    /// The total size of all items in bytes, which may exceed the file's size, as items can share bytes.
    private(set) var byteCount = 0
    private var fileByteCount = 0
    private var items: [Int: (isInItemData: Bool, extents: [Extent])] = [:]
    private var extentCount = 0
    /// The number of extents kept. Writers give an item one.
    private static let maximumExtentCount = 1 << 20

    /// Reads the contents of a box; a damaged one has the items before the damage.
    mutating func read(_ contents: ISOBoxReader, fileByteCount: Int) {
        self.fileByteCount = fileByteCount
        // Sums and products stay within `Int`.
        let wholeByteCount = min(fileByteCount, 1 << 40)
        var reader = contents
        guard let (version, _) = reader.versionAndFlags(), let sizes = reader.number(2) else { return }
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = version == 0 ? 0 : sizes & 15
        guard max(offsetSize, lengthSize, baseSize, indexSize) <= 8, let count = reader.number(version < 2 ? 2 : 4)
        else { return }
        for _ in 0..<count {
            guard let identifier = reader.number(version < 2 ? 2 : 4),
                let method = version == 0 ? 0 : reader.number(2).map({ $0 & 15 }), let reference = reader.number(2),
                let base = baseSize == 0 ? 0 : reader.number(baseSize), let extentCount = reader.number(2)
            else { return }
            guard indexSize + offsetSize + lengthSize > 0 else {
                // Each extent is the whole file, without taking any bytes itself.
                byteCount = min(byteCount + extentCount * wholeByteCount, Int.max / 2)
                continue
            }
            // A data reference other than 0 is another file.
            var isHere = method <= 1 && reference == 0 && base <= fileByteCount
            var extents: [Extent] = []
            for _ in 0..<extentCount {
                guard reader.skip(indexSize), let offset = offsetSize == 0 ? 0 : reader.number(offsetSize),
                    let length = lengthSize == 0 ? 0 : reader.number(lengthSize)
                else { return }
                // 0 means the rest of the file.
                byteCount = min(byteCount + (length == 0 ? wholeByteCount : min(length, wholeByteCount)), Int.max / 2)
                self.extentCount += 1
                isHere = isHere && offset <= fileByteCount && self.extentCount <= Self.maximumExtentCount
                if isHere { extents.append(Extent(offset: base + offset, byteCount: length)) }
            }
            if isHere, !extents.isEmpty { items[identifier] = (method == 1, extents) }
        }
    }

    /// The place of an item's bytes; nil if they are missing or in another file.
    /// - Parameter itemData: The contents of the `idat` box, in which offsets count from its beginning.
    func place(of identifier: Int, itemData: Range<Int>) -> Place? {
        guard let (isInItemData, extents) = items[identifier] else { return nil }
        let area = isInItemData ? itemData : 0..<fileByteCount
        var ranges: [Range<Int>] = []
        for extent in extents {
            guard extent.offset <= area.count else { return nil }
            let rest = area.count - extent.offset
            guard extent.byteCount <= rest else { return nil }
            let start = area.lowerBound + extent.offset
            ranges.append(start..<(start + (extent.byteCount > 0 ? extent.byteCount : rest)))
        }
        return Place(isInItemData: isInItemData, ranges: ranges)
    }
}
