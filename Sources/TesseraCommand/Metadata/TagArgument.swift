internal import ArgumentParser
internal import ImageFormats

/// A tag by its name, or a group of tags.
enum TagArgument: Hashable, Sendable {
    case tag(MetadataTag)
    case group(MetadataTag.Group)
    /// Everything about the place.
    case position

    /// Parses a tag's name, with or without its group, or the name of a group.
    static func parse(_ argument: String) throws -> TagArgument {
        if let group = MetadataTag.Group(rawValue: argument.uppercased()) { return .group(group) }
        if argument.uppercased() == "GPS" { return .position }
        if let tag = MetadataTag.named(argument).first { return .tag(tag) }
        throw ValidationError("\"\(argument)\" is no tag; `tessera metadata tags` lists them")
    }

    /// The names of all tags and groups. Without the groups of tags, since bash and zsh divide words at a colon.
    static var names: [String] {
        Set(MetadataTag.all.map(\.name)).sorted() + MetadataTag.Group.allCases.map(\.rawValue) + ["GPS"]
    }

    /// Whether a value belongs to the tag or the group.
    func includes(_ value: FileMetadata.Value) -> Bool {
        switch self {
        case .tag(let tag): value.group == tag.group && value.name == tag.name
        case .group(let group): value.group == group
        case .position: value.name.hasPrefix("GPS")
        }
    }
}

/// A tag and its value: `Artist=Jane Doe`.
struct TagAssignment: Sendable {
    /// Completes an argument by the names of tags that can be set.
    static var completion: CompletionKind {
        .list(Set(MetadataTag.all.filter { !$0.isReadOnly }.map { "\($0.name)=" }).sorted())
    }

    let tag: MetadataTag
    let value: String

    /// Parses an argument.
    static func parse(_ argument: String) throws -> TagAssignment {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("write a tag and its value, as in 'Artist=Jane Doe'")
        }
        guard let tag = MetadataTag.named(parts[0]).first else {
            throw ValidationError("\"\(parts[0])\" is no tag; `tessera metadata tags` lists them")
        }
        return TagAssignment(tag: tag, value: parts[1])
    }
}

/// A time by which dates are shifted: `-1h30m`, `2d`.
enum DateShift {
    /// Parses days, hours, minutes and seconds, with a sign for all, to seconds.
    static func parse(_ argument: String) throws -> Int {
        let isNegative = argument.hasPrefix("-")
        var rest = isNegative || argument.hasPrefix("+") ? argument.dropFirst() : argument[...]
        var total = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix(1)
            guard let span = try? TimeSpan.parse(String(digits + unit)), span.seconds < 1 << 40 else {
                throw ValidationError("write days, hours, minutes and seconds, as in -1h30m or 2d")
            }
            total += Int(span.seconds)
            rest = rest.dropFirst(digits.count + 1)
        }
        guard total > 0 else { throw ValidationError("write days, hours, minutes and seconds, as in -1h30m or 2d") }
        return isNegative ? -total : total
    }
}
