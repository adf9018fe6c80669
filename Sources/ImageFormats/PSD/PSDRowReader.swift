internal import Raster

/// Reads rows of the channels of a merged image, which are stored one channel after another.
struct PSDRowReader {
    private let source: Source
    private let rowByteCount: Int
    private let height: Int
    /// The offset of the first row; with runs, that of each row of the channels that are read, and of its end.
    private let start: Int
    private let ends: [Int]
    private let isPacked: Bool
    /// A piece of the file for each channel: rows that follow each other.
    private var pieces: [(start: Int, bytes: [UInt8])]

    /// The bytes that are read at once for a channel.
    private static let pieceByteCount = 1 << 16

    /// Reads the compression and, with runs, the rows' lengths.
    /// - Throws: `truncated`, `corrupt` or `unsupported` with the offset; `limitExceeded`.
    init(_ document: PSDDocument, channelCount: Int, limits: DecodingLimits) throws(ImageError) {
        source = document.source
        rowByteCount = document.rowByteCount
        height = document.size.height
        pieces = (0..<channelCount).map { _ in (0, []) }
        let offset = document.pixelOffset
        let compression = try source.bytes(2, at: offset).bigEndian(at: 0, byteCount: 2) ?? 0
        isPacked = compression == 1
        guard compression <= 1 else {
            throw ImageError(
                compression <= 3 ? .unsupported : .corrupt,
                "compression \(compression) of the PSD's merged image can't be read; 0 and 1 can", byteOffset: offset)
        }
        guard isPacked else {
            start = offset + 2
            ends = []
            return
        }
        let width = document.isLarge ? 4 : 2
        let count = channelCount * height
        start = offset + 2 + document.channelCount * height * width
        try limits.checkWorkingMemory(count * (8 + width), for: "the lengths of the PSD image's rows")
        let lengths = try source.bytes(count * width, at: offset + 2)
        var ends: [Int] = []
        ends.reserveCapacity(count)
        var end = start
        for index in 0..<count {
            // At most 2^32 each, of which no more than 2^26 fit in memory.
            end += lengths.bigEndian(at: index * width, byteCount: width) ?? 0
            ends.append(end)
        }
        self.ends = ends
    }

    /// Reads row `y` of a channel into `target`.
    /// - Throws: `truncated` or `corrupt` with the offset.
    mutating func read(_ channel: Int, _ y: Int, into target: inout [UInt8]) throws(ImageError) {
        let index = channel * height + y
        guard isPacked else {
            let first = start + index * rowByteCount
            let (bytes, at) = try lend(first..<(first + rowByteCount), channel, y)
            var target = target.mutableSpan
            let span = bytes.span
            for x in 0..<rowByteCount { target[x] = span[at + x] }
            return
        }
        let first = index == 0 ? start : ends[index - 1]
        // No row needs more: a byte of length for each 128.
        let length = ends[index] - first
        guard length <= 2 * rowByteCount + 128 else {
            throw ImageError(
                .corrupt, "row \(y) of channel \(channel) of the PSD image has \(length) bytes for \(rowByteCount)",
                byteOffset: first)
        }
        let (bytes, at) = try lend(first..<ends[index], channel, y)
        guard Self.unpack(bytes.span.extracting(at..<(at + length)), into: &target, count: rowByteCount) else {
            throw ImageError(
                .corrupt, "row \(y) of channel \(channel) of the PSD image can't be unpacked", byteOffset: first)
        }
    }

    /// Returns bytes that contain those in `range`, and where they begin.
    private mutating func lend(_ range: Range<Int>, _ channel: Int, _ y: Int) throws(ImageError) -> ([UInt8], Int) {
        let piece = pieces[channel]
        if range.lowerBound >= piece.start, range.upperBound <= piece.start + piece.bytes.count {
            return (piece.bytes, range.lowerBound - piece.start)
        }
        let wanted = max(range.count, Self.pieceByteCount)
        let bytes = try source.bytes(upTo: wanted, at: range.lowerBound) ?? []
        guard bytes.count >= range.count else {
            throw ImageError(
                .truncated, "the PSD file ends in row \(y) of \(height) of channel \(channel)",
                byteOffset: source.byteCount)
        }
        pieces[channel] = (range.lowerBound, bytes)
        return (bytes, 0)
    }

    /// Unpacks runs (PackBits) to exactly `count` bytes; false if there are fewer or more.
    static func unpack(_ bytes: Span<UInt8>, into target: inout [UInt8], count: Int) -> Bool {
        var target = target.mutableSpan
        var (position, filled) = (0, 0)
        while position < bytes.count {
            let code = bytes[position]
            position += 1
            if code == 128 { continue }
            if code > 128 {
                let length = 257 - Int(code)
                guard position < bytes.count, length <= count - filled else { return false }
                let value = bytes[position]
                position += 1
                for place in filled..<(filled + length) { target[place] = value }
                filled += length
            } else {
                let length = Int(code) + 1
                guard length <= bytes.count - position, length <= count - filled else { return false }
                for index in 0..<length { target[filled + index] = bytes[position + index] }
                position += length
                filled += length
            }
        }
        return filled == count
    }
}
