extension JPEGMetadata {
    /// Why the pieces of an ICC profile don't make one (ICC.1, annex B.4).
    public enum ICCFailure: Error, Hashable, Sendable {
        /// A piece is too short to say its number.
        case truncatedChunk
        /// Two pieces disagree on how many there are.
        case countMismatch(UInt8, UInt8)
        /// A piece's number is 0 or beyond the count.
        case invalidNumber(UInt8, count: UInt8)
        /// Two pieces have the same number.
        case duplicate(UInt8)
        /// The piece with this number is not there.
        case missing(UInt8)
    }
}

extension JPEGMetadata.ICCFailure: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .truncatedChunk: "a piece of the ICC profile is too short to say its number"
        case .countMismatch(let first, let second):
            "the pieces of the ICC profile disagree on their count: \(first) and \(second)"
        case .invalidNumber(let number, let count): "a piece of the ICC profile has the number \(number) of \(count)"
        case .duplicate(let number): "piece \(number) of the ICC profile is there twice"
        case .missing(let number): "piece \(number) of the ICC profile is missing"
        }
    }
}

/// The pieces of an ICC profile as they are met, in any order.
struct ICCChunks {
    private var count: UInt8?
    private var chunks: [UInt8: Range<Int>] = [:]
    private var failure: JPEGMetadata.ICCFailure?

    private static let header = Array("ICC_PROFILE\0".utf8)

    /// Takes an APP2 segment's payload; one that is no piece of a profile is passed over.
    mutating func add(_ payload: Range<Int>, in data: RawSpan) {
        guard failure == nil, data.starts(with: Self.header, in: payload) else { return }
        let start = payload.lowerBound + Self.header.count
        guard start + 2 <= payload.upperBound else {
            failure = .truncatedChunk
            return
        }
        let number = data.byte(at: start)
        let total = data.byte(at: start + 1)
        if let count, count != total {
            failure = .countMismatch(count, total)
        } else if number == 0 || number > total {
            failure = .invalidNumber(number, count: total)
        } else if chunks.updateValue(start + 2..<payload.upperBound, forKey: number) != nil {
            failure = .duplicate(number)
        }
        count = total
    }

    /// The pieces in order; none where there was no profile.
    var assembled: Result<[Range<Int>], JPEGMetadata.ICCFailure> {
        if let failure { return .failure(failure) }
        guard let count else { return .success([]) }
        var ordered: [Range<Int>] = []
        for number in 1...count {
            guard let chunk = chunks[number] else { return .failure(.missing(number)) }
            ordered.append(chunk)
        }
        return .success(ordered)
    }
}
