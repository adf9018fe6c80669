import ImageEffects
import Raster
import Testing

@Suite("Identity of effects")
struct EffectIdentityTests {
    /// Effects no two of which are equal.
    static let different: [any ImageEffect] = [
        Effects.Crop(x: 0, y: 0, width: 10, height: 20), Effects.Crop(x: 0, y: 0, width: 20, height: 10),
        Effects.Crop(x: 1, y: 0, width: 10, height: 20), Effects.Crop(x: 0, y: 1, width: 10, height: 20),
        Effects.Crop(x: 0, y: 0, width: 10, height: 20, outside: .clamped),
        Effects.Crop(x: 0, y: 0, width: 10, height: 20, outside: .intersected),
        Effects.Scale(width: 10, height: 20), Effects.Scale(width: 10, height: 20.000000000000004),
        Effects.ScaleToFit(width: 10, height: 20), Effects.ScaleToFill(width: 10, height: 20),
        Effects.Cover(width: 10, height: 20), Effects.CropAndScale(width: 10, height: 20),
        Effects.CropAndScale(width: 10, height: 20, contentMode: .center),
        Effects.CropAndScale(width: 10, height: 20, padToFit: true), Effects.Rotate(degrees: 7),
        Effects.Rotate(degrees: -7), Effects.Flip(.horizontal), Effects.Flip(.vertical),
        Effects.SmartCrop(width: 10, height: 20), Effects.SmartCrop(width: 10, height: 20, strategy: .entropy),
        EffectChain(), [.flip(.vertical), .flip(.horizontal)] as EffectChain,
        [.flip(.horizontal), .flip(.vertical)] as EffectChain,
    ]

    @Test("Different effects have different identities and bytes, equal ones the same")
    func effects() {
        for (i, a) in Self.different.enumerated() {
            for (j, b) in Self.different.enumerated() {
                #expect((a.identity == b.identity) == (i == j), "\(a) and \(b)")
                #expect((a.identity.bytes == b.identity.bytes) == (i == j), "\(a) and \(b)")
                if i == j { #expect(a.identity.hashValue == b.identity.hashValue) }
            }
        }
        #expect(Effects.Scale(width: 1, height: 2) == .scale(width: 1, height: 2))
        #expect(
            Effects.Crop(x: -0.0, y: 0, width: 1, height: 1).identity.bytes
                == Effects.Crop(x: 0, y: -0.0, width: 1, height: 1).identity.bytes)
    }

    @Test("Identities with the same text have different bytes")
    func ambiguity() {
        typealias P = EffectIdentity.Parameter
        let lists: [[P]] = [
            [], [.text("")], [.text(""), .text("")], [.text("ab")], [.text("a"), .text("b")], [.text("1")],
            [.integer(1)], [.number(1)], [.flag(true)], [.flag(false)], [.integer(0)], [.number(0)],
            [.identity(EffectIdentity("a"))], [.text("a")], [.identity(EffectIdentity("a", .text("b")))],
            [.identity(EffectIdentity("a")), .text("b")], [.integer(-1)], [.number(.infinity)], [.number(.nan)],
            [.identity(EffectIdentity("a", .identity(EffectIdentity("b"))))],
            [.identity(EffectIdentity("a")), .identity(EffectIdentity("b"))],
            // The same letters to the eye, but not the same file name.
            [.text("\u{E9}")], [.text("e\u{301}")],
        ]
        let identities = lists.map { list in
            var identity = EffectIdentity("x")
            identity.parameters = list
            return identity
        }
        for (i, a) in identities.enumerated() {
            for (j, b) in identities.enumerated() {
                #expect((a == b) == (i == j), "\(a) and \(b)")
                #expect((a.bytes == b.bytes) == (i == j), "\(a) and \(b)")
            }
        }
        #expect(EffectIdentity("ab") != EffectIdentity("a", .text("b")))
        #expect(EffectIdentity("ab").bytes != EffectIdentity("a", .text("b")).bytes)
        #expect(Set(identities).count == identities.count)
    }

    @Test("Bytes are the same in every run and on every machine")
    func stable() {
        let bytes = Effects.Scale(width: 1, height: 2).identity.bytes
        let length: [UInt8] = [5, 0, 0, 0, 0, 0, 0, 0], name = Array("scale".utf8)
        let count: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0]
        let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], two: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0x40]
        #expect(bytes == length + name + count + one + two)
    }

    @Test("A chain within a chain counts as its effects")
    func chains() {
        let flips: EffectChain = [.flip(.horizontal), .flip(.vertical)]
        let nested = EffectChain([Effects.Rotate(degrees: 1), flips])
        let flat: EffectChain = [.rotate(degrees: 1), .flip(.horizontal), .flip(.vertical)]
        #expect(nested == flat)
        #expect(nested.hashValue == flat.hashValue)
        #expect(nested != flips)
    }

    @Test("Options that change results are in their identity, limits aren't")
    func options() {
        let plain = EffectOptions()
        let others = [
            EffectOptions(units: .pixels), EffectOptions(units: .pointsOf(scale: 1)),
            EffectOptions(units: .pointsOf(scale: 2)), EffectOptions(filter: .bicubic),
            EffectOptions(linearLight: true), EffectOptions(bitsPerChannel: 16),
        ]
        #expect(Set((others + [plain]).map(\.identity.bytes)).count == others.count + 1)
        #expect(EffectOptions(maximumPixelCount: 5).identity == plain.identity)
    }
}
