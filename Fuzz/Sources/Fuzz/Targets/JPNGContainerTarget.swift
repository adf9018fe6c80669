import JPNGContainer

extension FuzzTarget {
    /// Finding the parts of a JPNG, which must lie in the file, and joining them, which must be found again.
    static let jpngContainer = FuzzTarget(
        name: "jpng-container", seedExtensions: ["jpng"], seeds: { [Fixtures.jpng, Fixtures.jpngWithJPEGMask] }
    ) { input in
        let bytes = input.span.bytes
        _ = try? JPNGContainer(verifying: bytes)
        guard let container = try? JPNGContainer.find(in: bytes) else { return }
        let whole = 0..<input.count
        for range in [container.colorRange, container.maskRange, container.slackRange, container.footerRange] {
            precondition(whole.lowerBound <= range.lowerBound && range.upperBound <= whole.upperBound)
        }
        let color = bytes.extracting(container.colorRange)
        let mask = bytes.extracting(container.maskRange)
        guard let joined = try? JPNGContainer.join(color: color, mask: mask, isTagged: false) else {
            preconditionFailure("parts that were found can't be joined")
        }
        guard let again = try? JPNGContainer(verifying: joined.span.bytes) else {
            preconditionFailure("parts that were joined can't be found")
        }
        precondition(again.colorRange == container.colorRange && again.maskRange == container.maskRange)
        // A tag is added once, and taken away again without a trace.
        if let tagged = try? JPNGContainer.tagging(bytes) {
            guard let plain = try? JPNGContainer.untagging(tagged.span.bytes) else {
                preconditionFailure("a tag that was added isn't found")
            }
            precondition(plain == input)
        }
    }
}
