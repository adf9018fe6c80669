import Foundation
import ImageEffects
import Raster
import Testing

@Suite("Recipes of colours and images")
struct PictureCodingTests {
    private func chain(_ text: String, pictures: Bool = true) throws -> EffectChain {
        let decoder = JSONDecoder()
        if pictures {
            let find: EffectPicture.Finder = { name in
                guard name != "missing" else { throw ImageError(.inputOutput, "no such picture") }
                return Image(try TextPicture("WK").bitmap())
            }
            decoder.userInfo[.effectPictures] = find
        }
        return try decoder.decode(EffectChain.self, from: Data(text.utf8))
    }

    @Test("Missing keys have their defaults")
    func defaults() throws {
        let picture = EffectPicture(Image(try TextPicture("WK").bitmap()), reference: "a.png")
        let decoded = try chain(
            """
            [{"opacity": {"alpha": 0.5}}, {"mask": {"picture": "a.png"}}, {"maskFromAlpha": {}}, {"flatten": {}},
             {"overlay": {"picture": "a.png"}}, {"tint": {"color": "#336699"}}, {"reflected": {"scale": 0.5}},
             {"reflection": {"scale": 0.25}},
             {"colorMatrix": {"rows": [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]}}]
            """)
        let expected: EffectChain = [
            .opacity(0.5), .mask(picture), .maskFromAlpha, .flatten(), .overlay(picture),
            .tint(RGBA8(0x33, 0x66, 0x99)), .reflected(scale: 0.5), .reflection(scale: 0.25, gap: 0, alpha: 1),
            .saturation(1),
        ]
        #expect(decoded == expected)
    }

    @Test("A chain is read back as it was written")
    func roundTrip() throws {
        let picture = EffectPicture(Image(try TextPicture("WK").bitmap()), reference: "b.png")
        let original: EffectChain = [
            .mask(picture, isInverted: true), .flatten(on: RGBA8(1, 2, 3, 4)),
            .overlay(picture, x: 1, y: -2, width: 3, height: 4, opacity: 0.5, blendMode: .softLight),
            .overlay(picture, height: 4), .tint(RGBA8(9, 8, 7), blendMode: .colorBurn), .sepia(0.3),
            .reflection(scale: 0.5, gap: -1, alpha: 0.25),
        ]
        let data = try JSONEncoder().encode(original)
        let again = try chain(String(decoding: data, as: UTF8.self))
        #expect(again == original)
        #expect(again.identity.bytes == original.identity.bytes)
        #expect((again.effects.first as? Effects.Mask)?.picture.image.size == picture.image.size)
    }

    @Test("Missing images are errors")
    func missing() {
        let text = #"[{"mask": {"picture": "a.png"}}]"#
        #expect(throws: DecodingError.self) { try chain(text, pictures: false) }
        #expect(throws: ImageError.self) { try chain(#"[{"mask": {"picture": "missing"}}]"#) }
        #expect(throws: DecodingError.self) { try chain(#"[{"tint": {"color": "red"}}]"#) }
        #expect(throws: DecodingError.self) { try chain(#"[{"overlay": {"picture": "a", "blendMode": "wet"}}]"#) }
    }

    @Test("Every parameter is part of the identity")
    func identities() throws {
        let image = Image(try TextPicture("WK").bitmap())
        let (a, b) = (EffectPicture(image, reference: "a"), EffectPicture(image, reference: "b"))
        let chains: [EffectChain] = [
            [.opacity(0.5)], [.opacity(0.25)], [.mask(a)], [.mask(b)], [.mask(a, isInverted: true)], [.maskFromAlpha],
            [.flatten()], [.flatten(on: RGBA8(0, 0, 0))], [.overlay(a)], [.overlay(b)], [.overlay(a, x: 1)],
            [.overlay(a, y: 1)], [.overlay(a, width: 1)], [.overlay(a, height: 1)], [.overlay(a, opacity: 0.5)],
            [.overlay(a, blendMode: .screen)], [.tint(RGBA8(0, 0, 0))], [.tint(RGBA8(0, 0, 0), blendMode: .screen)],
            [.tint(RGBA8(0, 0, 1))], [.grayscale], [.sepia()], [.reflected(scale: 1)], [.reflected(scale: 0.5)],
            [.reflection(scale: 1)], [.reflection(scale: 0.5)], [.reflection(scale: 1, gap: 1)],
            [.reflection(scale: 1, alpha: 0.5)], [.custom("a") { $0 }], [.custom("b") { $0 }],
        ]
        #expect(Set(chains).count == chains.count)
        #expect(Set(chains.map(\.identity.bytes)).count == chains.count)
    }
}
