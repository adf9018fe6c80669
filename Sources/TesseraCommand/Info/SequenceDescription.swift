internal import Tessera

/// What `info` tells of a file of several pictures.
struct SequenceDescription {
    /// How many pictures there are.
    let count: Int
    private let kind: ImageSequence.Kind
    private let loopCount: Int
    private let frames: [AnimationFrame]
    private let error: ImageError?

    /// Counts the pictures; nil where there is but one.
    init?(
        _ header: ImageHeader, options: DecodingOptions, bytes: () throws(ImageError) -> [UInt8]
    ) throws(ImageError) {
        // Whether a GIF goes on is only seen behind its first picture.
        let mayBeAnimated = header.sequence?.kind == .animation || header.format == .gif
        guard mayBeAnimated else {
            guard let sequence = header.sequence else { return nil }
            (kind, count, loopCount, frames, error) = (sequence.kind, sequence.count ?? 1, 1, [], nil)
            return
        }
        let source = try AnimatedImageSource(bytes(), options: options)
        (kind, count, loopCount) = (.animation, source.frames.count, source.loopCount)
        (frames, error) = (source.frames, source.error)
        if count == 1, error == nil { return nil }
    }

    /// The facts, each with its name.
    var text: [(String, String)] {
        guard kind == .animation else { return [("pictures", "\(count)")] }
        let total = frames.reduce(0) { $0 + $1.duration }
        let delays = frames.map(\.duration)
        var facts = [
            ("frames", "\(count)"), ("loops", loopCount == 0 ? "without end" : "\(loopCount)"),
            ("duration", "\(total.formatted(decimals: 2)) s"),
        ]
        if let shortest = delays.min(), let longest = delays.max() {
            facts.append(
                (
                    "delays",
                    shortest == longest
                        ? "\(milliseconds(shortest)) ms" : "\(milliseconds(shortest)) to \(milliseconds(longest)) ms"
                ))
        }
        if let error { facts.append(("damage", "\(error)")) }
        return facts
    }

    /// The same facts for programs.
    var json: JSONValue {
        guard kind == .animation else { return .object([("kind", .string("pages")), ("count", .integer(count))]) }
        return .object([
            ("kind", .string("animation")), ("count", .integer(count)), ("loopCount", .integer(loopCount)),
            ("durations", .array(frames.map { .number($0.duration) })),
            ("storedDurations", .array(frames.map { .number($0.storedDuration) })),
            ("error", error.map { .string("\($0)") } ?? .null),
        ])
    }

    private func milliseconds(_ seconds: Double) -> String { (seconds * 1000).formatted(decimals: 0) }
}
