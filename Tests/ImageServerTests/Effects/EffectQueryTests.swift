import ImageEffects
import ImageFormats
import ImageServer
import Raster
import Testing

/// What queries ask for.
@Suite("Effects in queries")
struct EffectQueryTests {
    /// The items of a query without encodings.
    private static func items(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    private static func query(_ text: String) throws -> EffectQuery { try EffectQuery(items(text)) }

    private static func picture(_ name: String) throws -> EffectPicture {
        let info = BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied)
        return EffectPicture(Image(try MutableBitmap(info).freeze()), reference: name)
    }

    @Test(
        "A query becomes its effects",
        arguments: [
            ("", []),
            ("w=400&h=300", [.scaleToFit(width: 400, height: 300)]),
            ("fit=400x300", [.scaleToFit(width: 400, height: 300)]),
            ("w=400&h=300&fit=fill", [.scaleToFill(width: 400, height: 300)]),
            ("h=300&fit=cover&w=400", [.cover(width: 400, height: 300)]),
            ("w=400&h=300&fit=scale", [.scale(width: 400, height: 300)]),
            ("w=400&h=300&fit=smart-crop", [.smartCrop(width: 400, height: 300)]),
            ("w=400&h=300&fit=pad", [.cropAndScale(width: 400, height: 300, padToFit: true)]),
            ("size=40x30,center", [.cropAndScale(width: 40, height: 30, contentMode: .center)]),
            ("grayscale&circle=1", [.grayscale, .circle]), ("grayscale=0&circle=false", []),
            ("circle=true", [.circle]),
            (
                "reflect=0.5,4,0.5&shadow=1,2,3&radius=5&blur=1&w=40&h=40&crop=0,0,50,40&flatten=fff",
                [
                    .crop(x: 0, y: 0, width: 50, height: 40), .scaleToFit(width: 40, height: 40), .blur(radius: 1),
                    .cornerRadius(5), .shadow(x: 1, y: 2, blur: 3), .reflection(scale: 0.5, gap: -6, alpha: 0.5),
                    .flatten(on: RGBA8(255, 255, 255)),
                ]
            ),
            ("shadow=0,0,0&reflect=0.5,4", [.reflection(scale: 0.5, gap: 4)]),
            ("border=2,fff&radius=9", [.cornerRadius(9), .border(color: RGBA8(255, 255, 255), width: 2, radius: 9)]),
            ("sig=abc&expires=17&blur=2", [.blur(radius: 2)]),
        ] as [(String, EffectChain)])
    func asksForEffects(_ text: String, _ chain: EffectChain) throws {
        let query = try Self.query(text)
        #expect(try query.chain(pictures: [:]) == chain)
    }

    @Test("A query that is too long once it is encoded is refused", arguments: [("a", true), ("ä", false)])
    func canonicalLength(_ character: String, isTaken: Bool) throws {
        let query = try URLQuery("mask=" + String(repeating: character, count: 2000))
        let status = failureStatus { () throws(RequestFailure) in try EffectQuery(query) }
        #expect(status == (isTaken ? nil : 414))
    }

    /// What becomes of a picture of 512x384.
    @Test(
        "A query's size is computed",
        arguments: [
            ("w=256", 256, 192), ("h=96", 128, 96), ("w=1024", 1024, 768), ("w=256&dpr=2", 512, 384),
            ("w=100&h=100", 100, 75), ("w=100&h=100&fit=fill", 100, 100), ("w=100&h=100&fit=cover", 133, 100),
            ("w=100&h=100&fit=scale&dpr=1.5", 150, 150), ("w=100&h=100&fit=pad", 100, 100),
            ("crop=0,0,100,50&dpr=2", 100, 50), ("crop=0,0,100,50&w=50&dpr=2", 100, 50), ("dpr=3", 512, 384),
            ("w=10&rotate=90", 8, 10), ("circle", 384, 384),
            ("w=224&h=186&radius=10&shadow=0,2,5&reflect=0.5,10,0.25", 234, 356),
            ("w=200&h=200&radius=10&shadow=0,2,5&reflect=0.5,10,0.25", 210, 320),
            ("w=224&h=186&radius=10&shadow=0,2,5&reflect=0.5,10,0.25&dpr=2", 468, 712),
        ])
    func makesASize(_ text: String, _ width: Int, _ height: Int) throws {
        let query = try Self.query(text)
        let context = try EffectContext(options: query.options(maximumPixelCount: 1 << 24))
        let size = PixelSize(width: 512, height: 384)
        let result = try query.chain(pictures: [:]).plan(for: size, in: context).resultSize
        #expect(result == PixelSize(width: width, height: height))
    }

