internal import ArgumentParser
internal import Tessera

/// `--size` as `FXImageView` lays pictures out in its bounds.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Crop and scale to a view's size, as --content-mode and --pad say.", valueName: "WxH"),
        transform: EffectArgument.size)
    var size: [(width: Double, height: Double)] = []

    @Option(
        help: ArgumentHelp(
            "How --size lays out the picture: \(ContentMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "mode"),
        transform: { argument in
            guard let mode = ContentMode.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
            else {
                throw ValidationError("write one of \(ContentMode.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return mode
        })
    var contentMode = ContentMode.aspectFit

    @Flag(help: "With --size: pad what the picture leaves free, so that the result always has that size.")
    var pad = false

    var arguments: [EffectArgument] {
        size.map { size in
            EffectArgument(
                .cropAndScale(width: size.width, height: size.height, contentMode: contentMode, padToFit: pad))
        }
    }
}
