import ImageFormats
import ImageServer
import Testing

/// Formats by `Accept`.
@Suite("Formats by Accept")
struct ImageFormatNegotiationTests {
    private static func negotiation(
        _ accept: String?, without missing: Set<ImageFormat> = []
    ) -> ImageFormatNegotiation {
        ImageFormatNegotiation(accept: accept) { !missing.contains($0) }
    }

    /// A header, and the formats of an opaque picture, one with alpha, and an animation.
    @Test(
        "A format is chosen by Accept",
        arguments: [
            (nil, [.jpeg, .png, .gif]), ("", [.jpeg, .png, .gif]), ("*/*", [.jpeg, .png, .gif]),
            ("image/*", [.jpeg, .png, .gif]),
            // Chromium, Firefox and Safari as they are today, and an old Firefox.
            (
                "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", [.avif, .avif, .webP]
            ),
            (
                "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", [.avif, .avif, .webP]
            ),
            (
                "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,"
                    + "image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", [.avif, .avif, .webP]
            ),
            ("image/png,image/*;q=0.8,*/*;q=0.5", [.jpeg, .png, .gif]),
            ("image/webp,*/*;q=0.8", [.webP, .webP, .webP]),
            ("image/webp", [.webP, .webP, .webP]), ("image/avif", [.avif, .avif, .gif]),
            ("image/jpeg", [.jpeg, .png, .gif]), ("image/png", [.png, .png, .gif]),
            ("image/jpg;q=0.5", [.jpeg, .png, .gif]), ("text/html", [.jpeg, .png, .gif]),
            ("image/jpng", [.jpng, .jpng, .gif]), ("image/x-jpng, image/avif", [.jpng, .jpng, .gif]),
            ("image/jpng;q=0.5, image/webp;q=0.6", [.webP, .webP, .webP]),
            ("image/avif;q=0.5, image/webp;q=0.6, */*;q=0.1", [.webP, .webP, .webP]),
            ("image/avif;q=0, image/webp;q=0, */*", [.jpeg, .png, .gif]),
            ("image/webp;q=0.3, image/jpeg;q=0.9, image/png;q=0.9", [.jpeg, .png, .webP]),
            ("image/webp;q=0.5, image/*;q=0.5", [.webP, .webP, .webP]),
            ("image/webp;q=0.5, image/*;q=0.501", [.jpeg, .png, .gif]),
            ("image/jpeg;q=0, */*", [.png, .png, .gif]), ("image/png;q=0, image/webp;q=0.1", [.webP, .webP, .webP]),
            ("IMAGE/WebP;Q=0.9 , */*;q=0.1", [.webP, .webP, .webP]),
            ("image/webp ; q=0.9\t,\timage/png;q=0.1", [.webP, .webP, .webP]),
            ("image/webp;codecs=\"a,b;q=0\";q=1", [.webP, .webP, .webP]),
            ("image/webp;codecs=\"a\\\",\";q=0.2, */*;q=0.3", [.jpeg, .png, .gif]),
            // Nonsense is passed over.
            ("image/webp;q=2", [.jpeg, .png, .gif]), ("image/webp;q=-1", [.jpeg, .png, .gif]),
            ("image/webp;q=0.1234", [.jpeg, .png, .gif]), ("image/webp;q=", [.jpeg, .png, .gif]),
            ("image/webp;q=1.001", [.jpeg, .png, .gif]), ("image/webp;q=1.000", [.webP, .webP, .webP]),
            ("image/webp;q=1,5", [.webP, .webP, .webP]), ("image/webp;q=0x1", [.jpeg, .png, .gif]),
            (",,;,;;q=1,/,image/,/webp,image/webp/x,image webp,*/webp", [.jpeg, .png, .gif]),
            ("image/webp;codecs=\"", [.webP, .webP, .webP]), ("\"image/webp\"", [.jpeg, .png, .gif]),
            ("imäge/webp", [.jpeg, .png, .gif]), ("image/we\u{0}bp", [.jpeg, .png, .gif]),
        ] as [(String?, [ImageFormat])])
    func choosesAFormat(_ accept: String?, _ formats: [ImageFormat]) {
        let negotiation = Self.negotiation(accept)
        #expect(negotiation.format(hasAlpha: false, isAnimated: false) == formats[0])
        #expect(negotiation.format(hasAlpha: true, isAnimated: false) == formats[1])
        #expect(negotiation.format(hasAlpha: false, isAnimated: true) == formats[2])
        #expect(negotiation.format(hasAlpha: true, isAnimated: true) == formats[2])
    }

    @Test("Only writable formats are chosen")
    func choosesAmongWhatCanBeWritten() {
        let all = "image/jpng,image/avif,image/webp,*/*"
        for (missing, format) in [
            ([], .jpng), ([.jpng], .avif), ([.jpng, .avif], .webP), ([.jpng, .avif, .webP], .jpeg),
        ] as [(Set<ImageFormat>, ImageFormat)] {
            #expect(Self.negotiation(all, without: missing).format(hasAlpha: false, isAnimated: false) == format)
        }
        #expect(Self.negotiation(all, without: [.webP]).format(hasAlpha: false, isAnimated: true) == .gif)
    }

    @Test("Long Accept fields are cut off")
    func readsNoMoreThanBrowsersSend() {
        let long = String(repeating: "text/plain,", count: 100_000) + "image/webp"
        #expect(Self.negotiation(long).format(hasAlpha: false, isAnimated: false) == .jpeg)
        let many = String(repeating: "a/b,", count: 100) + "image/webp"
        #expect(Self.negotiation(many).format(hasAlpha: false, isAnimated: false) == .jpeg)
        let quoted = "image/webp,a/b;c=\"" + String(repeating: "\\", count: 100_000)
        #expect(Self.negotiation(quoted).format(hasAlpha: false, isAnimated: false) == .webP)
    }

    @Test(
        "An explicit format is kept",
        arguments: [
            (.original, .jpeg, false, false, .jpeg), (.original, .jpeg, true, false, .png),
            (.original, .png, false, false, .png), (.original, .webP, true, false, .webP),
            (.original, .tiff, false, false, .jpeg), (.original, .heic, false, false, .jpeg),
            (.original, .jpng, true, false, .png), (.original, .gif, false, true, .gif),
            (.original, .webP, true, true, .webP), (.original, .png, true, true, .gif),
            (.automatic, .tiff, false, false, .avif), (.automatic, .gif, false, true, .webP),
            (.format(.jpng), .jpeg, false, false, .jpng), (.format(.jpeg), .png, true, false, .jpeg),
            (.format(.png), .gif, true, true, .png),
        ] as [(OutputFormatChoice, ImageFormat, Bool, Bool, ImageFormat)])
    func keepsToTheChoice(
        _ choice: OutputFormatChoice, _ source: ImageFormat, _ hasAlpha: Bool, _ isAnimated: Bool,
        _ format: ImageFormat
    ) {
        let negotiation = Self.negotiation("image/avif,image/webp,*/*")
        #expect(
            choice.format(of: source, hasAlpha: hasAlpha, isAnimated: isAnimated, negotiation: negotiation) == format)
    }
}
