#if HTTP
internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// The bytes of an object, read by ranges when they are used.
///
/// A read from an offset fetches exactly its range, and one in sequence more and more, up to 8 MiB; the last pieces are kept.
/// Several ranges are fetched by one request where the store answers that, otherwise by a few at a time.
final class S3Object: RandomAccessBytes {
    private let store: S3Store
    /// The store's description of the object when it was opened.
    let info: S3Store.ObjectInfo
    private let pieces: Mutex<Pieces>

    /// The bytes that are read when an object is opened of which parts are wanted: the header of most images.
    static let firstByteCount = 16 << 10
    /// Those of an object that is read from its beginning to its end: all of most small images.
    static let firstByteCountOfWhole = 256 << 10

    /// Reads the first bytes, the length and the version.
    /// - Throws: `S3Failure`.
    init(_ store: S3Store, _ address: S3Address, firstByteCount: Int = S3Object.firstByteCount) async throws {
        self.store = store
        var request = S3Request("GET", address)
        request.headers.append(("Range", "bytes=0-\(firstByteCount - 1)"))
        do {
            let (info, head) = try await store.perform(request) { download in
                let info = S3Store.info(download.response, address)
                // A store without ranges sends everything, which is taken only if it isn't more.
                guard download.response.statusCode == 206 || info.byteCount <= firstByteCount else {
                    throw S3Failure(code: "NoRanges", message: "the store doesn't answer byte ranges")
                }
                let head = try await store.receive(download, limit: firstByteCount)
                guard head.count == min(info.byteCount, firstByteCount) else {
                    throw S3Failure(
                        code: "Truncated", message: "the answer has \(head.count) bytes, not the requested ones")
                }
                return (info, head)
            }
            self.info = info
            pieces = Mutex(Pieces(Pieces.Piece(offset: 0, bytes: head)))
        } catch let failure as S3Failure where failure.status == 416 {
            // There are no bytes to take a range of.
            guard let info = try await store.info(address), info.byteCount == 0 else { throw failure }
            self.info = info
            pieces = Mutex(Pieces(Pieces.Piece(offset: 0, bytes: [])))
        }
    }

    /// The object as a source.
    func makeSource() -> Source {
        Source(self, byteCount: info.byteCount, name: info.address.description, version: info.version)
    }

    // MARK: Reading

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        let count = min(buffer.count, info.byteCount - offset)
        guard count > 0 else { return 0 }
        let range = offset..<(offset + count)
        if pieces.withLock({ $0.copy(range, to: buffer) }) == count { return count }
        let fetched = pieces.withLock { $0.fetched(for: range, of: info.byteCount) }
        let bytes = try fetch(fetched)
        pieces.withLock { $0.keep(Pieces.Piece(offset: fetched.lowerBound, bytes: bytes)) }
        buffer.copyBytes(from: bytes[(offset - fetched.lowerBound)..<(offset - fetched.lowerBound + count)])
        return count
    }

    func readSome(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        let range = offset..<min(offset + buffer.count, info.byteCount)
        let known = pieces.withLock { $0.copy(range, to: buffer) }
        return known > 0 ? known : try read(into: buffer, at: offset)
    }

    func read(_ ranges: [Range<Int>], into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        var missing: [Range<Int>] = []
        var start = 0
        for range in ranges where !range.isEmpty {
            guard range.upperBound <= info.byteCount else { return 0 }
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + range.count)])
            if pieces.withLock({ $0.copy(range, to: part) }) < range.count { missing.append(range) }
            start += range.count
        }
        guard !missing.isEmpty else { return start }
        if missing.count == 1, ranges.count == 1 { return try read(into: buffer, at: ranges[0].lowerBound) }
        let plan = S3RangePlan(missing)
        let fetched = try fetch(plan)
        start = 0
        for range in ranges where !range.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + range.count)])
            start += range.count
            guard pieces.withLock({ $0.copy(range, to: part) }) < range.count else { continue }
            guard let piece = fetched.first(where: { $0.offset <= range.lowerBound && $0.end >= range.upperBound })
            else {
                throw ImageError(.inputOutput, "reading \(info.address) failed: the store left out a byte range")
            }
            part.copyBytes(from: piece.bytes[(range.lowerBound - piece.offset)..<(range.upperBound - piece.offset)])
        }
        return start
    }

    private func fetch(_ range: Range<Int>) throws(ImageError) -> [UInt8] {
        let (store, info) = (store, info)
        return try waiting { try await store.bytes(range, of: info.address, ifMatch: info.entityTag) }
    }

    private func fetch(_ plan: S3RangePlan) throws(ImageError) -> [Pieces.Piece] {
        let (store, info) = (store, info)
        return try waiting {
            if plan.ranges.count > 1, store.asksForSeveralRanges {
                if let pieces = try await store.pieces(plan.ranges, of: info.address, ifMatch: info.entityTag) {
                    return pieces
                }
                store.asksForSeveralRanges = false
            }
            return try await withThrowingTaskGroup(of: Pieces.Piece.self) { group in
                var pieces: [Pieces.Piece] = []
                for (number, range) in plan.merged.enumerated() {
                    // At most eight run concurrently, each with its connection.
                    if number >= S3RangePlan.concurrentCount, let piece = try await group.next() {
                        pieces.append(piece)
                    }
                    group.addTask {
                        let bytes = try await store.bytes(range, of: info.address, ifMatch: info.entityTag)
                        return Pieces.Piece(offset: range.lowerBound, bytes: bytes)
                    }
                }
                for try await piece in group { pieces.append(piece) }
                return pieces
            }
        }
    }

    private func waiting<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws(ImageError) -> R {
        do {
            return try S3Blocking.value(work)
        } catch let failure as S3Failure where failure.status == 412 {
            throw ImageError(.inputOutput, "\(info.address) was replaced while it was read")
        } catch {
            throw ImageError(error, about: info.address, "reading")
        }
    }
}

