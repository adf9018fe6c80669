internal import Platform
public import Raster

// Random access, safe from any number of threads. It doesn't advance any reader, and streams don't support it.
extension Source {
    /// Returns exactly `count` bytes from `offset` on.
    /// - Throws: `truncated` if they exceed the source, before memory is allocated, or if the file has become shorter;
    ///   `invalidParameter` for a stream; `inputOutput`.
    public func bytes(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8] {
        try checkHas(count, at: offset)
        let bytes = try bytes(upTo: count, at: offset) ?? []
        guard bytes.count == count else { throw becameShorter(at: offset + bytes.count) }
        return bytes
    }

    /// Returns up to `count` bytes from `offset` on, fewer at the end; nil for a stream.
    /// - Throws: `inputOutput`.
    public func bytes(upTo count: Int, at offset: Int) throws(ImageError) -> [UInt8]? {
        guard !isStream else { return nil }
        let first = min(max(0, offset), length)
        let count = min(max(0, count), length - first)
        if let memory { return Array(memory[first..<(first + count)]) }
        var bytes = [UInt8](repeating: 0, count: count)
        var target = bytes.mutableSpan
        let filled = try target.withUnsafeMutableBytes { (buffer) throws(ImageError) in try fill(buffer, at: first) }
        if filled < count { bytes.removeLast(count - filled) }
        return bytes
    }

    /// Returns the last `count` bytes, or all if there are fewer; nil for a stream.
    /// - Throws: `inputOutput`.
    public func suffix(_ count: Int) throws(ImageError) -> [UInt8]? {
        try bytes(upTo: count, at: max(0, length - max(0, count)))
    }

    /// Lends the bytes in all `ranges` to `body` as one span, without a copy if they are in memory.
    ///
    /// `body` also gets an offset for each range: a byte's position in the source minus its position in the span.
    /// - Throws: `truncated` if a range ends beyond the source, or if the file has become shorter; `invalidParameter`
    ///   for a stream; `outOfMemory`, `inputOutput`, and any error of `body`.
    public func withBytes<R>(
        in ranges: [Range<Int>], _ body: (RawSpan, [Int]) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        for range in ranges { try checkHas(range.count, at: range.lowerBound) }
        if let memory { return try body(memory.span.bytes, Array(repeating: 0, count: ranges.count)) }
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
        // The parts follow each other, and the buffer has room for all.
        try read(ranges, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
        // All bytes are initialized. The buffer is freed after `body`, and the span can't escape.
        return try body(UnsafeRawBufferPointer(start: buffer, count: count).bytes, offsets)
    }

    /// Returns all bytes; of a stream, the remaining ones.
    /// - Throws: `limitExceeded` for more than `limit` bytes, before memory is allocated if the length is known;
    ///   `inputOutput`.
    public func bytes(limit: Int = DecodingLimits.standard.maximumInputByteCount) throws(ImageError) -> [UInt8] {
        guard length <= limit else { throw tooLong(limit) }
        if let memory { return memory }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        let reader = reader()
        // The pointer is used within the call only.
        while try reader.nextBytes({ piece in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } }) {
            guard bytes.count <= limit else { throw tooLong(limit) }
        }
        return bytes
    }

    /// Fills `buffer` with the bytes from `offset` on.
    /// - Throws: `truncated` if the source has fewer; `invalidParameter` for a stream; `inputOutput`.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) {
        try checkHas(buffer.count, at: offset)
        if let memory {
            buffer.copyBytes(from: memory[offset..<(offset + buffer.count)])
            return
        }
        let count = try fill(buffer, at: offset)
        guard count == buffer.count else { throw becameShorter(at: offset + count) }
    }

    /// Fills `buffer` with the bytes of all `ranges`, which are within the source, one after the other.
    private func read(_ ranges: [Range<Int>], into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) {
        if let ownReader {
            let count = try ownReader.read(ranges, into: buffer)
            guard count == buffer.count else { throw becameShorter(at: ranges.first?.lowerBound ?? 0) }
            return
        }
        var start = 0
        for range in ranges {
            try read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + range.count)]),
                at: range.lowerBound)
            start += range.count
        }
    }

    private func becameShorter(at offset: Int) -> ImageError {
        ImageError(.truncated, "\(name) became shorter while it was read", byteOffset: offset)
    }

    private func checkHas(_ count: Int, at offset: Int) throws(ImageError) {
        guard !isStream else {
            throw ImageError(.invalidParameter, "\(name) isn't seekable: its bytes come once and in sequence")
        }
        guard count >= 0, offset >= 0, offset <= length, count <= length - offset else {
            throw ImageError(
                .truncated, "\(name) is truncated: \(count) bytes at \(offset) are expected, and it has \(length)",
                byteOffset: length)
        }
    }

    private func tooLong(_ limit: Int) -> ImageError {
        ImageError(.limitExceeded, "\(name) has more than \(limit) bytes")
    }
}
