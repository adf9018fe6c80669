internal import Synchronization

/// An image that isn't decoded yet: its properties, and a way to get its pixels.
public protocol BitmapProvider: Sendable {
    /// The properties of a full decode, upright; known without decoding.
    var info: BitmapInfo { get }

    /// Decodes the part and scale requested by `plan`, upright, at the planned size or larger.
    ///
    /// May be called from any thread, any number of times; each call decodes again.
    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap

    /// The orientation applied to stored pixels; `.up` by default. It determines on which side a reduced image
    /// was padded (`DecodingPlan.coverage(of:decodedAs:orientation:)`).
    var decodedOrientation: Orientation { get }

    /// Bytes that it holds, for caches to count; 0 by default.
    var byteCount: Int { get }

    /// Whether it is a vector drawing, which is drawn at a plan's target size even if that is larger
    /// than `info.size`; false by default.
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

/// A provider that knows its image's origin.
package protocol OriginatedBitmapProvider: BitmapProvider {
    /// The value of `Image.origin`.
    var origin: any Sendable { get }
}

/// A provider whose image may have a gain map.
package protocol GainMapProvider: BitmapProvider {
    /// The map, upright; nil if there is none that can be used. Read at each call.
    var gainMap: GainMap? { get }
}

/// The pixels of this process's images, for programs that react to memory pressure.
public enum ImageMemory {
    private struct Holder {
        weak var pixels: (any DecodedPixelHolder)?
    }

    private static let holders = Mutex<[ObjectIdentifier: Holder]>([:])

    /// Drops the pixels of all images that can decode them again, and the buffers kept for reuse.
    ///
    /// Such images decode again when their pixels are requested. Bitmaps that are still referenced stay, as do images made
    /// from a bitmap.
    public static func removeDecodedPixels() {
        // Outside the lock: dropping pixels may release the last reference to another holder.
        let all = holders.withLock { $0.values.compactMap(\.pixels) }
        for holder in all { holder.removeDecodedPixels() }
        PixelBufferPool.shared.removeAll()
    }

    /// Registers `holder`, which has pixels to drop. Holds it weakly.
    package static func add(_ holder: any DecodedPixelHolder) {
        holders.withLock { $0[ObjectIdentifier(holder)] = Holder(pixels: holder) }
    }

    /// Unregisters `holder`. It must call this before it is deallocated.
    package static func remove(_ holder: any DecodedPixelHolder) {
        let identifier = ObjectIdentifier(holder)
        holders.withLock { _ = $0.removeValue(forKey: identifier) }
    }
}

/// An object with pixels that it can recreate.
package protocol DecodedPixelHolder: AnyObject, Sendable {
    /// Drops them. Called from any thread, at any time.
    func removeDecodedPixels()
}
