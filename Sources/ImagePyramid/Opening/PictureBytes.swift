internal import ImageFormats
internal import Platform
internal import Raster

/// A picture's encoded bytes, in memory or in a file, read here and there by any number of tasks.
final class PictureBytes: Sendable {
    private let file: InputFile?
    private let memory: [UInt8]
    /// How many there are.
    let count: Int
    /// When the file was last changed, in nanoseconds since 1970; nil in memory.
    var modification: Int64? { file?.modification }

    init(_ bytes: [UInt8]) {
        file = nil
        memory = bytes
        count = bytes.count
    }

    /// The bytes of the file at `path`; nil for a pipe or a device.
    init?(path: String) throws(ImageError) {
        var status = stat()
        // Opening a pipe would take it from whoever reads it in the end.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
            return nil
        }
        let file = try InputFile(path: path)
        // Files of the system's own, as in /proc, say 0 and have content.
        guard file.byteCount > 0 else { return nil }
        self.file = file
        memory = []
        count = file.byteCount
    }

    /// Lends the bytes of all `ranges`, each within the file, and says for each at which offset of the file bytes would begin
    /// that have it where these do.
    /// - Throws: `inputOutput`, and `truncated` where the file has become shorter.
    func withBytes<R>(
        in ranges: [Range<Int>], _ body: (RawSpan, [Int]) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        guard let file else {
            let memory = memory
            return try body(memory.span.bytes, Array(repeating: 0, count: ranges.count))
        }
        var count = 0
        var offsets: [Int] = []
        offsets.reserveCapacity(ranges.count)
        for range in ranges {
            offsets.append(range.lowerBound - count)
            count += range.count
        }
        guard let buffer = malloc(max(count, 1)) else {
            throw ImageError(.outOfMemory, "no memory for a part of the file")
        }
        defer { free(buffer) }
        var start = 0
        for range in ranges {
            // One behind the other, and the buffer holds them all.
            let part = UnsafeMutableRawBufferPointer(start: buffer + start, count: range.count)
            try file.read(into: part, at: range.lowerBound)
            start += range.count
        }
        // Every byte of it was read. Freed after `body`, which the span can't outlive.
        return try body(UnsafeRawBufferPointer(start: buffer, count: count).bytes, offsets)
    }

    /// Lends all bytes one after the other, from `offset` on, until `body` answers that it has enough.
    /// - Throws: As `withBytes(in:_:)`.
    func read(from offset: Int, _ body: (RawSpan) throws(ImageError) -> Bool) throws(ImageError) {
        var start = offset
        while start < count {
            let end = min(count, start + Self.pieceByteCount)
            let wantsMore = try withBytes(in: [start..<end]) { (bytes, offsets) throws(ImageError) in
                try body(bytes.extracting((start - offsets[0])..<(end - offsets[0])))
            }
            guard wantsMore else { return }
            start = end
        }
    }

    private static let pieceByteCount = 1 << 20
}
