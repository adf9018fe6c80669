internal import Synchronization

/// An image to show or process: pixels, or encoded bytes that are decoded on demand.
///
/// Size and alpha are known either way. A deferred image decodes at the first call that needs pixels and then keeps
/// them; `removeDecodedPixels()` drops them again. Copies share decoded pixels.
public struct Image: Sendable {
    private let content: Content
    /// Pixels per point. `size` divided by this is the size in points.
    public let scale: Double
    /// The orientation in which the stored pixels are shown; `bitmap()` applies it. Decoders deliver upright pixels, so this
    /// is `.up` unless set.
    public let orientation: Orientation

    /// An image with the given pixels. A scale of 0 stands for the display's.
    public init(_ bitmap: Bitmap, scale: Double = 1, orientation: Orientation = .up) {
        content = Content(bitmap)
        self.scale = Self.resolved(scale)
        self.orientation = orientation
    }

    /// An image that is decoded on demand. A scale of 0 stands for the display's.
    public init(deferred provider: any BitmapProvider, scale: Double = 1, orientation: Orientation = .up) {
        content = Content(provider)
        self.scale = Self.resolved(scale)
        self.orientation = orientation
    }

    /// An image with the given pixels and a known origin.
    package init(_ bitmap: Bitmap, scale: Double = 1, origin: (any Sendable)?) {
        content = Content(bitmap, origin: origin)
        self.scale = Self.resolved(scale)
        orientation = .up
    }

    private init(_ content: Content, scale: Double, orientation: Orientation) {
        self.content = content
        self.scale = scale
        self.orientation = orientation
    }

    private static func resolved(_ scale: Double) -> Double {
        scale > 0 && scale.isFinite ? scale : DisplayScale.current
    }

    /// Size, format, alpha and profile of `bitmap()`, known without decoding.
    public var info: BitmapInfo {
        var info = content.info
        info.size = size
        return info
    }
    /// Width and height in pixels, upright.
    public var size: PixelSize { orientation.applied(to: content.info.size) }
    /// Whether any pixel may be transparent.
    public var hasAlpha: Bool { content.info.alpha.hasAlpha }
    /// Whether it is a vector drawing that can be drawn at any size; `size` is only its default.
    public var isVector: Bool { content.isVector }
    /// Whether the pixels are available without decoding.
    public var isDecoded: Bool { content.decoded != nil }

    /// Bytes that it takes now, for decoded pixels and the data they are decoded from. Caches should count these.
    public var byteCount: Int { content.byteCount }

    /// The upright pixels, decoded now if necessary.
    ///
    /// If `orientation` isn't `.up`, each call turns a copy of the stored pixels.
    /// - Throws: The decoder's error, or `outOfMemory`.
    public func bitmap() throws(ImageError) -> Bitmap { try storedBitmap().oriented(by: orientation) }

    /// The upright pixels for `plan`, at its target size or larger; reuses a full decode if there is one.
    /// - Throws: `invalidParameter` for a plan that doesn't fit the image, or the decoder's error.
    public func bitmap(for plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: size)
        let stored = plan.stored(orientation, storedSize: content.info.size)
        return try content.bitmap(for: stored).oriented(by: orientation)
    }

    /// The orientation that the provider applies.
    package var decodedOrientation: Orientation { content.decodedOrientation }

    /// The pixels before `orientation` is applied, without a copy: for callers that turn them while drawing.
    /// - Throws: The decoder's error.
    public func storedBitmap() throws(ImageError) -> Bitmap { try content.bitmap() }

    /// Decodes the pixels; nil for an image made of finished ones.
    package var provider: (any BitmapProvider)? { content.provider }

    /// A number shared by this image and its copies, unique in the process.
    package var identity: Int { content.identity }

    /// The origin of the pixels, noted by a module above; nil for pixels that a program made.
    package var origin: (any Sendable)? { content.origin }

    /// Drops decoded pixels that can be recreated. `ImageMemory` does it for all images at once.
    public func removeDecodedPixels() { content.removeDecodedPixels() }
}

extension Image {
    /// The map to the image's other rendition, usually one in high dynamic range; nil if there is none that can be used.
    ///
    /// It is upright and covers the image. An image opened from a file reads the map's header at each call, and decodes
    /// its pixels when they are needed. A map that is damaged counts as none: `ImageSource.gainMap(in:header:)` has the
    /// reason.
    public var gainMap: GainMap? { content.gainMap?.oriented(by: orientation) }

    /// Whether `withGainMap(_:)` has set the map, or that there is none.
    package var hasGivenGainMap: Bool { content.hasGivenGainMap }

    /// The same image with `map`, which must be upright and cover the image, or without one. No pixels are copied.
    public func withGainMap(_ map: GainMap?) -> Image {
        Image(
            Content(content, gainMap: map?.oriented(by: orientation.inverse)), scale: scale, orientation: orientation)
    }

