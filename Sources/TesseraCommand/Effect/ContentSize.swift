internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// `--size` as `FXImageView` lays pictures out in its bounds.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Crop and scale to a view's size, as --content-mode and --pad say.", valueName: "WxH"),
        transform: WrittenEffect.reader("size"))
    var size: [WrittenEffect] = []

    @Option(
        help: ArgumentHelp(
            "How --size lays out the picture: \(ContentMode.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "Default: aspectFit.",
            valueName: "mode"),
        transform: { argument in
            guard let mode = ContentMode.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
            else {
                throw ValidationError("write one of \(ContentMode.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return mode
        })
    var contentMode: ContentMode?

    @Flag(help: "With --size: pad what the picture leaves free, so that the result always has that size.")
    var pad = false

    var effects: [WrittenEffect] {
        size.map { size in
            var size = size
            if let contentMode { size = size.with("mode", .word(contentMode.rawValue)) }
            return pad ? size.with("pad", .word("pad")) : size
        }
    }
}
