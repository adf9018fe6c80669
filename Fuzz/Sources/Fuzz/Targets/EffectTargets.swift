import FoundationEssentials
import ImageEffects
import ImageFormats
import Raster

extension FuzzTarget {
    /// A recipe of effects in JSON: it is written as it was read, and makes pictures of the size it says, or an error.
    static let effectRecipe = FuzzTarget(
        name: "effect-recipe", seedExtensions: [], seeds: { EffectRecipe.seeds }
    ) { input in
        let decoder = JSONDecoder()
        let find: EffectPicture.Finder = { _ in Fixtures.mask }
        decoder.userInfo[.effectPictures] = find
        guard let chain = try? decoder.decode(EffectChain.self, from: Data(input)) else { return }
        // A number that isn't one can be computed, but not written.
        if let written = try? JSONEncoder().encode(chain) {
            guard let again = try? decoder.decode(EffectChain.self, from: written) else {
                preconditionFailure("a recipe that was written can't be read")
            }
            precondition(again == chain)
        }
        for scale in [1.0, 2.5] {
            let options = EffectOptions(units: .pointsOf(scale: scale), maximumPixelCount: 1 << 15)
            guard let context = try? EffectContext(options: options) else { continue }
            EffectRecipe.apply(chain, in: context)
        }
    }
}

private enum EffectRecipe {
    static let seeds: [[UInt8]] = {
        let encoder = JSONEncoder()
        var seeds = [Array(#"[{"scaleToFit":{"width":80,"height":60}},{"cornerRadius":{"radius":20}}]"#.utf8)]
        for definition in EffectTable.definitions {
            guard let written = try? definition.read(definition.example),
                let chain = try? EffectChain(ordering: [written], { EffectPicture(Fixtures.mask, reference: $0) }),
                let data = try? encoder.encode(chain)
            else { continue }
            seeds.append(Array(data))
        }
        return seeds
    }()

    static let picture: Bitmap = {
        let info = BitmapInfo(size: PixelSize(width: 23, height: 17), format: .rgba8, alpha: .premultiplied)
        guard let bitmap = try? MutableBitmap(info).freeze() else { fatalError("cannot make a picture") }
        return bitmap
    }()

    static func apply(_ chain: EffectChain, in context: EffectContext) {
        let size = try? chain.resultSize(of: picture.size, in: context)
        if let plan = try? chain.plan(for: picture.size, in: context), let region = plan.decoding.region {
            precondition(region.x >= 0 && region.width <= picture.size.width - region.x)
            precondition(region.y >= 0 && region.height <= picture.size.height - region.y)
        }
        guard let result = try? chain.apply(to: picture, in: context) else { return }
        precondition(result.size == size, "\(result.size) and not the \(String(describing: size)) that was said")
    }
}
