#if TIFF
internal import Raster

extension TIFFStructure {
    /// Returns the metadata in `directory`: orientation, resolution, XMP, and an EXIF block built from the fields that
    /// EXIF defines.
    func metadata(of directory: TIFFDirectory, limits: DecodingLimits) -> ImageMetadata {
        let limit = limits.maximumMetadataByteCount
        let orientation = directory[TIFFTag.orientation].flatMap { integer($0) }.flatMap { UInt8(exactly: $0) }
        return ImageMetadata(
            orientation: orientation.flatMap { Orientation(rawValue: $0) } ?? .up,
            exif: exif(of: directory, limit: limit), xmp: block(TIFFTag.xmp, of: directory, limit: limit),
            resolution: resolution(of: directory))
    }

    /// Returns the bytes of a field; nil if it is absent, empty or longer than `limit`.
    func block(_ tag: Int, of directory: TIFFDirectory, limit: Int) -> [UInt8]? {
        guard let field = directory[tag], field.byteCount > 0, field.byteCount <= limit else { return nil }
        return bytes(of: field)
    }

    /// Pixels per inch; nil unless both directions have a value and the unit is physical.
    private func resolution(of directory: TIFFDirectory) -> ImageMetadata.Resolution? {
        guard let x = directory[TIFFTag.horizontalResolution].flatMap({ positiveNumber($0) }),
            let y = directory[TIFFTag.verticalResolution].flatMap({ positiveNumber($0) })
        else { return nil }
        return ImageMetadata.Resolution(x, y, unit: directory[TIFFTag.resolutionUnit].flatMap { integer($0) })
    }

    /// Builds an EXIF block; nil if the directory has no field that only EXIF could carry.
    private func exif(of directory: TIFFDirectory, limit: Int) -> [UInt8]? {
        var copy = TIFFDirectoryCopy(start: 8, isLittleEndian: isLittleEndian, isBig: false, limit: limit)
        let children = [TIFFTag.exifDirectory, TIFFTag.gpsDirectory].compactMap {
            copy.addChild($0, of: directory, in: self)
        }
        let texts = TIFFTag.texts.filter { directory[$0] != nil }
        guard !children.isEmpty || !texts.isEmpty else { return nil }
        let kept =
            texts + [
                TIFFTag.orientation, TIFFTag.horizontalResolution, TIFFTag.verticalResolution, TIFFTag.resolutionUnit,
            ]
        guard let first = copy.add(directory, of: self, children: children, isWanted: { kept.contains($0) }) else {
            return nil
        }
        let head =
            isLittleEndian
            ? [0x49, 0x49, 42, 0] + first.littleEndianBytes(4) : [0x4D, 0x4D, 0, 42] + first.bigEndianBytes(4)
        return head + copy.bytes
    }
}

/// Copies directories out of one TIFF structure, for another place or another file.
///
/// Values are converted to the target's byte order. Offsets inside opaque values, as in makers' notes, aren't adjusted.
struct TIFFDirectoryCopy {
    /// The copied directories and values.
    private(set) var bytes: [UInt8] = []
    /// The offset of `bytes` in the target, an even number.
    let start: Int
    let isLittleEndian: Bool
    let isBig: Bool
    /// The largest length of `bytes`.
    let limit: Int

    /// A directory that a field of the copied directory points to.
    typealias Child = (tag: Int, offset: Int)

    /// Adds the fields of `directory` whose tag `isWanted` accepts, and fields that point to `children`.
    /// - Returns: The directory's offset in the target; nil if there is nothing to copy or `limit` is exceeded.
    mutating func add(
        _ directory: TIFFDirectory, of structure: TIFFStructure, children: [Child] = [], isWanted: (Int) -> Bool
    ) -> Int? {
        let inlineByteCount = isBig ? 8 : 4
        var entries: [(tag: Int, bytes: [UInt8])] = children.map { child in
            (
                child.tag,
                encoded(child.tag, 2) + encoded(isBig ? 18 : 4, 2) + encoded(1, inlineByteCount)
                    + encoded(child.offset, inlineByteCount)
            )
        }
        for field in directory.fields where isWanted(field.tag) && !children.contains(where: { $0.tag == field.tag }) {
            // Types from 16 on, 8-byte integers and offsets, exist only in BigTIFF.
            guard isBig || field.type < 16, !entries.contains(where: { $0.tag == field.tag }) else { continue }
            var entry = encoded(field.tag, 2) + encoded(field.type, 2) + encoded(field.count, inlineByteCount)
            guard field.byteCount <= limit - bytes.count else { return nil }
            let values = values(of: field, structure)
            if values.count <= inlineByteCount {
                entry += values + [UInt8](repeating: 0, count: inlineByteCount - values.count)
            } else {
                entry += encoded(start + bytes.count, inlineByteCount)
                bytes += values
                if bytes.count % 2 == 1 { bytes.append(0) }
            }
            entries.append((field.tag, entry))
        }
        guard !entries.isEmpty, entries.count * 20 + 16 <= limit - bytes.count else { return nil }
        entries.sort { $0.tag < $1.tag }
        let place = start + bytes.count
        bytes += encoded(entries.count, isBig ? 8 : 2)
        for entry in entries { bytes += entry.bytes }
        bytes += [UInt8](repeating: 0, count: inlineByteCount)
        return place
    }

    /// Adds the directory that `tag` of `parent` points to; for EXIF also its interoperability directory.
    mutating func addChild(_ tag: Int, of parent: TIFFDirectory, in structure: TIFFStructure) -> Child? {
        guard let field = parent[tag], let offset = structure.integer(field),
            let directory = structure.directory(at: offset)
        else { return nil }
        var children: [Child] = []
        if tag == TIFFTag.exifDirectory,
            let child = addChild(TIFFTag.interoperabilityDirectory, of: directory, in: structure)
        {
            children.append(child)
        }
        return add(directory, of: structure, children: children) { $0 != TIFFTag.interoperabilityDirectory }
            .map { (tag, $0) }
    }

    private func values(of field: TIFFDirectory.Field, _ structure: TIFFStructure) -> [UInt8] {
        let values = structure.bytes(of: field)
        // A fraction is a pair of numbers.
        let unit = TIFFDirectory.Field.byteCount(ofType: field.type)! / (field.type == 5 || field.type == 10 ? 2 : 1)
        guard unit > 1, structure.isLittleEndian != isLittleEndian else { return values }
        var turned: [UInt8] = []
        turned.reserveCapacity(values.count)
        for first in stride(from: 0, to: values.count, by: unit) {
            turned += values[first..<(first + unit)].reversed()
        }
        return turned
    }

    private func encoded(_ value: Int, _ byteCount: Int) -> [UInt8] {
        isLittleEndian ? value.littleEndianBytes(byteCount) : value.bigEndianBytes(byteCount)
    }
}
#endif
