internal import ImageFormats
package import Raster

/// The uncompressed files in a zip archive (APPNOTE 6.3, including zip64).
package final class ZipFiles: TreeFiles {
    private struct Entry {
        let headerOffset: Int
        let byteCount: Int
        let checksum: UInt32
    }

    private let file: Source
    private let entries: [String: Entry]

    /// Reads the directory of the archive at `path`.
    /// - Throws: `inputOutput`, otherwise as `init(_:)`.
    package convenience init(path: String) throws(ImageError) { try self.init(Source(regularFile: path)) }

    /// Reads the archive's directory.
    /// - Throws: `unknownFormat` if it isn't an archive, `corrupt` for an invalid directory, `unsupported` for
    ///   compressed or encrypted files, `limitExceeded` for a directory of more than 2 GiB.
    init(_ source: Source) throws(ImageError) {
        file = source
        let end = try Self.end(file)
        guard end.byteCount <= 1 << 31 else {
            throw ImageError(
                .limitExceeded, "the archive's directory has \(end.byteCount) bytes; the limit is \(1 << 31)")
        }
        let directory = try file.bytes(end.byteCount, at: end.offset)
        var entries: [String: Entry] = [:]
        var position = 0
        while position < directory.count {
            let (name, entry, next) = try Self.entry(directory, position, end.offset)
            if !name.hasSuffix("/") { entries[name] = entry }
            position = next
        }
        guard entries.count <= end.count else {
            throw ImageError(
                .corrupt, "the archive's directory has more files than its end record", byteOffset: end.offset)
        }
        self.entries = entries
    }

    /// The paths of all files.
    package var paths: some Sequence<String> { entries.keys }

    package func contains(_ path: String) -> Bool { entries[path] != nil }

    package func read(_ path: String) throws(ImageError) -> [UInt8]? {
        guard let entry = entries[path] else { return nil }
        let header = try file.bytes(30, at: entry.headerOffset)
        guard header.field(UInt32.self, at: 0) == 0x0403_4B50, let name = header.field(UInt16.self, at: 26),
            let extra = header.field(UInt16.self, at: 28)
        else {
            throw ImageError(
                .corrupt, "\(path) isn't at the offset in the archive's directory", byteOffset: entry.headerOffset)
        }
        let offset = entry.headerOffset + 30 + Int(name) + Int(extra)
        let bytes = try file.bytes(entry.byteCount, at: offset)
        guard CRC32.of(bytes) == entry.checksum else {
            throw ImageError(.corrupt, "the checksum of \(path) is wrong", byteOffset: offset)
        }
        return bytes
    }

    /// Locates the directory.
    private static func end(_ file: Source) throws(ImageError) -> (offset: Int, byteCount: Int, count: Int) {
        // A comment of up to 65535 bytes may follow the end record.
        let start = max(0, file.length - 22 - 65535)
        let tail = try file.bytes(file.length - start, at: start)
        var position = tail.count - 22
        while position >= 0, tail.field(UInt32.self, at: position) != 0x0605_4B50 { position -= 1 }
        guard position >= 0, let count = tail.field(UInt16.self, at: position + 10),
            let byteCount = tail.field(UInt32.self, at: position + 12),
            let offset = tail.field(UInt32.self, at: position + 16)
        else { throw ImageError(.unknownFormat, "not a zip archive, or its end is missing") }
        guard count == .max || byteCount == .max || offset == .max else {
            return (Int(offset), Int(byteCount), Int(count))
        }
        guard tail.field(UInt32.self, at: position - 20) == 0x0706_4B50,
            let place = tail.field(UInt64.self, at: position - 12), place <= UInt64(file.length)
        else { return (Int(offset), Int(byteCount), Int(count)) }
        let record = try file.bytes(56, at: Int(place))
        guard record.field(UInt32.self, at: 0) == 0x0606_4B50, let farCount = record.field(UInt64.self, at: 32),
            let farByteCount = record.field(UInt64.self, at: 40), let farOffset = record.field(UInt64.self, at: 48),
            max(farCount, farByteCount, farOffset) <= UInt64(file.length)
        else { throw ImageError(.corrupt, "the archive's end record is invalid", byteOffset: Int(place)) }
        return (Int(farOffset), Int(farByteCount), Int(farCount))
    }

    /// Returns the file in the directory's record at `position`, and the next record's position.
    private static func entry(
        _ directory: [UInt8], _ position: Int, _ base: Int
    ) throws(ImageError) -> (name: String, entry: Entry, next: Int) {
        guard directory.field(UInt32.self, at: position) == 0x0201_4B50,
            let flags = directory.field(UInt16.self, at: position + 8),
            let method = directory.field(UInt16.self, at: position + 10),
            let checksum = directory.field(UInt32.self, at: position + 16),
            let byteCount = directory.field(UInt32.self, at: position + 24),
            let nameCount = directory.field(UInt16.self, at: position + 28),
            let extraCount = directory.field(UInt16.self, at: position + 30),
            let commentCount = directory.field(UInt16.self, at: position + 32),
            let offset = directory.field(UInt32.self, at: position + 42)
        else { throw ImageError(.corrupt, "the archive's directory is damaged", byteOffset: base + position) }
        let nameStart = position + 46
        let extraStart = nameStart + Int(nameCount)
        let next = extraStart + Int(extraCount) + Int(commentCount)
        guard next <= directory.count else {
            throw ImageError(.corrupt, "the archive's directory is damaged", byteOffset: base + position)
        }
        let name = String(decoding: directory[nameStart..<extraStart], as: UTF8.self)
        guard method == 0 || name.hasSuffix("/"), flags & 1 == 0 else {
            throw ImageError(.unsupported, "\(name) is compressed; only archives of stored files can be read (zip -0)")
        }
        var headerOffset = Int(offset)
        if offset == .max {
            headerOffset = try Self.farOffset(
                directory, extraStart, extraStart + Int(extraCount), byteCount == .max, base)
        }
        return (name, Entry(headerOffset: headerOffset, byteCount: Int(byteCount), checksum: checksum), next)
    }

    /// Returns the offset in zip64's extra field, which follows the two sizes if those are present.
    private static func farOffset(
        _ directory: [UInt8], _ start: Int, _ end: Int, _ hasSizes: Bool, _ base: Int
    ) throws(ImageError) -> Int {
        var position = start
        while position + 4 <= end, let tag = directory.field(UInt16.self, at: position),
            let count = directory.field(UInt16.self, at: position + 2)
        {
            if tag == 1, let offset = directory.field(UInt64.self, at: position + 4 + (hasSizes ? 16 : 0)),
                offset < 1 << 62
            {
                return Int(offset)
            }
            position += 4 + Int(count)
        }
        throw ImageError(.corrupt, "the archive's directory is damaged", byteOffset: base + start)
    }
}
