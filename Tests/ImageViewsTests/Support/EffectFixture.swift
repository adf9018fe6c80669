import ImageEffects
import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster

/// Effect views with a queue and a cache of their own, and a scripted loader.
@MainActor struct EffectFixture {
    let loading: PipelineFixture
    let queue: EffectQueue
    let cache: ProcessedImageCache

    init(width: Int? = 4, byteLimit: Int = 1 << 24) {
        loading = PipelineFixture()
        queue = EffectQueue(width: width)
        cache = ProcessedImageCache(byteLimit: byteLimit, memoryPressure: nil)
    }

    /// A view of 8 × 8 points.
    func view(asynchronous: Bool = false) -> EffectImageView {
        let view = EffectImageView(pipeline: loading.pipeline, queue: queue, cache: cache)
        view.size = ViewSize(width: 8, height: 8)
        view.asynchronous = asynchronous
        return view
    }

    /// Returns when everything that is in line has been done and told.
    func drain() async {
        while queue.waitingCount + queue.runningCount > 0 { await Task.yield() }
    }
}

extension EffectImageView {
    /// Returns when a picture whose first pixel has this red is shown.
    func waitForPicture(_ red: Int) async {
        for await image in processedImages where image?.red == red { return }
    }

    /// The red of what is shown; nil for nothing.
    var shownRed: Int? { processedImage?.red }
}

extension Image {
    /// A picture of one grey.
    static func plain(_ value: Int, _ width: Int = 16, _ height: Int = 16) throws -> Image {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .none))
        bitmap.withMutableRows(0..<height) { (rows: inout MutablePixelRows) in
            for y in 0..<height {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<width { row[x] = RGBA8(UInt8(value), UInt8(value), UInt8(value)) }
            }
        }
        return Image(bitmap.freeze())
    }

    /// The first pixel's red.
    var red: Int? { (try? bitmap()).map { Int($0.pixel(0, 0).red) } }
}

extension Effects.Custom {
    /// Leaves pictures as they are, and writes down `identifier`.
    static func noting(_ identifier: String, in log: EventLog<String>) -> Self {
        Self(identifier: identifier) { (image) throws(ImageError) in
            log.append(identifier)
            return image
        }
    }

    /// Leaves pictures as they are, and waits until it is let go on.
    static func holding(_ identifier: String, _ hold: Hold) -> Self {
        Self(identifier: identifier) { (image) throws(ImageError) in
            hold.pass()
            return image
        }
    }
}
