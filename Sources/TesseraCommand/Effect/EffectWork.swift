internal import Tessera

/// Effects, and how they are to be applied, for any number of pictures.
struct EffectWork: Sendable {
    let chain: EffectChain
    let options: EffectOptions

    private func plan(for size: PixelSize) throws(ImageError) -> EffectPlan {
        try chain.plan(for: size, in: EffectContext(options: options))
    }

    /// What to decode of a picture of `size`; of a drawing also more pixels than that, where it is to be enlarged.
    func decodingPlan(for size: PixelSize, isDrawing: Bool) throws(ImageError) -> DecodingPlan {
        let plan = try plan(for: size)
        return isDrawing ? plan.decodingOfDrawing(of: size) : plan.decoding
    }

    /// What becomes of `rows`, which are decoded as planned for a picture of `size`.
    func applied(to rows: any RowSource, decodedFrom size: PixelSize) throws(ImageError) -> Bitmap {
        try plan(for: size).apply(to: rows)
    }

    /// What becomes of `bitmap`.
    func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        try Image(bitmap).applying(chain, options: options).bitmap()
    }
}
