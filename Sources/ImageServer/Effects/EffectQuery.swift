package import ImageEffects
internal import ImageFormats
package import Raster

/// What the query of `/image/ID` asks for: effects, and how the result is written.
///
/// Effects are applied in the order of `EffectTable`, wherever they stand in the query. Lengths are multiplied by `dpr`; those of
/// `crop` aren't, as they count the picture's own pixels. The items `sig`, `kid` and `expires` are `URLSignature`'s.
package struct EffectQuery: Sendable {
    /// The effects, in the order in which they are applied.
    let effects: [EffectCall]
    /// The one side that the picture is scaled to, where only one is given.
    let side: Side?
    /// The format of the result.
    package let format: OutputFormatChoice
    /// The encoder's quality, 0...1; nil for the server's own.
    package let quality: Double?
    /// Pixels to a unit of length.
    package let dpr: Double

    enum Side: Hashable {
        case width(Double)
        case height(Double)
    }

    /// The identifiers of masks and overlays, each once.
    package var pictures: [String] {
        var pictures: [String] = []
        for case let name? in effects.map(\.picture) where !pictures.contains(name) { pictures.append(name) }
        return pictures
    }

    /// How lengths are counted. Every step is held to this many pixels.
    package func options(maximumPixelCount: Int) -> EffectOptions {
        EffectOptions(units: .pointsOf(scale: dpr), maximumPixelCount: maximumPixelCount)
    }

    /// The effects with the pictures that are in them, by their identifiers; for the options above.
    /// - Throws: `invalidParameter` for a picture that isn't among them.
    package func chain(pictures: [String: EffectPicture]) throws(ImageError) -> EffectChain {
        var chain = try EffectChain(ordering: effects) { (name) throws(ImageError) in
            guard let picture = pictures[name] else {
                throw ImageError(.invalidParameter, "there is no picture \(name.quotedForPeople)")
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
            // The other side is longer than any that is allowed, so it is this one that the picture's is brought to.
            let scaling: Effects.ScaleToFit =
                switch side {
                case .width(let width): .scaleToFit(width: width, height: Self.boundless)
                case .height(let height): .scaleToFit(width: Self.boundless, height: height)
                }
            chain.effects.insert(scaling, at: crop == nil ? 0 : 1)
        }
        return chain
    }

    /// What is to be done with a picture of `size`, a drawing if `isVector` says so, which takes and makes no more than `limits` allow at every step.
    /// - Throws: `limitExceeded`, `invalidParameter` for effects that make no sense for the picture.
    package func plan(
        for size: PixelSize, isVector: Bool = false, pictures: [String: EffectPicture], limits: RenderingLimits
    ) throws(ImageError) -> EffectPlan {
        let context = try EffectContext(options: options(maximumPixelCount: limits.maximumArea))
        let plan = try chain(pictures: pictures).plan(for: size, in: context, isVector: isVector)
        let first = plan.placement?.canvas ?? plan.decoding.region?.size ?? size
        for result in [first, plan.resultSize] { try limits.check(result) }
        if let placement = plan.placement, !placement.destination.isEmpty {
            let (source, target) = (placement.source, placement.destination)
            // Rounding to whole pixels may enlarge by a little.
            let factor = max(1, limits.maximumUpscaling)
            guard Double(target.width) <= (source.width * factor).rounded(.up),
                Double(target.height) <= (source.height * factor).rounded(.up)
            else {
                throw ImageError(
                    .limitExceeded,
                    "the picture isn't made more than \(EffectValue.number(factor).text) times as large")
            }
        }
        return plan
    }

    /// A side that limits nothing, in units of any density.
    private static let boundless = 1e6

    /// The query in one form for all that mean the same: items in the order of the tables, values as short as can be,
    /// percent-encoded, without `sig`, `kid` and `expires`.
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
        return items.map { name, value in
            value.isEmpty ? name : "\(name)=\(PercentEncoding.encoded(value, keeping: ",/"))"
        }.joined(separator: "&")
    }
}

/// How much one query may ask for.
package struct EffectLimits: Hashable, Sendable {
    /// Effects.
    package var maximumEffectCount = 16
    /// Masks and overlays, which are pictures to be read each.
    package var maximumPictureCount = 4

    /// Sixteen effects, four of them with pictures.
    package static let standard = EffectLimits()
}
