package import Raster

/// Composes the frames of an animation, and caches some of the results, so that any frame takes few decodes.
///
/// All frames are cached as long as they fit the byte budget; after that every second one, then every fourth, and so
/// on. Any frame takes at most twice as many decodes as the best choice of frames within the budget.
final class AnimationCanvas {
    private typealias Ground = AnimationPixels.Ground

    /// The format and size of composed frames, in stored colours.
    let info: BitmapInfo
    private let format: ImageFormat
    /// The most bytes that cached frames may take.
    var byteBudget: Int
    private let pixels = AnimationPixels()
    /// Of the frames that change the canvas, every `interval`th is cached.
    private var interval = 1
    /// For each frame seen, the number of frames before it that change the canvas.
    private var ordinals: [Int] = []
    private var ordinalCount = 0

    /// Creates a canvas from the result of a decoder's `start`.
    /// - Parameter byteBudget: The most bytes that cached frames may take, in addition to the canvas that the next
    ///   frame is drawn on.
    init(_ info: BitmapInfo, format: ImageFormat, byteBudget: Int, limits: DecodingLimits) throws(ImageError) {
        guard !info.format.isGray, info.alpha != .premultiplied else {
            throw ImageError(.unsupported, "the \(format) codec's animations aren't rgba with straight alpha")
        }
        self.info = info
        self.format = format
        try limits.check(info.size, format: format)
        // Rows are aligned to 64 bytes; the canvas and the frame's pixels are in memory at the same time.
        let (byteCount, overflows) = info.size.height.multipliedReportingOverflow(by: (info.rowByteCount + 63) & ~63)
        try limits.checkWorkingMemory(
            overflows || byteCount > .max / 2 ? .max : 2 * byteCount, for: "the canvas of the \(format) animation")
        self.byteBudget = min(byteBudget, limits.maximumWorkingByteCount)
    }

    /// Returns a composed frame, in stored colours.
    func frame(at index: Int, from decoder: any AnimationDecoder) throws(ImageError) -> Bitmap {
        if let bitmap = pixels.contents.kept[index] { return bitmap }
        let frames = decoder.frames
        count(frames)
        var (position, ground) = ground(under: index, frames)
        while position < index {
            let frame = frames[position]
            try check(frame, position)
            switch frame.disposal {
            case .keep:
                let shown = try compose(frame, decoder.decodeFrame(at: position), on: ground)
                keep(shown, at: position, frames)
                ground = Ground(shown: shown)
            case .background:
                // The frame's region is cleared, so it needn't be decoded.
                ground = Ground(shown: try ground.cleared == nil ? ground.shown : compose(on: ground))
                if ground.shown != nil { ground.cleared = frame.region }
            case .previous: break
            }
            position += 1
        }
        let frame = frames[index]
        try check(frame, index)
        let shown = try compose(frame, decoder.decodeFrame(at: index), on: ground)
        keep(shown, at: index, frames)
        switch frame.disposal {
        case .keep: ground = Ground(shown: shown)
        case .background: ground = Ground(shown: shown, cleared: frame.region)
        case .previous: break
        }
        pixels.update { $0.next = (index + 1, ground) }
        return shown
    }

    /// Frees all cached frames, which can be decoded again.
    func removePixels() { pixels.removeDecodedPixels() }

    private func covers(_ region: PixelRect) -> Bool { region == PixelRect(info.size) }

    private func check(_ frame: AnimationFrame, _ index: Int) throws(ImageError) {
        guard frame.region.lies(within: info.size) else {
            throw ImageError(
                .corrupt, "frame \(index) of the \(format) animation lies outside its canvas of \(info.size)")
        }
    }
}

// MARK: - Where to begin

extension AnimationCanvas {
    /// Returns the last frame up to `index` whose ground is known, and that ground.
    private func ground(under index: Int, _ frames: [AnimationFrame]) -> (Int, Ground) {
        let (kept, next) = (pixels.contents.kept, pixels.contents.next)
        var position = index
        while position > 0 {
            if let next, next.index == position { return next }
            let (before, shown) = (frames[position - 1], kept[position - 1])
            switch before.disposal {
            case .previous: break
            case .background:
                if covers(before.region) { return (position, Ground()) }
                if let shown { return (position, Ground(shown: shown, cleared: before.region)) }
            case .keep:
                if let shown { return (position, Ground(shown: shown)) }
                if covers(before.region), before.blending == .source { return (position - 1, Ground()) }
            }
            position -= 1
        }
        return (0, Ground())
    }

