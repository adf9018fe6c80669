import Foundation
import ImageEffects
import Raster
import Testing

/// The written forms of effects, all of them.
@Suite("The table of effects")
struct EffectTableTests {
    @Sendable private static func read(_ name: String) throws(ImageError) -> EffectPicture {
        let info = BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied)
        return EffectPicture(Image(try MutableBitmap(info).freeze()), reference: name)
    }

    @Test("The table has every effect that a recipe can use")
    func hasEachEffectThatCanStandInARecipe() throws {
        let written = try EffectTable.definitions.map { try $0.read($0.example).effect(Self.read) }
        let names = Set(written.compactMap { ($0 as? any CodableEffect).map { type(of: $0).name } })
        #expect(written.count == EffectTable.definitions.count)
        #expect(names == Set(Effects.codable.map { $0.name }))
    }

    @Test("Every effect's example can be read", arguments: EffectTable.definitions.map(\.name))
    func hasAnExampleThatMakesSense(_ name: String) throws {
        let definition = try #require(EffectTable[name])
        let written = try definition.read(definition.example)
        #expect(written.parameterBeyondRange == nil)
        // A size that all examples make sense for.
        let context = try EffectContext(options: EffectOptions(units: .pixels))
        let size = PixelSize(width: 300, height: 200)
        let result = try written.effect(Self.read).resultSize(of: size, in: context)
        #expect(!result.isEmpty)
        #expect(!definition.title.isEmpty && definition.sentence.hasSuffix("."))
        // The shortest form is read as the same.
        #expect(try definition.read(written.text).values == written.values)
        #expect(definition.parameters.isEmpty == definition.usage.isEmpty)
    }

    @Test("Names of effects and of their parameters are unique")
    func hasNamesAndParametersOnce() {
        #expect(Set(EffectTable.definitions.map(\.name)).count == EffectTable.definitions.count)
        for definition in EffectTable.definitions {
            #expect(Set(definition.parameters.map(\.name)).count == definition.parameters.count, "\(definition.name)")
            for parameter in definition.parameters {
                if let standard = parameter.standard { #expect(parameter.allows(standard), "\(definition.name)") }
                guard case .number(let range, let step) = parameter.kind else { continue }
                #expect(step > 0 && step < range.upperBound - range.lowerBound, "\(definition.name).\(parameter.name)")
            }
        }
    }

    @Test("The table is in the order of FXImageView's pipeline")
    func isInTheOrderOfFXImageView() throws {
        let names = ["reflect", "shadow", "radius", "blur", "fit", "crop"]
        let written = try names.map { name in
            let definition = try #require(EffectTable[name])
            return try definition.read(definition.example)
        }
        #expect(EffectTable.ordered(written).map(\.definition.name) == names.reversed())
        let twice = try ["1,1,1,1", "2,2,2,2"].map { try #require(EffectTable["crop"]).read($0) }
        #expect(EffectTable.ordered(twice).map(\.text) == ["1,1,1,1", "2,2,2,2"])
    }
}
