package import ImageFormats

/// What a query says of the format of its result.
package enum OutputFormatChoice: Hashable, Sendable {
    /// Nothing: the picture's own, where browsers show that.
    case original
    /// `auto`: the best that the request accepts.
    case automatic
    /// This one.
    case format(ImageFormat)

    /// What can be asked for by name. The first extension that a format has here is the one of the canonical form.
    private static let named: [(name: String, format: ImageFormat)] = [
        ("jpg", .jpeg), ("jpeg", .jpeg), ("png", .png), ("webp", .webP), ("avif", .avif), ("jpng", .jpng),
        ("gif", .gif),
        ("tif", .tiff), ("tiff", .tiff), ("jxl", .jpegXL),
    ]

    /// The words for it in a query.
    static var words: [String] { ["auto"] + named.map(\.name) }

    /// Reads a query's word; nil for one that there isn't.
    init?(word: String) {
        let word = word.lowercased()
        guard word != "auto" else {
            self = .automatic
            return
        }
        guard let format = Self.named.first(where: { $0.name == word })?.format else { return nil }
        self = .format(format)
    }

    /// The word of the canonical form; nil for nothing.
    var word: String? {
        switch self {
        case .original: nil
        case .automatic: "auto"
        case .format(let format): Self.named.first { $0.format == format }?.name
        }
    }

    /// The format of a result.
    ///
    /// A format that was asked for by name may be one that can't hold what the picture has: a JPEG shows transparency on
    /// white, a PNG of an animation is its first frame.
    package func format(
        of source: ImageFormat, hasAlpha: Bool, isAnimated: Bool, negotiation: ImageFormatNegotiation
    ) -> ImageFormat {
        switch self {
        case .automatic: negotiation.format(hasAlpha: hasAlpha, isAnimated: isAnimated)
        case .format(let format): format
        case .original where isAnimated: source == .webP ? .webP : .gif
        case .original where source == .webP || source == .png: source
        case .original: hasAlpha ? .png : .jpeg
        }
    }
}
