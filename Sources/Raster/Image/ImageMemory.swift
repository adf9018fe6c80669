internal import Synchronization

/// The memory of this process's pictures, for programs that are told that memory is short.
public enum ImageMemory {
    private struct Holder {
        weak var pixels: (any DecodedPixelHolder)?
    }

    private static let holders = Mutex<[ObjectIdentifier: Holder]>([:])

    /// Drops the pixels of every picture that can decode them again, and the buffers kept for the next ones.
    ///
    /// Deferred images decode when they are asked for pixels again. A bitmap that somebody holds stays, as do images made
    /// of one.
    public static func removeDecodedPixels() {
        // Not under the lock: what a holder lets go may be the last of another one.
        let all = holders.withLock { $0.values.compactMap(\.pixels) }
        for holder in all { holder.removeDecodedPixels() }
        PixelBufferPool.shared.removeAll()
    }

    /// Says that `holder` has pixels to drop. Holds it weakly.
    package static func add(_ holder: any DecodedPixelHolder) {
        holders.withLock { $0[ObjectIdentifier(holder)] = Holder(pixels: holder) }
    }

    /// Says that `holder` has none any more: to be called before it goes.
    package static func remove(_ holder: any DecodedPixelHolder) {
        let identifier = ObjectIdentifier(holder)
        holders.withLock { _ = $0.removeValue(forKey: identifier) }
    }
}

/// Something that holds pixels and can make them again.
package protocol DecodedPixelHolder: AnyObject, Sendable {
    /// Drops them. Called from any thread, at any time.
    func removeDecodedPixels()
}