    private func count(_ frames: [AnimationFrame]) {
        for frame in frames[ordinals.count...] {
            ordinals.append(ordinalCount)
            if frame.disposal != .previous { ordinalCount += 1 }
        }
    }

    private func keep(_ bitmap: Bitmap, at index: Int, _ frames: [AnimationFrame]) {
        // All canvases have the same size.
        let fittingCount = byteBudget / bitmap.byteCount
        guard fittingCount > 0 else {
            pixels.update { $0.kept = [:] }
            return
        }
        guard isKept(index, frames) else { return }
        pixels.update { pixels in
            pixels.kept[index] = bitmap
            while pixels.kept.count > fittingCount {
                interval *= 2
                pixels.kept = pixels.kept.filter { isKept($0.key, frames) }
            }
        }
    }

    private func isKept(_ index: Int, _ frames: [AnimationFrame]) -> Bool {
        // Composition can't start after a frame that leaves the canvas unchanged.
        interval == 1 || (frames[index].disposal != .previous && ordinals[index] % interval == 0)
    }
}

// MARK: - Drawing

extension AnimationCanvas {
    private func compose(_ frame: AnimationFrame, _ pixels: Bitmap, on ground: Ground) throws(ImageError) -> Bitmap {
        guard pixels.size == frame.region.size, pixels.format == info.format else {
            throw ImageError(
                .corrupt,
                "the \(format) codec delivered a frame of \(pixels.size) \(pixels.format) instead of "
                    + "\(frame.region.size) \(info.format)")
        }
        // An opaque canvas can have frames with alpha: most animations are an opaque image and transparent changes.
        if frame.blending == .source, covers(frame.region) {
            return pixels.withMeaning(alpha: info.alpha, profile: info.profile)
        }
        return try compose(on: ground) { rows in
            FrameCompositor.draw(
                pixels.rows, atX: frame.region.x, y: frame.region.y, blending: frame.blending, onto: &rows)
        }
    }

    private func compose(
        on ground: Ground, _ draw: (inout MutablePixelRows) -> Void = { _ in }
    ) throws(ImageError) -> Bitmap {
        var canvas = try MutableBitmap(uninitialized: info)
        var rows = canvas.mutableRows
        if let shown = ground.shown { rows.copy(shown.rows) }
        if let cleared = ground.shown == nil ? PixelRect(info.size) : ground.cleared {
            FrameCompositor.clear(cleared, of: &rows, alpha: info.alpha)
        }
        draw(&rows)
        return canvas.freeze()
    }
}

/// Draws frames on a canvas of the same format, RGBA with straight alpha or none.
package enum FrameCompositor {
    /// Draws `frame` with its first pixel at column `x` and row `y`. Traps if it isn't within the canvas.
    package static func draw(
        _ frame: borrowing PixelRows, atX x: Int, y: Int, blending: AnimationFrame.Blending,
        onto canvas: inout MutablePixelRows
    ) {
        precondition(frame.format == canvas.format && x >= 0 && frame.width <= canvas.width - x)
        precondition(y >= 0 && frame.count <= canvas.count - y)
        for index in 0..<frame.count {
            switch (blending, canvas.format) {
            case (.over, .rgba8):
                var row = canvas.row(y + index, as: RGBA8.self)
                StraightOver.draw(frame.row(index, as: RGBA8.self), over: &row, at: x)
            case (.over, .rgba16):
                var row = canvas.row(y + index, as: RGBA16.self)
                StraightOver.draw(frame.row(index, as: RGBA16.self), over: &row, at: x)
            default: return canvas.draw(frame, x: x, y: y)
            }
        }
    }

    /// Makes `region` transparent, or black on a canvas without alpha.
    package static func clear(_ region: PixelRect, of canvas: inout MutablePixelRows, alpha: AlphaMode) {
        let isOpaque = !alpha.hasAlpha
        for y in region.y..<(region.y + region.height) {
            switch canvas.format {
            case .rgba8: fill(canvas.row(y, as: RGBA8.self), region, with: RGBA8(0, 0, 0, isOpaque ? 255 : 0))
            case .rgba16: fill(canvas.row(y, as: RGBA16.self), region, with: RGBA16(0, 0, 0, isOpaque ? 65535 : 0))
            case .gray8: fill(canvas.row(y, as: Gray8.self), region, with: Gray8(0))
            case .gray16: fill(canvas.row(y, as: Gray16.self), region, with: Gray16(0))
            }
        }
    }

    private static func fill<P: Pixel>(_ row: consuming MutableSpan<P>, _ region: PixelRect, with pixel: P) {
        for x in region.x..<(region.x + region.width) { row[x] = pixel }
    }
}
