import ImageFormats

extension FuzzTarget {
    /// The WebP decoder.
    static let webP = decoding("webp", with: WebPCodec(), seedExtensions: ["webp"]) { [] }

    /// The decoder of WebP animations.
    static let webPAnimation = animation("webp-animation", with: WebPCodec(), seedExtensions: ["webp"])
}
