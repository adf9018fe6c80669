#if TIFF
internal import Raster

extension TIFFStructure {
    /// What `directory` says beside the pixels: orientation, resolution, XMP, and the fields that EXIF has, put together
    /// to an EXIF block of their own.
    func metadata(of directory: TIFFDirectory, limits: DecodingLimits) -> ImageMetadata {
        let limit = limits.maximumMetadataByteCount
        let orientation = directory[TIFFTag.orientation].flatMap { integer($0) }.flatMap { UInt8(exactly: $0) }
        return ImageMetadata(
            orientation: orientation.flatMap { Orientation(rawValue: $0) } ?? .up,
            exif: exif(of: directory, limit: limit), xmp: block(TIFFTag.xmp, of: directory, limit: limit),
            resolution: resolution(of: directory))
    }

    /// The bytes of a field; nil where there are none or too many.
    func block(_ tag: Int, of directory: TIFFDirectory, limit: Int) -> [UInt8]? {
        guard let field = directory[tag], field.byteCount > 0, field.byteCount <= limit else { return nil }
        return bytes(of: field)
    }

    /// Pixels per inch; nil unless both directions are given in real units.
    private func resolution(of directory: TIFFDirectory) -> ImageMetadata.Resolution? {
        guard let x = directory[TIFFTag.horizontalResolution].flatMap({ positiveNumber($0) }),
            let y = directory[TIFFTag.verticalResolution].flatMap({ positiveNumber($0) })
        else { return nil }
        // 2 is the inch, and what a missing unit means; 3 the centimetre; 1 no unit at all.
        switch directory[TIFFTag.resolutionUnit].flatMap({ integer($0) }) ?? 2 {
        case 2: return ImageMetadata.Resolution(horizontal: x, vertical: y)
        case 3: return ImageMetadata.Resolution(horizontal: x * 2.54, vertical: y * 2.54)
        default: return nil
        }
    }

    /// Nil when there is nothing that only EXIF could carry.
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
        let offset = (0..<4).map { UInt8(truncatingIfNeeded: first >> (8 * $0)) }
        let head: [UInt8] = isLittleEndian ? [0x49, 0x49, 42, 0] + offset : [0x4D, 0x4D, 0, 42] + offset.reversed()
        return head + copy.bytes
    }
}
#endif
