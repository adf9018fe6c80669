import Foundation
import ImageEffects
import Raster
import Testing

@Suite("Chains as recipes")
struct EffectChainCodingTests {
    /// Decodes `json`, or gives back what is said to be wrong with it.
    static func decode(_ json: String) throws -> EffectChain {
        try JSONDecoder().decode(EffectChain.self, from: Data(json.utf8))
    }

    static func encode(_ chain: EffectChain) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(chain), as: UTF8.self)
    }

    @Test("A written chain is read back")
    func roundTrip() throws {
        let chain: EffectChain = [
            .crop(x: 1, y: 2.5, width: 3, height: 4, outside: .clamped), .scale(width: 1, height: 2),
            .scaleToFit(width: 800, height: 600), .scaleToFill(width: 0.1, height: 1e-7), .cover(width: 3, height: 4),
            .cropAndScale(width: 5, height: 6, contentMode: .topRight, padToFit: true), .rotate(degrees: -7.5),
            .flip(.vertical), .smartCrop(width: 7, height: 8, strategy: .entropy),
        ]
        #expect(try Self.decode(Self.encode(chain)) == chain)
        #expect(try Self.decode("[]") == EffectChain())
        #expect(try Self.encode(EffectChain()) == "[]")
    }

    @Test("Every effect with a name in recipes is read by it and written by it")
    func names() throws {
        let fields = #"{"x": 0, "y": 0, "width": 4, "height": 3, "degrees": 5, "direction": "vertical"}"#
        for name in [
            "crop", "scale", "scaleToFit", "scaleToFill", "cover", "cropAndScale", "rotate", "flip", "smartCrop",
        ] {
            let chain = try Self.decode("[{\"\(name)\": \(fields)}]")
            #expect(chain.effects.count == 1)
            #expect(chain.effects.first?.identity.name == name)
            let written = try Self.encode(chain)
            #expect(written.hasPrefix("[{\"\(name)\":"), "\(written)")
            #expect(try Self.decode(written) == chain)
        }
    }

    @Test("Defaults are left out")
    func defaults() throws {
        let chain = try Self.decode(
            """
            [{"crop": {"x": 1, "y": 2, "width": 3, "height": 4}}, {"cropAndScale": {"width": 5, "height": 6}},
             {"smartCrop": {"width": 5, "height": 6}}]
            """)
        let wanted: EffectChain = [
            .crop(x: 1, y: 2, width: 3, height: 4), .cropAndScale(width: 5, height: 6), .smartCrop(width: 5, height: 6),
        ]
        #expect(chain == wanted)
    }

    @Test(
        "Invalid recipes are errors with the reason",
        arguments: [
            (#"[{"sharpn": {}}]"#, "sharpn"), (#"[{"scale": {"width": 1, "height": 1}, "flip": {}}]"#, "one key"),
            (#"[{}]"#, "one key"), (#"[{"scale": {"width": 1}}]"#, "height"),
            (#"[{"scale": {"width": "wide", "height": 1}}]"#, "width"), (#"[{"flip": {"direction": "up"}}]"#, "up"),
            (#"{"scale": {"width": 1, "height": 1}}"#, "Array"), (#"["scale"]"#, "String"),
            (#"[{"crop": {"x": 0, "y": 0, "width": 1, "height": 1, "outside": "gone"}}]"#, "gone"),
            (#"[{"cropAndScale": {"width": 1, "height": 1, "contentMode": "middle"}}]"#, "middle"),
        ] as [(String, String)])
    func mistakes(json: String, word: String) {
        let error = #expect(throws: DecodingError.self) { try Self.decode(json) }
        #expect(error.map { "\($0)".contains(word) } == true, "\(String(describing: error))")
    }

    @Test("A custom effect can't be written to a recipe")
    func own() throws {
        struct Own: ImageEffect {
            var identity: EffectIdentity { EffectIdentity("com.example.own") }
            func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap { bitmap }
        }
        let error = #expect(throws: EncodingError.self) { try Self.encode(EffectChain([Own()])) }
        #expect(error.map { "\($0)".contains("com.example.own") } == true)
    }

    @Test("A chain within a chain is written as its effects")
    func nested() throws {
        let inner: EffectChain = [.flip(.vertical), .rotate(degrees: 3)]
        let chain = EffectChain([Effects.Flip(.horizontal), inner])
        #expect(try Self.decode(Self.encode(chain)) == chain)
    }
}
