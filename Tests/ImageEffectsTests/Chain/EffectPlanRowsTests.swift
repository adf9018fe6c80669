import ImageEffects
import Raster
import Testing

/// A plan applied to rows as they come does what it does to the whole picture.
@Suite("Plans of chains, applied to rows")
struct EffectPlanRowsTests {
    private static let chains: [EffectChain] = [
        [], [.flip(.horizontal)], [.crop(x: 3, y: 2, width: 9, height: 7)],
        [.scaleToFit(width: 11, height: 11), .opacity(0.5)], [.scaleToFill(width: 8, height: 8)],
        [.scale(width: 60, height: 50)], [.crop(x: 5, y: 4, width: 20, height: 16), .scale(width: 7, height: 7)],
        [.cropAndScale(width: 20, height: 20, contentMode: .aspectFit, padToFit: true), .flip(.vertical)],
        [.cropAndScale(width: 20, height: 20, contentMode: .center, padToFit: true)],
        [.crop(x: 90, y: 90, width: 4, height: 4)],
    ]

    @Test(
        "Running a plan over rows gives the same pixels as over the whole image", arguments: chains.indices,
        [AlphaMode.none, .straight, .premultiplied])
    func givesWhatTheWholePictureGives(_ index: Int, _ alpha: AlphaMode) throws {
        let info = BitmapInfo(size: PixelSize(width: 37, height: 29), format: .rgba8, alpha: alpha)
        let picture = try Bitmap(info) { x, y in
            let a = alpha == .none ? 255 : (x * 31 + y * 57) % 256
            let colors = [x * 7, y * 8, (x * y) % 256]
            return colors.map { alpha == .straight ? $0 : $0 * a / 255 } + [a]
        }
        for options in [
            EffectOptions(), EffectOptions(filter: .bicubic, linearLight: true), EffectOptions(bitsPerChannel: 16),
        ] {
            let plan = try Self.chains[index].plan(for: info.size, in: EffectContext(options: options))
            let region = try plan.decoding.region.map { try picture.cropped(to: $0) } ?? picture
            let (whole, rows) = (try plan.apply(to: region), try plan.apply(to: region.makeRowSource()))
            #expect(whole.info == rows.info && whole.size == plan.resultSize)
            #expect(whole.tightBytes() == rows.tightBytes())
        }
    }

    @Test("A source with fewer pixels than planned is refused")
    func refusesFewerPixelsThanWerePlanned() throws {
        let chain: EffectChain = [.scale(width: 8, height: 8)]
        let plan = try chain.plan(for: PixelSize(width: 20, height: 20), in: EffectContext())
        let small = try MutableBitmap(BitmapInfo(size: PixelSize(width: 7, height: 8), format: .rgba8)).freeze()
        #expect(throws: ImageError.self) { try plan.apply(to: small.makeRowSource()) }
    }
}
