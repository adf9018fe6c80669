internal import Raster
internal import Synchronization

/// The canvases that an animation holds on to. Any task may drop them when memory is short.
final class AnimationPixels: DecodedPixelHolder {
    /// What a frame is drawn on.
    struct Ground {
        /// An earlier frame as it was shown; nil for a blank canvas.
        var shown: Bitmap?
        /// What has been disposed of since.
        var cleared: PixelRect?
    }

    struct Contents {
        /// Frames as they were shown.
        var kept: [Int: Bitmap] = [:]
        /// What the frame after the one that was composed last is drawn on.
        var next: (index: Int, ground: Ground)?
    }

    private let storage = Mutex(Contents())

    init() { ImageMemory.add(self) }

    deinit { ImageMemory.remove(self) }

    /// What is held at the moment.
    var contents: Contents { storage.withLock { $0 } }

    /// Changes what is held. `body` does no more than that.
    func update(_ body: (inout Contents) -> Void) { storage.withLock { body(&$0) } }

    func removeDecodedPixels() { storage.withLock { $0 = Contents() } }
}
