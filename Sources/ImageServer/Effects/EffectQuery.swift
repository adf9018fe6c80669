package import ImageEffects
internal import ImageFormats
package import Raster

/// A parsed query of `/image/ID`: effects, and the result's format and quality.
///
/// Effects are applied in the order of `EffectTable`, regardless of their order in the query. Lengths are multiplied by
/// `dpr`, except those of `crop`, which are in pixels of the original. The items `sig`, `kid` and `expires` belong to
/// `URLSignature`.
package struct EffectQuery: Sendable {
    /// The effects in the order in which they are applied.
    let effects: [EffectCall]
    /// The width or height to scale to, if the query has only one of them.
    let side: Side?
    /// The format of the result.
    package let format: OutputFormatChoice
    /// The encoder's quality, 0...1; nil for the server's default.
    package let quality: Double?
    /// Pixels per unit of length.
    package let dpr: Double
    /// `hdr`: whether the result has high dynamic range, in a format that can hold it; nil if a JPEG keeps its gain map.
    package let isHighRange: Bool?

    enum Side: Hashable {
        case width(Double)
        case height(Double)
    }

    /// The identifiers of masks and overlays, without duplicates.
    package var pictures: [String] {
        var pictures: [String] = []
        for case let name? in effects.map(\.picture) where !pictures.contains(name) { pictures.append(name) }
        return pictures
    }

    /// The options for the chain, with lengths in units of `dpr` pixels. Every step is limited to `maximumPixelCount`.
    package func options(maximumPixelCount: Int) -> EffectOptions {
        EffectOptions(units: .pointsOf(scale: dpr), maximumPixelCount: maximumPixelCount)
    }

    /// The effects as a chain for these options, with `pictures` by identifier as masks and overlays.
    /// - Throws: `invalidParameter` for an identifier that isn't in `pictures`.
    package func chain(pictures: [String: EffectPicture]) throws(ImageError) -> EffectChain {
        var chain = try EffectChain(ordering: effects) { (name) throws(ImageError) in
            guard let picture = pictures[name] else {
                throw ImageError(.invalidParameter, "there is no image \(name.quotedForPeople)")
            }
            return picture
        }
        let crop = chain.effects.first as? Effects.Crop
        if var crop {
            (crop.x, crop.y, crop.width, crop.height) = (
                crop.x / dpr, crop.y / dpr, crop.width / dpr, crop.height / dpr
            )
            chain.effects[0] = crop
        }
        if let side {
            // The other side is boundless, so this one determines the scale.
            let scaling: Effects.ScaleToFit =
                switch side {
                case .width(let width): .scaleToFit(width: width, height: Self.boundless)
                case .height(let height): .scaleToFit(width: Self.boundless, height: height)
                }
            chain.effects.insert(scaling, at: crop == nil ? 0 : 1)
        }
        return chain
    }

    /// Plans the effects for an image of `size`, or a vector drawing, within `limits` at every step.
    /// - Throws: `limitExceeded`; `invalidParameter` for effects that can't be applied to the image.
    package func plan(
        for size: PixelSize, isVector: Bool = false, pictures: [String: EffectPicture], limits: RenderingLimits
    ) throws(ImageError) -> EffectPlan {
        let context = try EffectContext(options: options(maximumPixelCount: limits.maximumArea))
        let plan = try chain(pictures: pictures).plan(for: size, in: context, isVector: isVector)
        let first = plan.placement?.canvas ?? plan.decoding.region?.size ?? size
        for result in [first, plan.resultSize] { try limits.check(result) }
        if let placement = plan.placement, !placement.destination.isEmpty {
            let (source, target) = (placement.source, placement.destination)
            // Rounding to whole pixels may enlarge slightly.
            let factor = max(1, limits.maximumUpscaling)
            guard Double(target.width) <= (source.width * factor).rounded(.up),
                Double(target.height) <= (source.height * factor).rounded(.up)
            else {
                throw ImageError(
                    .limitExceeded,
                    "the image isn't made more than \(EffectValue.number(factor).text) times as large")
            }
        }
        return plan
    }

    /// A side longer than any result, at every density.
    private static let boundless = 1e6

    /// The canonical query, the same for all equivalent ones: items in the order of the tables, values in their
    /// shortest form, percent-encoded, without `sig`, `kid` and `expires`.
    package var canonical: String {
        var items: [(name: String, value: String)] = effects.map { ($0.definition.name, $0.text) }
        switch side {
        case .width(let width): items.append(("w", EffectValue.number(width).text))
        case .height(let height): items.append(("h", EffectValue.number(height).text))
        case nil: break
        }
        if dpr != 1 { items.append(("dpr", EffectValue.number(dpr).text)) }
        if let word = format.word { items.append(("format", word)) }
        if let quality { items.append(("q", EffectValue.number(quality).text)) }
        if let isHighRange { items.append(("hdr", isHighRange ? "1" : "0")) }
        return items.map { name, value in
            value.isEmpty ? name : "\(name)=\(PercentEncoding.encoded(value, keeping: ",/"))"
        }.joined(separator: "&")
    }
}

/// Limits on the effects of a query.
package struct EffectLimits: Hashable, Sendable {
    /// The most effects.
    package var maximumEffectCount = 16
    /// The most masks and overlays, each of which must be decoded.
    package var maximumPictureCount = 4

    /// Sixteen effects, four of them with masks or overlays.
    package static let standard = EffectLimits()
}
