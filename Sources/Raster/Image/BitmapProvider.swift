internal import Synchronization

/// A picture not decoded yet: what is known of it, and how to get its pixels.
public protocol BitmapProvider: Sendable {
    /// What a full decode delivers, upright: known without decoding.
    var info: BitmapInfo { get }

    /// Decodes what `plan` asks for, upright, at the planned size or larger.
    ///
    /// May be called from any thread, any number of times; each call decodes anew.
    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap

    /// How it turns stored pixels to make them upright; `.up` unless said otherwise. It tells on which side a reduced image
    /// was filled up (`DecodingPlan.coverage(of:decodedAs:orientation:)`).
    var decodedOrientation: Orientation { get }

    /// Bytes that it holds on to, for caches to count; 0 unless said otherwise.
    var byteCount: Int { get }

    /// Whether it is a drawing without pixels of its own, which is drawn at a plan's target size even where that is larger
    /// than `info.size`; false unless said otherwise.
    var isVector: Bool { get }
}

extension BitmapProvider {
    /// `.up`.
    public var decodedOrientation: Orientation { .up }

    /// 0.
    public var byteCount: Int { 0 }
    /// False.
    public var isVector: Bool { false }
}

/// A provider that knows where its image comes from.
package protocol OriginatedBitmapProvider: BitmapProvider {
    /// What `Image.origin` is.
    var origin: any Sendable { get }
}

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
