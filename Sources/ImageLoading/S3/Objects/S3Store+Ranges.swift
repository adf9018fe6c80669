#if HTTP
internal import Essentials
internal import Raster

extension S3Store {
    /// The most ranges of a request; servers refuse more, as an attack.
    private static let rangeCount = 50

    /// Returns several byte ranges of an object by as few requests as possible; nil if the store doesn't answer several.
    /// - Throws: `S3Failure`; its status is 412 if the object has changed.
    func pieces(
        _ ranges: [Range<Int>], of address: S3Address, ifMatch tag: String?
    ) async throws -> [S3Object.Pieces.Piece]? {
        var pieces: [S3Object.Pieces.Piece] = []
        var rest = ranges[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.rangeCount))
            rest = rest.dropFirst(some.count)
            if some.count == 1 {
                let bytes = try await bytes(some[0], of: address, ifMatch: tag)
                pieces.append(S3Object.Pieces.Piece(offset: some[0].lowerBound, bytes: bytes))
                continue
            }
            var request = S3Request("GET", address)
            let list = some.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
            request.headers.append(("Range", "bytes=\(list)"))
            if let tag { request.headers.append(("If-Match", tag)) }
            let answered: [S3Object.Pieces.Piece]?
            do {
                answered = try await perform(request) { download in try await self.parts(of: download, some) }
            } catch let failure as S3Failure where [400, 416, 501].contains(failure.status) {
                return nil
            }
            guard let answered else { return nil }
            pieces += answered
        }
        return pieces
    }

    /// The parts of an answer; nil if it isn't one with the ranges. The rest of another isn't received.
    private func parts(
        of download: DataDownload, _ ranges: [Range<Int>]
    ) async throws -> [S3Object.Pieces.Piece]? {
        let response = download.response
        guard response.statusCode == 206, let type = response.headers["Content-Type"] else { return nil }
        let limit = ranges.reduce(0) { $0 + $1.count + 512 } + 512
        guard let boundary = MultipartRanges.boundary(in: type) else {
            // The store may answer with one range that has them all, but not with much more than was requested.
            guard let part = response.headers["Content-Range"].flatMap({ ContentRange($0) }),
                ranges.allSatisfy({ $0.lowerBound >= part.first && $0.upperBound - 1 <= part.last }),
                part.last - part.first < limit
            else { return nil }
            return [S3Object.Pieces.Piece(offset: part.first, bytes: try await receive(download, limit: limit))]
        }
        guard response.expectedByteCount ?? 0 <= limit else { return nil }
        let bytes = try await receive(download, limit: limit)
        guard let parts = MultipartRanges.parts(of: bytes, boundary: boundary) else {
            throw S3Failure(code: "Truncated", message: "the parts of the answer aren't whole")
        }
        return parts.map { S3Object.Pieces.Piece(offset: $0.range.first, bytes: $0.bytes) }
    }
}
#endif

/// Answers of the type `multipart/byteranges` (RFC 9110, section 14.6).
package enum MultipartRanges {
    /// The boundary in a value of `Content-Type`; nil for another type.
    package static func boundary(in type: String) -> String? {
        let parts = type.split(separator: ";").map { $0.trimmedHTTPWhitespace }
        guard parts.first?.lowercased() == "multipart/byteranges" else { return nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("boundary=") {
            let value = part.dropFirst(9)
            let text =
                value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
                ? value.dropFirst().dropLast() : value
            return (1...70).contains(text.utf8.count) ? String(text) : nil
        }
        return nil
    }

    /// The parts of a body; nil if it isn't well-formed or ends early.
    package static func parts(of body: [UInt8], boundary: String) -> [(range: ContentRange, bytes: [UInt8])]? {
        let mark = Array("--\(boundary)".utf8)
        var parts: [(range: ContentRange, bytes: [UInt8])] = []
        var position = 0

        /// The next line, without its end, which the position then is behind.
        func line() -> ArraySlice<UInt8>? {
            guard let end = body[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { position = end + 1 }
            let line = body[position..<end]
            return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }

        while position < body.count {
            guard body[position...].starts(with: mark) else {
                guard let skipped = line(), skipped.isEmpty else { return nil }
                continue
            }
            if body[(position + mark.count)...].starts(with: "--".utf8) { return parts }
            guard let first = line(), first.count == mark.count else { return nil }
            var range: ContentRange?
            while let field = line(), !field.isEmpty {
                let halves = String(decoding: field, as: UTF8.self).split(separator: ":", maxSplits: 1)
                if halves.count == 2, halves[0].lowercased() == "content-range" {
                    range = ContentRange(halves[1].trimmedHTTPWhitespace)
                }
            }
            guard let range, range.last - range.first < body.count - position else { return nil }
            let end = position + range.last - range.first + 1
            parts.append((range, Array(body[position..<end])))
            position = end
        }
        return nil
    }
}