    @Test("A query names its images")
    func namesItsPictures() throws {
        let query = try Self.query("overlay=logo.png,1,2&mask=a/m.png&overlay=logo.png,5,6&invert-mask=b,c.png")
        #expect(query.pictures == ["logo.png", "a/m.png", "b,c.png"])
        let pictures = try ["logo.png", "a/m.png", "b,c.png"].map { ($0, try Self.picture($0 + "@7")) }
        let chain = try query.chain(pictures: Dictionary(uniqueKeysWithValues: pictures))
        let logo = try Self.picture("logo.png@7")
        #expect(
            chain
                == [
                    .overlay(logo, x: 1, y: 2), .overlay(logo, x: 5, y: 6), .mask(try Self.picture("a/m.png@7")),
                    .mask(try Self.picture("b,c.png@7"), isInverted: true),
                ])
        #expect(throws: ImageError(.invalidParameter, "there is no image \"logo.png\"")) {
            try query.chain(pictures: [:])
        }
    }

    @Test(
        "Equal queries have one canonical form",
        arguments: [
            ("w=400&h=300&q=0.80&radius=20.0", "fit=400x300&radius=20&q=0.8"),
            ("radius=20&fit=400x300&q=.8", "fit=400x300&radius=20&q=0.8"),
            ("blur=2&w=1e2&dpr=1", "blur=2&w=100"), ("w=100&blur=2.0&sig=x&expires=1", "blur=2&w=100"),
            ("grayscale=true&flip=HORIZONTAL", "flip=horizontal&grayscale"), ("circle=0", ""),
            ("format=JPEG&dpr=2", "dpr=2&format=jpg"), ("format=auto", "format=auto"),
            ("shadow=-0,4,12,000", "shadow=0,4,12"), ("tint=#FFF,normal", "tint=ffffff"),
            ("mask=é %2Fx=1", "mask=%C3%A9%20%252Fx%3D1"),
        ])
    func hasOneFormForWhatMeansTheSame(_ text: String, _ canonical: String) throws {
        #expect(try Self.query(text).canonical == canonical)
    }

    @Test("The canonical form doesn't depend on the order of the items")
    func hasOneFormWhateverTheOrder() throws {
        var items = Self.items(
            "w=40&h=30&fit=fill&blur=2&radius=4&shadow=0,1,2&grayscale&q=0.5&format=webp&dpr=2&crop=1,2,30,40")
        let canonical = try EffectQuery(items).canonical
        for _ in 0..<items.count {
            items.append(items.removeFirst())
            #expect(try EffectQuery(items).canonical == canonical)
            #expect(try EffectQuery(items.reversed()).canonical == canonical)
        }
        // It is a query that asks for the same.
        #expect(try Self.query(canonical).canonical == canonical)
        // Overlays lie one on the other, so their order counts.
        let overlays = ["overlay=a,1,1&overlay=b,1,1", "overlay=b,1,1&overlay=a,1,1"]
        #expect(try Self.query(overlays[0]).canonical != Self.query(overlays[1]).canonical)
    }

    @Test("A query sets the output's encoding")
    func saysHowToWriteTheResult() throws {
        let query = try Self.query("format=jpng&q=0.4&dpr=2")
        #expect(query.format == .format(.jpng) && query.quality == 0.4 && query.dpr == 2)
        let none = try Self.query("w=3")
        #expect(none.format == .original && none.quality == nil && none.dpr == 1)
        #expect(try Self.query("format=AUTO").format == .automatic)
    }

    /// Queries, and a part of what is said about them.
    @Test(
        "Errors in a query are reported",
        arguments: [
            ("width=4", "there is no \"width\"; there is w, h, dpr, format, q, hdr, trim, crop"),
            ("W=4", "there is no \"W\""),
            ("=4", "there is no \"\""), ("w=4&w=4", "w is there twice"),
            ("w=0", "w is a number from 1 to 65535, not 0"),
            ("w=-4", "from 1 to 65535"), ("w=nan", "from 1 to 65535"), ("w=1e30", "from 1 to 65535"),
            ("w=", "w: \"\" is no number"), ("w=400px", "w: \"400px\" is no number; write one from 1 to 65535"),
            ("fit=fill", "fit: \"fill\" makes no sense; write fit=400x300"),
            ("w=4&fit=fill", "fit=fill needs both w and h"), ("w=4&h=4&fit=contain", "there is fit, fill, cover"),
            ("w=4&h=4&fit=40x40", "there is fit, fill"), ("w=4&fill=3x3", "fill and w and h both set a size"),
            ("fit=4x4&fill=3x3", "both set a size"), ("fit=0x5", "fit: size is a width and a height from 1 to 65535"),
            ("blur=3&blur=4", "blur is there twice"), ("blur=5000", "blur: radius is a number from 0 to 100"),
            ("blur=-1", "from 0 to 100"), ("crop=1,2,3", "crop: \"1,2,3\" makes no sense; write crop=40,30,200,100"),
            ("tint=rouge", "write tint=336699,multiply"), ("grayscale=maybe", "write grayscale=1 or grayscale=0"),
            ("q=80", "q is a number from 0 to 1, not 80"), ("q=-0.1", "from 0 to 1"), ("dpr=0", "from 0.1 to 10"),
            ("dpr=100", "from 0.1 to 10"), ("format=bmp", "format: there is no \"bmp\"; there is auto, jpg"),
            ("format=", "there is auto"), ("radius=1,2", "write radius=20"), ("mask=", "write mask=mask.png"),
            ("reflect=2", "scale is a number from 0.01 to 1"), ("opacity=2", "from 0 to 1"),
            ("mask=a&mask=b&mask=c&overlay=d,1,1&overlay=e,1,1", "5 masks and overlays; 4 are allowed"),
        ])
    func saysWhatIsWrong(_ text: String, _ message: String) {
        #expect {
            try Self.query(text)
        } throws: { error in
            guard let failure = error as? RequestFailure else { return false }
            return failure.status == 400 && failure.message.contains(message)
        }
    }

    /// Queries for a picture of 512x384, and a part of what is said about the sizes.
    @Test(
        "Sizes are limited",
        arguments: [
            ("w=1560&h=100&fit=scale", "1560x100 is more than the 1500x1500 allowed; ask for a smaller size"),
            ("w=780&h=50&fit=scale&dpr=2", "1560x100 is more than"), ("w=2000", "the limit is 1500000"),
            ("h=1400", "the limit is 1500000"),
            ("w=1400&h=1400&fit=scale", "the limit is 1500000"), ("w=1100", "more than 2 times as large"),
            ("w=500&h=1000&fit=fill", "more than 2 times as large"), ("crop=0,0,100,100&w=300", "more than 2 times"),
            ("crop=0,0,9000,10", "9000x10 is more than"), ("w=1000&shadow=0,200,200", "too many pixels"),
            ("w=400&reflect=1,500", "400x1900 is more than"), ("w=1000&rotate=45", "too many pixels"),
            ("crop=600,0,10,10,intersected", "lies outside the image of"),
        ])
    func limitsTheSizes(_ text: String, _ message: String) throws {
        var limits = RenderingLimits.standard
        (limits.maximumWidth, limits.maximumHeight, limits.maximumArea) = (1500, 1500, 1_500_000)
        (limits.maximumUpscaling, limits.maximumRotatedArea) = (2, 0)
        let query = try Self.query(text)
        let size = PixelSize(width: 512, height: 384)
        let allowed = try Self.query("w=1024&radius=20").plan(for: size, pictures: [:], limits: limits)
        #expect(allowed.resultSize == PixelSize(width: 1024, height: 768))
        #expect {
            try query.plan(for: size, pictures: [:], limits: limits)
        } throws: { error in
            (error as? ImageError)?.message.contains(message) ?? false
        }
        // A picture that is larger than anything allowed has to be made smaller first.
        let large = PixelSize(width: 20000, height: 10000)
        #expect(throws: ImageError.self) { try Self.query("blur=1").plan(for: large, pictures: [:], limits: limits) }
        #expect(throws: ImageError.self) { try Self.query("circle").plan(for: large, pictures: [:], limits: limits) }
        #expect(try !Self.query("w=400&blur=1").plan(for: large, pictures: [:], limits: limits).resultSize.isEmpty)
    }

    @Test("The number of effects is limited")
    func limitsTheEffects() throws {
        var limits = EffectLimits.standard
        (limits.maximumEffectCount, limits.maximumPictureCount) = (2, 0)
        _ = try EffectQuery(Self.items("blur=1&circle"), limits: limits)
        #expect(throws: RequestFailure(400, "there are 3 effects; 2 are allowed")) {
            try EffectQuery(Self.items("blur=1&circle&w=4&h=4"), limits: limits)
        }
        #expect(throws: RequestFailure.self) { try EffectQuery(Self.items("mask=a"), limits: limits) }
    }

    @Test("Error messages quote only the beginning of an unknown item")
    func repeatsLittleOfWhatItDoesntKnow() {
        for name in [String(repeating: "a\u{202E}", count: 50_000), "a\r\nSet-Cookie: b", "\u{0}\u{7F}\u{85}"] {
            #expect {
                try EffectQuery([(name, name)])
            } throws: { error in
                guard let message = (error as? RequestFailure)?.message else { return false }
                return message.utf8.count < 600 && !message.utf8.contains { $0 < 32 || $0 == 127 }
                    && !message.unicodeScalars.contains("\u{202E}")
            }
        }
    }
}
