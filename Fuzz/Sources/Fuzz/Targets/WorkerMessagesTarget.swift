import ImageFormats
import Raster

extension FuzzTarget {
    /// What a worker says, who may have been taken over by a picture: it keeps to the limits, and is read again as it was.
    static let workerReply = FuzzTarget(name: "worker-reply", seedExtensions: [], seeds: { WorkerMessages.replies }) {
        input in
        for canvas in [nil, WorkerMessages.canvas] {
            guard let reply = try? Reply(input, limits: WorkerMessages.limits, canvas: canvas) else { continue }
            WorkerMessages.check(reply, canvas)
            guard let again = try? Reply(reply.message, limits: WorkerMessages.limits, canvas: canvas) else {
                preconditionFailure("a reply isn't taken a second time")
            }
            precondition(again.header == reply.header && again.frames.count == reply.frames.count)
        }
    }

    /// What a worker is asked, which comes from this side: read again as it was.
    static let workerRequest = FuzzTarget(
        name: "worker-request", seedExtensions: [], seeds: { WorkerMessages.requests.map(\.message) }
    ) { input in
        guard let request = try? Request(input) else { return }
        guard let again = try? Request(request.message) else { preconditionFailure("\(request) isn't taken again") }
        precondition(again.message == request.message)
    }
}

private enum WorkerMessages {
    static let canvas = PixelSize(width: 40, height: 30)

    static let limits: DecodingLimits = {
        var limits = DecodingLimits.standard
        (limits.maximumSideLength, limits.maximumMetadataByteCount, limits.maximumFrameCount) = (1000, 100, 10)
        return limits
    }()

    static func check(_ reply: Reply, _ canvas: PixelSize?) {
        if let header = reply.header {
            precondition(max(header.storedSize.width, header.storedSize.height) <= limits.maximumSideLength)
            precondition((header.metadata.exif?.count ?? 0) <= limits.maximumMetadataByteCount)
        }
        guard let size = reply.header?.storedSize ?? canvas else {
            precondition(reply.frames.isEmpty)
            return
        }
        for frame in reply.frames {
            precondition(frame.region.x >= 0 && frame.region.width <= size.width - frame.region.x)
            precondition(frame.region.y >= 0 && frame.region.height <= size.height - frame.region.y)
            precondition(frame.storedDuration >= 0)
        }
    }

    static let requests: [Request] = [
        .begin(
            Request.Beginning(
                isAnimation: true, format: "public.png", options: DecodingOptions(imageIndex: 3), totalByteCount: 77,
                suffix: [1, 2, 3])),
        .append(byteCount: 5), .finish, .start(DecodingPlan.full, .last), .read(rowCount: 9), .startAnimation,
        .decodeFrame(2), .frameRows(3..<8), .share(byteCount: 1 << 23), .end,
    ]

    static let replies: [[UInt8]] = {
        var reply = Reply()
        reply.header = ImageHeader(
            format: .png, storedSize: canvas, colorModel: .rgb, bitsPerChannel: 8, hasAlpha: true,
            profile: .icc([1, 2, 3]), sequence: ImageSequence(.animation, count: 2, loopCount: 0),
            metadata: ImageMetadata(orientation: .left, exif: [1], xmp: [2, 3]))
        reply.frames = [AnimationFrame(region: PixelRect(canvas), storedDuration: 0.1)]
        let info = BitmapInfo(size: canvas, format: .rgba16, alpha: .straight)
        let outcomes: [Reply.Outcome] = [
            .done, .started(info), .read(.rows(3)), .read(.restart(info)), .read(.end),
            .failed(ImageError(.truncated, "it ends", byteOffset: 12)),
        ]
        return outcomes.map { outcome in
            reply.outcome = outcome
            return reply.message
        }
    }()
}