extension S3Object {
    /// The pieces of an object that were read last.
    struct Pieces {
        /// Bytes from an offset on.
        struct Piece: Sendable {
            let offset: Int
            let bytes: [UInt8]
            var end: Int { offset + bytes.count }
        }

        /// The first bytes, which are kept.
        private let head: Piece
        /// The others, the last one read at the end.
        private var others: [Piece] = []
        /// Where the last fetched piece ends, and its length.
        private var last = 0..<0

        private static let largestPiece = 8 << 20
        private static let pieceCount = 6
        /// A read of at least this many bytes, beginning where the last one ended, is one in sequence.
        private static let sequentialByteCount = 64 << 10

        init(_ head: Piece) {
            self.head = head
            last = 0..<head.end
        }

        /// Copies the beginning of `range` from the kept pieces, and returns the number of bytes.
        func copy(_ range: Range<Int>, to buffer: UnsafeMutableRawBufferPointer) -> Int {
            var position = range.lowerBound
            while position < range.upperBound,
                let piece = ([head] + others).first(where: { $0.offset <= position && position < $0.end })
            {
                let end = min(range.upperBound, piece.end)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[(position - range.lowerBound)...])
                part.copyBytes(from: piece.bytes[(position - piece.offset)..<(end - piece.offset)])
                position = end
            }
            return position - range.lowerBound
        }

        /// The range to fetch for a read of `range`: more than that if reads follow each other.
        mutating func fetched(for range: Range<Int>, of byteCount: Int) -> Range<Int> {
            let isInSequence = range.lowerBound == last.upperBound && range.count >= Self.sequentialByteCount
            let count = isInSequence ? max(range.count, min(last.count * 2, Self.largestPiece)) : range.count
            let fetched = range.lowerBound..<min(byteCount, range.lowerBound + count)
            last = fetched
            return fetched
        }

        /// Keeps a piece instead of the oldest, so that together they have at most 9 MiB.
        mutating func keep(_ piece: Piece) {
            guard piece.bytes.count <= Self.largestPiece else { return }
            others.append(piece)
            while others.count > Self.pieceCount
                || others.count > 1 && others.reduce(0, { $0 + $1.bytes.count }) > Self.largestPiece + (1 << 20)
            {
                others.removeFirst()
            }
        }
    }
}
#endif
