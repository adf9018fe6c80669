import ImageFormats

extension FuzzTarget {
    /// The JPEG engine against libjpeg, at each scale: the same image of valid data, the same rows above damage.
    static let jpegEngine = FuzzTarget(
        name: "jpeg-engine", seedExtensions: ["jpg", "jpeg"],
        seeds: { [Fixtures.jpeg] + Fixtures.encoded(with: JPEGCodec()) }
    ) { input in
        let last = Int(input.last ?? 0)
        for scale in [8, 4, 2, 1] {
            let comparison = JPEGComparison(
                input, scale: scale, threadCount: 1 + last % 3, sliceByteCount: 150 << (last / 3 % 4))
            precondition(
                comparison.outcome != .differs, "row \(comparison.rowCount) isn't libjpeg's at \(scale)/8")
        }
    }
}
