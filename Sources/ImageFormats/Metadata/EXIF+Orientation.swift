internal import Raster

extension EXIF {
    /// A block that says `orientation`, and what `block` says otherwise; nil when there is nothing to say.
    static func block(_ block: [UInt8]?, orientation: Orientation) -> [UInt8]? {
        guard var exif = block.flatMap({ EXIF($0) }) else {
            guard orientation != .up else { return block?.isEmpty ?? true ? nil : block }
            return smallest(orientation)
        }
        exif.setOrientation(orientation)
        return exif.bytes
    }

    /// A block that says nothing but `orientation`: a directory of one entry, which nothing follows.
    static func smallest(_ orientation: Orientation) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue]
            + [0, 0, 0, 0, 0, 0]
    }

    private mutating func setOrientation(_ orientation: Orientation) {
        if let entry = entry(.orientation, in: first) {
            bytes.replaceSubrange(
                entry..<(entry + EXIFDirectory.entryByteCount),
                with: encodedEntry(.orientation, short: Int(orientation.rawValue)))
        } else if orientation != .up {
            addOrientation(orientation)
        }
    }

    /// Writes the directory anew behind everything else, with an entry more, and points to it from the front. What other
    /// entries point to stays where it is.
    private mutating func addOrientation(_ orientation: Orientation) {
        let (entries, end) = (first.entries, first.end)
        let next = end + 4 <= bytes.count ? Array(bytes[end..<(end + 4)]) : [0, 0, 0, 0]
        // Entries are in the order of their tags.
        var insertion = entries
        while insertion < end, let tag = number(insertion, 2), tag < Tag.orientation.rawValue {
            insertion += EXIFDirectory.entryByteCount
        }
        let directory = (bytes.count + 1) / 2 * 2
        guard first.entryCount < 0xFFFF, directory <= Int(UInt32.max) else { return }
        var rewritten = encoded(first.entryCount + 1, 2)
        rewritten += bytes[entries..<insertion]
        rewritten += encodedEntry(.orientation, short: Int(orientation.rawValue))
        rewritten += bytes[insertion..<end]
        rewritten += next
        bytes += [UInt8](repeating: 0, count: directory - bytes.count) + rewritten
        bytes.replaceSubrange(4..<8, with: encoded(directory, 4))
    }
}
