internal import ImageLoading

/// Entity tags of responses (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// The strong tag of a resource that `text` fully describes: a 128-bit hash in quotation marks.
    package static func named(_ text: String) -> String {
        "\"\(StableHash(text.utf8).hexadecimal)\""
    }

    /// Whether a list of tags contains `tag`, or is `*`. Weak tags match too, as no response is assembled from parts.
    package static func list(_ list: String, contains tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " || $0 == "\t" }
            let name = (item.hasPrefix("W/") ? item.dropFirst(2) : item).prefix { $0 != " " && $0 != "\t" }
            return name == "*" || name == tag
        }
    }
}

extension EntityTag {
    /// Whether the client has the current version, according to its conditional headers (RFC 9110, section 13).
    /// - Parameters:
    ///   - modificationTime: When the resource was last changed, in seconds since 1970.
    ///   - ifNoneMatch: Takes precedence over `ifModifiedSince`.
    static func isCurrent(
        _ tag: String, _ modificationTime: Int64, ifNoneMatch: String?, ifModifiedSince: String?
    ) -> Bool {
        if let ifNoneMatch { return list(ifNoneMatch, contains: tag) }
        guard let text = ifModifiedSince, let since = HTTPDate.secondsSince1970(text) else {
            return false
        }
        return modificationTime <= since
    }
}

extension ServiceRequest {
    /// Whether the client already has the current version, so that 304 is the response.
    func isUnchanged(_ tag: String, _ modificationTime: Int64) -> Bool {
        EntityTag.isCurrent(tag, modificationTime, ifNoneMatch: ifNoneMatch, ifModifiedSince: ifModifiedSince)
    }
}

/// The part of a file that a `Range` header requests (RFC 9110, section 14).
package enum ByteRange: Equatable {
    /// The whole file: there is no header, or it is malformed or has several ranges.
    case whole
    /// A range within the file.
    case part(Range<Int>)
    /// A range outside the file.
    case unsatisfiable

    /// Parses a `Range` header for a file of `count` bytes.
    package init(_ field: String?, of count: Int) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let text = field.dropFirst(6)
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, !text.contains(",") else { return }
        let (first, last) = (RequestNumber.integer(ends[0]), RequestNumber.integer(ends[1]))
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
}
