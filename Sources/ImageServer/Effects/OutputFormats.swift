package import ImageFormats

/// The formats of a result, depending on its transparency.
package struct OutputFormats: Hashable, Sendable {
    /// The format of opaque results.
    package let opaque: ImageFormat
    /// The format of results with transparency.
    package let transparent: ImageFormat

    /// Whether the result can be an animation.
    func holdsFrames(by codecs: CodecRegistry) -> Bool {
        opaque == transparent && codecs.capabilities(of: opaque).contains(.encodeAnimation)
    }

    /// Both formats as text, for cache keys.
    var key: String { "\(opaque.typeIdentifier),\(transparent.typeIdentifier)" }
}

/// The format that a query selects.
package enum OutputFormatChoice: Hashable, Sendable {
    /// No selection: the image's own format if browsers support it.
    case original
    /// `auto`: the best format that the request accepts.
    case automatic
    /// A specific format.
    case format(ImageFormat)

    /// The values of `format` in a query.
    static var words: [String] { ["auto"] + IIIFFormat.all.map(IIIFFormat.name) }

    /// Parses a query's value, which may be any of a format's file extensions; nil for an unknown one.
    init?(word: String) {
        let word = word.lowercased()
        guard word != "auto" else {
            self = .automatic
            return
        }
        guard let format = IIIFFormat.all.first(where: { $0.filenameExtensions.contains(word) }) else { return nil }
        self = .format(format)
    }

    /// The value in canonical queries; nil for `original`.
    var word: String? {
        switch self {
        case .original: nil
        case .automatic: "auto"
        case .format(let format): IIIFFormat.name(of: format)
        }
    }

    /// The format of a result.
    ///
    /// A selected format may be unable to represent the image: a JPEG shows transparency on the server's background
    /// colour, a PNG of an animation is its first frame.
    /// - Parameter isHighRange: Whether `auto` selects among formats that can hold high dynamic range.
    package func format(
        of source: ImageFormat, hasAlpha: Bool, isAnimated: Bool, negotiation: ImageFormatNegotiation,
        isHighRange: Bool = false
    ) -> ImageFormat {
        switch self {
        case .automatic:
            negotiation.format(hasAlpha: hasAlpha, isAnimated: isAnimated, isHighRange: isHighRange)
        case .format(let format): format
        case .original where isAnimated: source == .webP ? .webP : .gif
        case .original where source == .webP || source == .png: source
        case .original: hasAlpha ? .png : .jpeg
        }
    }
}

/// Selects the format of an image by the request's `Accept`.
///
/// Newer formats must be named, since browsers that support neither AVIF nor WebP send `*/*`. The result is AVIF, WebP,
/// JPEG, or PNG for an image with transparency; WebP or GIF for an animation. JPNG is selected only if `image/jpng` is
/// named, since other programs see a JPEG in it. Among formats of equal weight, the order is JPNG, AVIF, WebP, the
/// rest. A request that accepts none of them gets the format for a request without `Accept`.
package struct ImageFormatNegotiation: Sendable {
    private let accepted: AcceptHeader
    private let isWritable: @Sendable (ImageFormat) -> Bool

    /// Negotiates among the encodable formats; `accept` is nil for a request without the header.
    package init(accept: String?, isWritable: @escaping @Sendable (ImageFormat) -> Bool) {
        accepted = AcceptHeader(accept)
        self.isWritable = isWritable
    }

    /// The best accepted format for an image.
    /// - Parameter isHighRange: Whether only formats count that can hold high dynamic range: not JPNG and WebP.
    package func format(hasAlpha: Bool, isAnimated: Bool, isHighRange: Bool = false) -> ImageFormat {
        if isAnimated {
            return named(.webP).map { $0 >= weight(.gif) } ?? false ? .webP : .gif
        }
        let (always, next): (ImageFormat, ImageFormat?) = hasAlpha ? (.png, nil) : (.jpeg, .png)
        var best: (format: ImageFormat, weight: Double)?
        for format in isHighRange ? [ImageFormat.avif] : [.jpng, .avif, .webP] {
            if let weight = named(format), weight > best?.weight ?? 0 { best = (format, weight) }
        }
        // An opaque image becomes a PNG only if the client doesn't accept JPEG.
        for format in [always, next].compactMap({ $0 }) where weight(format) > 0 {
            return best.map { $0.weight >= weight(format) ? $0.format : format } ?? format
        }
        return best?.format ?? always
    }

    private func weight(_ format: ImageFormat) -> Double { named(format) ?? accepted.weight(of: format.mimeType) }

    /// The largest weight among a format's media types; nil if none is named or the format can't be encoded.
    private func named(_ format: ImageFormat) -> Double? {
        guard isWritable(format) else { return nil }
        let types = format == .jpng ? format.mimeTypes + ["image/jpng"] : format.mimeTypes
        return types.lazy.compactMap { accepted.weight(named: $0) }.max()
    }
}
