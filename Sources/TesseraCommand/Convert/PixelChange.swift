internal import Tessera

/// What becomes of a picture's pixels between its decoder and its encoder.
enum PixelChange: Sendable {
    /// They are made to fit within a box; nil: they stay as they are.
    case fitting(PixelSize?)
    /// Effects are applied.
    case effects(EffectWork)

    /// Whether there is anything to do.
    var isNone: Bool { if case .fitting(nil) = self { true } else { false } }

    /// What to decode of the picture that `header` speaks of.
    func plan(for header: ImageHeader, _ registry: CodecRegistry) throws(ImageError) -> DecodingPlan {
        let capabilities = registry.capabilities(of: header.format)
        switch self {
        case .fitting(let bounds):
            return DecodingPlan(targetSize: bounds.map { header.size.fitted(within: $0, capabilities) })
        case .effects(let work):
            return try work.decodingPlan(for: header.size, isDrawing: capabilities.contains(.vector))
        }
    }

    /// `rows`, which were decoded as planned or larger, once changed.
    func applied(
        to rows: any RowSource, of header: ImageHeader, _ registry: CodecRegistry
    ) throws(ImageError) -> any RowSource {
        switch self {
        case .fitting(let bounds):
            let capabilities = registry.capabilities(of: header.format)
            guard let target = bounds.map({ header.size.fitted(within: $0, capabilities) }), target != rows.info.size
            else { return rows }
            return try ResamplingRowSource(rows, to: target)
        case .effects(let work):
            return try work.applied(to: rows, decodedFrom: header.size).makeRowSource()
        }
    }

    /// The animation's frame at `index`, once changed.
    func frame(at index: Int, of source: AnimatedImageSource) throws(ImageError) -> Bitmap {
        switch self {
        case .fitting(let bounds):
            let size = source.size.flatMap { size in bounds.map { size.fitted(within: $0) } }
            return try source.frame(at: index, targetSize: size)
        case .effects(let work):
            return try work.applied(to: source.frame(at: index))
        }
    }
}

extension PixelSize {
    /// The size that a picture of this one gets within `bounds`: a drawing fills them, pixels are not enlarged.
    fileprivate func fitted(within bounds: PixelSize, _ capabilities: ImageCapabilities) -> PixelSize {
        guard capabilities.contains(.vector), width < bounds.width, height < bounds.height else {
            return fitted(within: bounds)
        }
        let scale = min(Double(bounds.width) / Double(width), Double(bounds.height) / Double(height))
        return PixelSize(
            width: min(bounds.width, Int((Double(width) * scale).rounded())),
            height: min(bounds.height, Int((Double(height) * scale).rounded())))
    }
}
