package import ImageFormats

/// What a result is written as, which may depend on what it has become.
package struct OutputFormats: Hashable, Sendable {
    /// Without transparency.
    package let opaque: ImageFormat
    /// With some.
    package let transparent: ImageFormat

    /// Whether it can be several frames, shown one after the other.
    func holdsFrames(by codecs: CodecRegistry) -> Bool {
        opaque == transparent && codecs.capabilities(of: opaque).contains(.encodeAnimation)
    }

    /// All that makes a difference, as text.
    var key: String { "\(opaque.typeIdentifier),\(transparent.typeIdentifier)" }
}

/// What a query says of the format of its result.
package enum OutputFormatChoice: Hashable, Sendable {
    /// Nothing: the picture's own, where browsers show that.
    case original
    /// `auto`: the best that the request accepts.
    case automatic
    /// This one.
    case format(ImageFormat)

    /// The words for it in a query.
    static var words: [String] { ["auto"] + IIIFFormat.all.map(IIIFFormat.name) }

    /// Reads a query's word, which for a format may be any of its extensions; nil for one that there isn't.
    init?(word: String) {
        let word = word.lowercased()
        guard word != "auto" else {
            self = .automatic
            return
        }
        guard let format = IIIFFormat.all.first(where: { $0.filenameExtensions.contains(word) }) else { return nil }
        self = .format(format)
    }

    /// The word of the canonical form; nil for nothing.
    var word: String? {
        switch self {
        case .original: nil
        case .automatic: "auto"
        case .format(let format): IIIFFormat.name(of: format)
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

/// Which format a picture is sent in, by what the request accepts.
///
/// What browsers haven't always known has to be named: `*/*` is sent by those that know neither AVIF nor WebP. So the
/// answer is AVIF, WebP, or else JPEG, or PNG for a picture with transparency; JPNG only where `image/jpng` is named, since
/// a JPEG is what other programs see in it; WebP or GIF for an animation. Of those equally wanted it is the first in this
/// order: JPNG, AVIF, WebP, the rest. A request that wants none of them gets what it would without an `Accept`.
package struct ImageFormatNegotiation: Sendable {
    private let accepted: AcceptHeader
    private let isWritable: @Sendable (ImageFormat) -> Bool

    /// A choice for a request with this `Accept`, nil where it has none, among the formats that can be written here.
    package init(accept: String?, isWritable: @escaping @Sendable (ImageFormat) -> Bool) {
        accepted = AcceptHeader(accept)
        self.isWritable = isWritable
    }

    /// The format for a picture.
    package func format(hasAlpha: Bool, isAnimated: Bool) -> ImageFormat {
        if isAnimated {
            return named(.webP).map { $0 >= weight(.gif) } ?? false ? .webP : .gif
        }
        let (always, next): (ImageFormat, ImageFormat?) = hasAlpha ? (.png, nil) : (.jpeg, .png)
        var best: (format: ImageFormat, weight: Double)?
        for format in [ImageFormat.jpng, .avif, .webP] {
            if let weight = named(format), weight > best?.weight ?? 0 { best = (format, weight) }
        }
        // A picture without transparency is a PNG only for those who want no JPEG at all.
        for format in [always, next].compactMap({ $0 }) where weight(format) > 0 {
            return best.map { $0.weight >= weight(format) ? $0.format : format } ?? format
        }
        return best?.format ?? always
    }

    private func weight(_ format: ImageFormat) -> Double { named(format) ?? accepted.weight(of: format.mimeType) }

    /// How much a format is wanted by one of its names; nil where none is there, and where it can't be written.
    private func named(_ format: ImageFormat) -> Double? {
        guard isWritable(format) else { return nil }
        let types = format == .jpng ? format.mimeTypes + ["image/jpng"] : format.mimeTypes
        return types.lazy.compactMap { accepted.weight(named: $0) }.max()
    }
}
