/// The ranges to request for a list of ranges in ascending order.
package struct S3RangePlan: Equatable {
    /// The ranges for one request: those with less than a part's header between them are one.
    package let ranges: [Range<Int>]
    /// The ranges for a request each: the nearest are joined until there are few, as long as that reads at most four times
    /// the bytes.
    package let merged: [Range<Int>]

    /// The most requests at a time.
    static let concurrentCount = 8
    /// The length of what a store sends around each part of an answer with several.
    private static let partHeaderByteCount = 128

    package init(_ ranges: [Range<Int>]) {
        let sorted = ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        let joined = Self.joined(sorted, across: Self.partHeaderByteCount)
        self.ranges = joined
        var limit = sorted.reduce(0) { $0 + $1.count } * 3
        var merged = joined
        while merged.count > Self.concurrentCount / 2 {
            let gaps = merged.indices.dropFirst().map { merged[$0].lowerBound - merged[$0 - 1].upperBound }
            guard let least = gaps.min(), least <= limit else { break }
            let index = (gaps.firstIndex(of: least) ?? 0) + 1
            merged[index - 1] = merged[index - 1].lowerBound..<merged[index].upperBound
            merged.remove(at: index)
            limit -= least
        }
        self.merged = merged
    }

    private static func joined(_ ranges: [Range<Int>], across gap: Int) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges {
            if let last = joined.last, range.lowerBound - last.upperBound <= gap {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
