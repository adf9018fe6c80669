import ImageEffects
import Raster
import Testing

@Suite("Effects on many threads at once")
struct ConcurrentEffectsTests {
    /// Pictures that decode when they are first asked for, from several threads at once perhaps.
    private struct Provider: BitmapProvider {
        let bitmap: Bitmap
        var info: BitmapInfo { bitmap.info }

        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
            guard let region = plan.region else { return bitmap }
            return try bitmap.cropped(to: region)
        }
    }

    private static func effects() throws -> [any ImageEffect] {
        var noise = Noise(7)
        let mask = EffectPicture(Image(try noise.smoothPicture(40, 30, alpha: .none)), reference: "mask")
        return [
            .crop(x: -3, y: 5, width: 90, height: 60), .scale(width: 61, height: 47),
            .scaleToFit(width: 64, height: 64),
            .scaleToFill(width: 50, height: 70), .cover(width: 50, height: 70),
            .cropAndScale(width: 60, height: 60, contentMode: .aspectFill, padToFit: true), .rotate(degrees: 7),
            .flip(.horizontal), .smartCrop(width: 40, height: 40), .blur(radius: 2), .blur(radius: 9), .sharpen(),
            .cornerRadius(12), .circle, .border(color: RGBA8(9, 8, 7), width: 3),
            .shadow(color: RGBA8(0, 0, 0, 128), x: 2, y: 3, blur: 8), .reflected(scale: 0.5),
            .reflection(scale: 0.5, gap: 3, alpha: 0.5), .opacity(0.5), .mask(mask), .maskFromAlpha,
            .flatten(on: RGBA8(200, 100, 50)), .overlay(mask, x: 4, y: 5, blendMode: .multiply),
            .tint(RGBA8(50, 100, 200, 128)), .sepia(),
            .custom("upside down") { (image) throws(ImageError) in
                Image(try image.bitmap().oriented(by: .down), scale: image.scale)
            },
        ]
    }

    @Test("Four threads get the same results of the same image as one", arguments: [8, 16])
    func sameResults(_ bits: Int) async throws {
        var noise = Noise(UInt64(bits))
        // Large enough for each effect to be split over threads of its own as well.
        let picture = try noise.smoothPicture(400, 340, bits: bits)
        let options = EffectOptions(bitsPerChannel: bits)
        let effects = try Self.effects()
        let alone = try effects.map { try Image(picture).applying($0, options: options).bitmap().tightBytes() }
        let shared = Image(deferred: Provider(bitmap: picture))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for step in effects.indices {
                        // Each worker begins elsewhere, so that different effects meet as well as the same ones.
                        let index = (step + worker * 7) % effects.count
                        let result = try shared.applying(effects[index], options: options).bitmap()
                        #expect(result.tightBytes() == alone[index], "\(effects[index].identity.name)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
