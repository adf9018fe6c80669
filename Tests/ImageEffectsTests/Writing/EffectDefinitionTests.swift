import ImageEffects
import Raster
import Testing

/// Reading the values of written effects.
@Suite("Reading the parameters of effects")
struct EffectDefinitionTests {
    private static func read(_ name: String, _ text: String) throws -> EffectCall {
        try #require(EffectTable[name]).read(text)
    }

    private static func effect(_ written: EffectCall) throws -> any ImageEffect {
        try written.effect { (name) throws(ImageError) in
            let info = BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied)
            return EffectPicture(Image(try MutableBitmap(info).freeze()), reference: name)
        }
    }

    /// Values, their shortest form, and the identity of what they make.
    @Test(
        "A parameter's values are read from text",
        arguments: [
            ("crop", "-4,5,30,20", "-4,5,30,20", Effects.Crop(x: -4, y: 5, width: 30, height: 20)),
            ("crop", "1,2,3,4,transparent", "1,2,3,4", Effects.Crop(x: 1, y: 2, width: 3, height: 4)),
            (
                "crop", "1,2.50,3,4,CLAMPED", "1,2.5,3,4,clamped",
                Effects.Crop(x: 1, y: 2.5, width: 3, height: 4, outside: .clamped)
            ),
            ("fit", "800X600.0", "800x600", Effects.ScaleToFit(width: 800, height: 600)),
            ("size", "40x30", "40x30", Effects.CropAndScale(width: 40, height: 30)),
            (
                "size", "40x30,pad", "40x30,aspectFit,pad",
                Effects.CropAndScale(width: 40, height: 30, padToFit: true)
            ),
            (
                "size", "40x30,topleft,pad", "40x30,topLeft,pad",
                Effects.CropAndScale(width: 40, height: 30, contentMode: .topLeft, padToFit: true)
            ),
            ("smart-crop", "9x9,entropy", "9x9,entropy", Effects.SmartCrop(width: 9, height: 9, strategy: .entropy)),
            ("flip", "Vertical", "vertical", Effects.Flip(.vertical)),
            ("rotate", "-0", "0", Effects.Rotate(degrees: 0)),
            ("tint", "#369", "336699", Effects.Tint(color: RGBA8(0x33, 0x66, 0x99))),
            ("tint", "369,screen", "336699,screen", Effects.Tint(color: RGBA8(0x33, 0x66, 0x99), blendMode: .screen)),
            ("sharpen", "0.5,1", "0.5", Effects.Sharpen(radius: 1, amount: 0.5)),
            ("radius", "8", "8", Effects.CornerRadius(8)),
            (
                "radius", "1,2,3,4", "1,2,3,4",
                Effects.CornerRadius(topLeft: 1, topRight: 2, bottomLeft: 4, bottomRight: 3)
            ),
            ("border", "2,FFF", "2,ffffff", Effects.Border(color: RGBA8(255, 255, 255), width: 2)),
            ("shadow", "0,4,12", "0,4,12", Effects.Shadow(y: 4, blur: 12)),
            ("shadow", "0,4,12,#000", "0,4,12", Effects.Shadow(y: 4, blur: 12)),
            (
                "shadow", "0,4,12,threeSigma", "0,4,12,000000,threeSigma",
                Effects.Shadow(y: 4, blur: 12, border: .threeSigma)
            ),
            ("reflect", "0.5", "0.5", Effects.Reflection(scale: 0.5)),
            ("reflect", "0.5,0,0.25", "0.5,0,0.25", Effects.Reflection(scale: 0.5, alpha: 0.25)),
            ("grayscale", "", "", Effects.ColorMatrix.grayscale),
        ] as [(String, String, String, any ImageEffect)])
    func readsValues(_ name: String, _ text: String, _ shortest: String, _ effect: any ImageEffect) throws {
        let written = try Self.read(name, text)
        #expect(try Self.effect(written).identity == effect.identity)
        #expect(written.text == shortest)
        #expect(try Self.read(name, shortest).text == shortest)
    }

    @Test("Image parameters are read from text")
    func readsPictures() throws {
        let overlay = try Self.read("overlay", "logo.png,-3,4,20x10,0.5,screen")
        #expect(overlay.picture == "logo.png" && overlay.text == "logo.png,-3,4,20x10,0.5,screen")
        #expect(
            try Self.effect(overlay).identity
                == EffectIdentity(
                    "overlay", .text("logo.png"), .number(-3), .number(4), .number(20), .number(10), .number(0.5),
                    .text("screen"), .text("northwest")))
        let small = try Self.read("overlay", "logo.png,1,2,multiply")
        #expect(small.text == "logo.png,1,2,1,multiply")
        #expect(try Self.read("overlay", small.text).text == small.text)
        // A name that is all there is may have commas.
        #expect(try Self.read("mask", "a,b.png").picture == "a,b.png")
        #expect(try Self.read("blur", "1").picture == nil)
    }

    /// Values, and the end of what is said about them.
    @Test(
        "An invalid value's error shows the right form",
        arguments: [
            ("crop", "", "write 40,30,200,100 or 40,30,200,100,clamped or 0,0,200,100,center"),
            ("crop", "1,2,3", "center"),
            ("crop", "1,2,3,4,5", "center"), ("crop", "1,2,3,4,", "center"), ("crop", "1,,3,4", "center"),
            ("crop", ",1,2,3,4", "center"), ("crop", "1,2,3,4,clamped,clamped", "center"),
            ("fit", "800", "write a width and a height, as in 400x300"), ("fit", "800x", "400x300"),
            ("fit", "1x2x3", "400x300"), ("fit", "800x600,pad", "400x300"), ("blur", "far", "\"far\" is no number"),
            ("blur", "1,2", "is no number"), ("blur", "", "is no number"), ("tint", "rouge", "#336699,multiply"),
            ("tint", "##336699", "#336699,multiply"), ("tint", "#33669", "#336699,multiply"),
            ("tint", "336699,glow", "#336699,multiply"), ("radius", "1,2", "20,20,0,0"),
            ("radius", "1,2,3", "20,20,0,0"), ("radius", "1,2,3,4,5", "20,20,0,0"),
            ("color-matrix", "1,2", "20 numbers, four rows of five"), ("overlay", "a.png", "multiply,southeast"),
            ("overlay", ",1,2", "multiply,southeast"), ("mask", "", "mask.png"),
            ("grayscale", "1", "makes no sense here; write "),
            ("flip", "sideways", "horizontal or vertical"),
        ])
    func saysHowToWriteThem(_ name: String, _ text: String, _ message: String) throws {
        let definition = try #require(EffectTable[name])
        #expect {
            try definition.read(text)
        } throws: { error in
            let error = error as? ImageError
            return error?.code == .invalidParameter && error?.message.hasSuffix(message) ?? false
        }
    }

    @Test("Error messages quote only the beginning of a long text")
    func repeatsLittleOfALongText() throws {
        let text = String(repeating: "1,", count: 100_000)
        #expect {
            try Self.read("crop", text)
        } throws: {
            ($0 as? ImageError)?.message.utf8.count ?? 1000 < 200
        }
    }

    @Test(
        "A parameter knows its range",
        arguments: [
            ("blur", "100", true), ("blur", "100.5", false), ("blur", "-1", false), ("blur", "nan", false),
            ("blur", "inf", false), ("fit", "1x65535", true), ("fit", "0.5x10", false), ("fit", "10x1e9", false),
            ("reflect", "0", false), ("reflect", "0.5,-600", false), ("shadow", "0,0,201", false),
            ("tint", "ffffff", true),
        ])
    func knowsWhatLiesInItsRange(_ name: String, _ text: String, _ isInRange: Bool) throws {
        #expect(try (Self.read(name, text).parameterBeyondRange == nil) == isInRange)
    }
}
