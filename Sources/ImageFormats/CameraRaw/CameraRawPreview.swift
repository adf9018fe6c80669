#if TIFF
internal import Raster

/// The place of the largest JPEG preview in a raw file.
struct CameraRawPreview {
    let range: Range<Int>

    /// More directories than any raw file has.
    private static let maximumDirectoryCount = 32

    /// Whether a file with this structure is a raw file: a DNG, a CR2 by its mark, or one whose first image is a reduced one by
    /// a camera, with others below it (NEF, ARW).
    static func isRaw(_ structure: TIFFStructure) -> Bool {
        if structure.bytes.count >= 10, structure.bytes.bytes(in: 8..<10) == Array("CR".utf8) { return true }
        guard let first = structure.directory(at: structure.firstDirectory) else { return false }
        if first[TIFFTag.dngVersion] != nil { return true }
        return first[TIFFTag.make] != nil && first[TIFFTag.subDirectories] != nil
            && TIFFPyramid.isReduced(first, structure)
    }

    /// Finds the JPEG with the most pixels; nil if there is none.
    init?(_ structure: TIFFStructure) {
        var best: (pixelCount: Int, range: Range<Int>)?
        for directory in Self.directories(of: structure) {
            for range in Self.places(in: directory, structure) {
                guard let count = Self.pixelCount(ofJPEGAt: range, structure.bytes), count > best?.pixelCount ?? 0
                else {
                    continue
                }
                best = (count, range)
            }
        }
        guard let best else { return nil }
        range = best.range
    }

    /// The directories of the main chain, and those below them.
    private static func directories(of structure: TIFFStructure) -> [TIFFDirectory] {
        var directories: [TIFFDirectory] = []
        for offset in structure.directoryOffsets(limit: maximumDirectoryCount) {
            guard let directory = structure.directory(at: offset) else { continue }
            directories.append(directory)
            guard let field = directory[TIFFTag.subDirectories] else { continue }
            for index in 0..<min(field.count, maximumDirectoryCount) {
                if let below = structure.integer(field, at: index).flatMap(structure.directory(at:)) {
                    directories.append(below)
                }
            }
        }
        return directories
    }

    /// The bytes that JPEGInterchangeFormat or the only strip has.
    private static func places(in directory: TIFFDirectory, _ structure: TIFFStructure) -> [Range<Int>] {
        func number(_ tag: Int) -> Int? {
            directory[tag].flatMap { $0.count == 1 ? structure.integer($0) : nil }
        }
        func range(_ offset: Int?, _ count: Int?) -> Range<Int>? {
            guard let offset, let count, offset > 0, count > 4, offset <= structure.bytes.count - count else {
                return nil
            }
            return offset..<offset + count
        }
        // Compression: JPEG of TIFF 6.0 (6) and of Technical Note 2 (7). Photometric interpretation: raw data has a colour
        // filter array (32803) or linear values (34892).
        let isJPEG = number(259) == 6 || number(259) == 7
        let isRawData = number(262) == 32803 || number(262) == 34892
        return [
            range(number(513), number(514)), isJPEG && !isRawData ? range(number(273), number(279)) : nil,
        ].compactMap { $0 }
    }

    /// The number of pixels of a baseline or progressive JPEG; nil for anything else, such as lossless JPEG.
    private static func pixelCount(ofJPEGAt range: Range<Int>, _ bytes: TIFFBytes) -> Int? {
        func byte(_ offset: Int) -> Int? { range.contains(offset) ? Int(bytes[offset]) : nil }
        func number(_ offset: Int) -> Int? { byte(offset).flatMap { high in byte(offset + 1).map { high << 8 | $0 } } }
        guard number(range.lowerBound) == 0xFFD8 else { return nil }
        var offset = range.lowerBound + 2
        while let marker = number(offset), marker > 0xFF01, let length = number(offset + 2), length >= 2 {
            switch marker {
            case 0xFFC0...0xFFC2:
                guard let height = number(offset + 5), let width = number(offset + 7) else { return nil }
                return width * height
            case 0xFFC3, 0xFFC5...0xFFC7, 0xFFC9...0xFFCB, 0xFFCD...0xFFCF, 0xFFD9, 0xFFDA: return nil
            default: offset += 2 + length
            }
        }
        return nil
    }
}
#endif
