/// Which part of a file is asked for (RFC 9110, section 14).
package enum ByteRange: Equatable {
    /// All of it: nothing was said, or nothing that is understood here, or several parts.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// None that there are.
    case unsatisfiable

    /// What the field `Range` says of a file of `count` bytes.
    package init(_ field: String?, of count: Int) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let text = field.dropFirst(6)
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, !text.contains(",") else { return }
        let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
        switch (first, last) {
        case (let first?, let last?) where first <= last && first < count:
            self = .part(first..<min(count, last + 1))
        case (let first?, nil) where ends[1].isEmpty && first < count:
            self = .part(first..<count)
        case (nil, let length?) where ends[0].isEmpty && length > 0 && count > 0:
            self = .part(max(0, count - length)..<count)
        case (let first?, let last?) where first > last: return
        case (nil, nil): return
        case (nil, _?) where !ends[0].isEmpty: return
        case (_?, nil) where !ends[1].isEmpty: return
        default: self = .unsatisfiable
        }
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return Int(text)
    }
}