    /// The image turned by `next` after its own orientation. No pixels are copied.
    func turned(by next: Orientation) -> Image {
        Image(content, scale: scale, orientation: orientation.followed(by: next))
    }
}

extension Image {
    /// The pixels or their provider, shared between copies of an image.
    private final class Content: DecodedPixelHolder {
        let info: BitmapInfo
        let origin: (any Sendable)?
        let provider: (any BitmapProvider)?
        private let cached: Mutex<Bitmap?>
        /// The map that was given to the image instead of its file's; the inner nil for none.
        private let givenGainMap: GainMap??
        let identity = Content.lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue

        private static let lastIdentity = Atomic(0)

        init(_ bitmap: Bitmap, origin: (any Sendable)? = nil) {
            info = bitmap.info
            self.origin = origin
            provider = nil
            cached = Mutex(bitmap)
            givenGainMap = .none
        }

        init(_ provider: any BitmapProvider) {
            info = provider.info
            origin = (provider as? any OriginatedBitmapProvider)?.origin
            self.provider = provider
            cached = Mutex(nil)
            givenGainMap = .none
        }

        /// The same pixels with a gain map, or without one.
        init(_ other: Content, gainMap: GainMap?) {
            info = other.info
            origin = other.origin
            provider = other.provider
            let decoded = other.decoded
            cached = Mutex(decoded)
            givenGainMap = .some(gainMap)
            if decoded != nil, provider != nil { ImageMemory.add(self) }
        }

        deinit {
            if provider != nil { ImageMemory.remove(self) }
        }

        var decodedOrientation: Orientation { provider?.decodedOrientation ?? .up }

        var decoded: Bitmap? { cached.withLock { $0 } }
        var isVector: Bool { provider?.isVector ?? false }

        var byteCount: Int {
            // Providers may come from other modules: their results must be checked.
            var sum = max(0, provider?.byteCount ?? 0)
            for count in [decoded?.byteCount ?? 0, givenGainMap??.image.byteCount ?? 0] {
                let (next, overflows) = sum.addingReportingOverflow(count)
                sum = overflows ? .max : next
            }
            return sum
        }

        var hasGivenGainMap: Bool { if case .some = givenGainMap { true } else { false } }

        var gainMap: GainMap? {
            if let givenGainMap { return givenGainMap }
            return (provider as? any GainMapProvider)?.gainMap
        }

        func bitmap() throws(ImageError) -> Bitmap {
            if let decoded { return decoded }
            // The lock isn't held while decoding: two threads may decode the same image once each, but neither waits.
            let bitmap = try provider!.makeBitmap(.full)
            cached.withLock { $0 = bitmap }
            ImageMemory.add(self)
            return bitmap
        }

        func bitmap(for plan: DecodingPlan) throws(ImageError) -> Bitmap {
            if plan == .full { return try bitmap() }
            if let decoded, !isDrawnLarger(plan) {
                guard let region = plan.region else { return decoded }
                return try decoded.cropped(to: region)
            }
            return try provider!.makeBitmap(plan)
        }

        /// Whether `plan` needs more pixels of a drawing than were drawn.
        private func isDrawnLarger(_ plan: DecodingPlan) -> Bool {
            guard isVector, let target = plan.targetSize else { return false }
            let size = plan.regionSize(of: info.size)
            return target.width > size.width || target.height > size.height
        }

        func removeDecodedPixels() {
            if provider != nil { cached.withLock { $0 = nil } }
        }
    }
}

extension Image {
    /// The same image decoded and turned upright, so that showing it needs no further work.
    /// - Throws: The decoder's error, or `outOfMemory`.
    public func decompressed() throws(ImageError) -> Image {
        if isDecoded, orientation == .up { return self }
        let decoded = Image(try bitmap(), scale: scale, origin: origin)
        return gainMap.map { decoded.withGainMap($0) } ?? decoded
    }

    /// The upright pixels in a GPU's texture layout, decoded now if necessary.
    /// - Throws: The decoder's error, or `outOfMemory`.
    public func textureBuffer(_ order: TextureBuffer.Order = .rgba) throws(ImageError) -> TextureBuffer {
        try TextureBuffer(bitmap(), order: order)
    }
}

/// The display's pixels per point, used by images with a scale of 0.
public enum DisplayScale {
    private static let storage = Mutex(1.0)

    /// The scale of the process's display: that of the widget last laid out, or 1 in a program without windows. Values not
    /// above 0 are ignored.
    public static var current: Double {
        get { storage.withLock { $0 } }
        set { if newValue > 0, newValue.isFinite { storage.withLock { $0 = newValue } } }
    }
}
