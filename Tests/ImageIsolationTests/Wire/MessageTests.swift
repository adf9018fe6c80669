import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// What is said between a worker and who asks it.
@Suite("Messages")
struct MessageTests {
    private static let requests: [Request] = [
        .begin(
            Request.Beginning(
                isAnimation: true, format: "public.png",
                options: DecodingOptions(
                    color: .asStored, maximumBitsPerChannel: 16, appliesOrientation: false, readsXMPOrientation: true,
                    imageIndex: 3, jpng: DecodingOptions.JPNG(snapsAlpha: true)),
                totalByteCount: 77, suffix: [1, 2, 3])),
        .append(byteCount: 5), .finish, .start(DecodingPlan.full, .last),
        .start(
            DecodingPlan(
                region: PixelRect(x: 1, y: 2, width: 3, height: 4), targetSize: PixelSize(width: 5, height: 6)), .every),
        .start(planWithGap, .last), .read(rowCount: 9), .startAnimation, .decodeFrame(2), .frameRows(3..<8),
        .share(byteCount: 1 << 23), .end,
        .processors(3),
    ]

    private static var planWithGap: DecodingPlan {
        var plan = DecodingPlan(targetSize: PixelSize(width: 5, height: 6))
        plan.reducingGap = 1.4
        return plan
    }

    @Test("Requests are read back as they were written", arguments: requests)
    func writtenAndRead(request: Request) throws {
        #expect(try Request(request.message) == request)
        for count in 0..<request.message.count {
            #expect(errorCode { try Request(Array(request.message.prefix(count))) } == .workerFailed)
        }
    }

    private static let canvas = PixelSize(width: 40, height: 30)

    private static func replies() -> [Reply] {
        var full = Reply()
        full.header = ImageHeader(
            format: .png, storedSize: canvas, colorModel: .indexed, bitsPerChannel: 4, hasAlpha: true,
            profile: .icc([1, 2, 3]), isProgressive: true, sequence: ImageSequence(.animation, count: 2, loopCount: 0),
            metadata: ImageMetadata(
                orientation: .left, exif: [1], xmp: [2, 3],
                resolution: ImageMetadata.Resolution(horizontal: 72, vertical: 36),
                hotSpot: ImageMetadata.Point(x: 3, y: 4), extendedXMP: []))
        full.prefersWholeInput = true
        full.frames = [
            AnimationFrame(region: PixelRect(canvas), storedDuration: 0.1),
            AnimationFrame(
                region: PixelRect(x: 39, y: 29, width: 1, height: 1), blending: .over, disposal: .previous,
                storedDuration: 0),
        ]
        let info = BitmapInfo(
            size: canvas, format: .rgba16, alpha: .straight,
            profile: .calibrated(
                gamma: 0.5,
                ColorProfile.Chromaticities(
                    white: .init(x: 0.31, y: 0.33), red: .init(x: 0.6, y: 0.3), green: .init(x: 0.2, y: 0.7),
                    blue: .init(x: 0.1, y: 0.1))))
        let outcomes: [Reply.Outcome] = [
            .done, .started(info), .read(.rows(3)), .read(.needMoreData), .read(.passComplete(count: 2)),
            .read(.restart(info)), .read(.end), .failed(ImageError(.truncated, "it ends", byteOffset: 12)),
        ]
        return outcomes.map { outcome in
            var reply = full
            reply.outcome = outcome
            return reply
        }
    }

    @Test("Replies are read back as they were written")
    func repliesWrittenAndRead() throws {
        for reply in Self.replies() {
            let read = try Reply(reply.message, limits: .standard, canvas: nil)
            #expect(read.header == reply.header && read.frames == reply.frames && read.prefersWholeInput)
            #expect("\(read.outcome)" == "\(reply.outcome)")
        }
    }

    @Test("Changed replies are refused or stay within the limits")
    func changed() {
        var random = SeededGenerator(7)
        var limits = DecodingLimits.standard
        (limits.maximumSideLength, limits.maximumMetadataByteCount) = (1000, 100)
        for reply in Self.replies() {
            let message = reply.message
            for _ in 0..<3000 {
                var changed = message
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: 0..<changed.count, using: &random)
                    changed[index] = Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
                }
                guard let read = try? Reply(changed, limits: limits, canvas: Self.canvas) else { continue }
                let size = read.header?.storedSize ?? Self.canvas
                #expect(max(size.width, size.height) <= 1000)
                #expect((read.header?.metadata.exif?.count ?? 0) <= 100)
                #expect(read.frames.allSatisfy { $0.region.lies(within: size) && $0.storedDuration >= 0 })
            }
        }
    }

    @Test("Error messages are printable")
    func errors() throws {
        var reply = Reply()
        reply.outcome = .failed(ImageError(.corrupt, "a\u{1B}[31m\nb\u{9B}c\u{7F}"))
        let read = try Reply(reply.message, limits: .standard, canvas: nil)
        guard case .failed(let error) = read.outcome else {
            Issue.record("\(read.outcome)")
            return
        }
        #expect(error.message == "a[31mbc")
    }
}
