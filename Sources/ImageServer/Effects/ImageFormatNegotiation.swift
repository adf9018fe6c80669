package import ImageFormats

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
