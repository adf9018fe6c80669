import ImageEffects
import ImageLoading
import Testing

@Suite("Keys of the image cache")
struct ImageCacheKeyTests {
    @Test("Equal parts make equal keys")
    func sameParts() {
        func key() -> ImageCacheKey {
            ImageCacheKey(
                group: "https://example.org/\(1)", scale: 2, thumbnail: .init(maxPixelSize: 10),
                processors: [EffectIdentity("blur", .number(3)), EffectIdentity("grey")], decoding: EffectIdentity("d"))
        }
        #expect(key() == key())
        #expect(key().hashValue == key().hashValue)
    }

    @Test("A difference in any part makes another key")
    func anyPartMakesADifference() {
        let keys = [
            ImageCacheKey(group: "a"), ImageCacheKey(group: "b"), ImageCacheKey(group: "a", scale: 2),
            ImageCacheKey(group: "a", thumbnail: .init(maxPixelSize: 10)),
            ImageCacheKey(group: "a", thumbnail: .init(maxPixelSize: 11)),
            ImageCacheKey(group: "a", thumbnail: .init(width: 10, height: 10)),
            ImageCacheKey(group: "a", processors: [EffectIdentity("x"), EffectIdentity("y")]),
            ImageCacheKey(group: "a", processors: [EffectIdentity("y"), EffectIdentity("x")]),
            ImageCacheKey(group: "a", processors: [EffectIdentity("xy")]),
            ImageCacheKey(group: "a", processors: [EffectIdentity("x", [EffectIdentity("y")])]),
            ImageCacheKey(group: "a", decoding: EffectIdentity("d")),
            ImageCacheKey(group: "a", decoding: EffectIdentity("d", .flag(true))),
        ]
        #expect(Set(keys).count == keys.count)
        for (index, key) in keys.enumerated() { #expect(keys.firstIndex(of: key) == index) }
    }
}
