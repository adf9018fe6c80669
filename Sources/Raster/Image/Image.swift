internal import Synchronization

/// A picture to be shown or worked on: pixels, or bytes that become pixels when they are asked for.
///
/// Size and alpha are known either way. A deferred picture decodes at the first call that needs pixels and then keeps
/// them; `removeDecodedPixels()` drops them again. Copies share what is decoded.
public struct Image: Sendable {
    private let content: Content
    /// Pixels per point. `size` divided by this is the size on screen.
    public let scale: Double
    /// How stored pixels are turned to be shown; `bitmap()` has done it. Decoders deliver upright pixels, so this is `.up`
    /// unless set.
    public let orientation: Orientation

    /// A picture of finished pixels. A scale of 0 stands for the display's.
    public init(_ bitmap: Bitmap, scale: Double = 1, orientation: Orientation = .up) {
        content = Content(bitmap)
        self.scale = Self.resolved(scale)
        self.orientation = orientation
    }

    /// A picture that decodes when it has to. A scale of 0 stands for the display's.
    public init(deferred provider: any BitmapProvider, scale: Double = 1, orientation: Orientation = .up) {
        content = Content(provider)
        self.scale = Self.resolved(scale)
        self.orientation = orientation
    }

    /// An image of finished pixels that knows where they come from.
    package init(_ bitmap: Bitmap, scale: Double = 1, origin: (any Sendable)?) {
        content = Content(bitmap, origin: origin)
        self.scale = Self.resolved(scale)
        orientation = .up
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
    /// Whether any pixel can be less than opaque.
    public var hasAlpha: Bool { content.info.alpha.hasAlpha }
    /// Whether it is a drawing that can still be drawn at any size, and `size` only the one it has where none is asked for.
    public var isVector: Bool { content.isVector }
    /// Whether the pixels are there without decoding.
    public var isDecoded: Bool { content.decoded != nil }

    /// Bytes that it takes now: of pixels that are decoded, and of what they are decoded from. What a cache should count.
    public var byteCount: Int { content.byteCount }

    /// The pixels, upright, decoded now if they weren't yet.
    ///
    /// Where `orientation` isn't `.up`, each call copies the stored pixels to turn them.
    /// - Throws: What the decoder reports, `outOfMemory`.
    public func bitmap() throws(ImageError) -> Bitmap { try storedBitmap().oriented(by: orientation) }

    /// The pixels for `plan`, upright, at its target size or larger; what was decoded in full already is used.
    /// - Throws: `invalidParameter` for a plan that doesn't fit the picture, or what the decoder reports.
    public func bitmap(for plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: size)
        let stored = plan.stored(orientation, storedSize: content.info.size)
        return try content.bitmap(for: stored).oriented(by: orientation)
    }

    /// How the provider turns what it decodes.
    package var decodedOrientation: Orientation { content.decodedOrientation }

    /// The pixels before `orientation` is applied, without a copy: for a caller that turns them while it draws.
    /// - Throws: What the decoder reports.
    public func storedBitmap() throws(ImageError) -> Bitmap { try content.bitmap() }

    /// What decodes the pixels; nil for an image made of finished ones.
    package var provider: (any BitmapProvider)? { content.provider }

    /// A number that this picture and its copies have, and no other picture of the process.
    package var identity: Int { content.identity }

    /// Where the pixels come from, as a floor above has noted it; nil for pixels that a program made.
    package var origin: (any Sendable)? { content.origin }

    /// Drops decoded pixels that can be made again. `ImageMemory` does it for all pictures at once.
    public func removeDecodedPixels() { content.removeDecodedPixels() }
}

extension Image {
    /// The pixels or how to get them, shared between copies of an image.
    private final class Content: DecodedPixelHolder {
        let info: BitmapInfo
        let origin: (any Sendable)?
        let provider: (any BitmapProvider)?
        private let cached: Mutex<Bitmap?>
        let identity = Content.lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue

        private static let lastIdentity = Atomic(0)

        init(_ bitmap: Bitmap, origin: (any Sendable)? = nil) {
            info = bitmap.info
            self.origin = origin
            provider = nil
            cached = Mutex(bitmap)
        }

        init(_ provider: any BitmapProvider) {
            info = provider.info
            origin = (provider as? any OriginatedBitmapProvider)?.origin
            self.provider = provider
            cached = Mutex(nil)
        }

        deinit {
            if provider != nil { ImageMemory.remove(self) }
        }

        var decodedOrientation: Orientation { provider?.decodedOrientation ?? .up }

        var decoded: Bitmap? { cached.withLock { $0 } }
        var isVector: Bool { provider?.isVector ?? false }

        var byteCount: Int {
            // Providers are anybody's: what they say can't be trusted to add up.
            let encoded = max(0, provider?.byteCount ?? 0)
            let sum = encoded.addingReportingOverflow(decoded?.byteCount ?? 0)
            return sum.overflow ? .max : sum.partialValue
        }

        func bitmap() throws(ImageError) -> Bitmap {
            if let decoded { return decoded }
            // The lock isn't held while decoding: two threads may decode the same once, neither waits for the other.
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

        /// Whether `plan` asks for more pixels of a drawing than were drawn.
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
    /// The same picture with its pixels there and turned upright, so that showing it costs nothing more.
    /// - Throws: What the decoder reports, or `outOfMemory`.
    public func decompressed() throws(ImageError) -> Image {
        if isDecoded, orientation == .up { return self }
        return Image(try bitmap(), scale: scale, origin: origin)
    }

    /// The pixels as a GPU wants them for a texture, upright, decoded now if they weren't yet.
    /// - Throws: What the decoder reports, or `outOfMemory`.
    public func textureBuffer(_ order: TextureBuffer.Order = .rgba) throws(ImageError) -> TextureBuffer {
        try TextureBuffer(bitmap(), order: order)
    }
}

/// How many pixels the display has per point: what a picture's scale of 0 stands for.
public enum DisplayScale {
    private static let storage = Mutex(1.0)

    /// The scale of the process's display: that of the widget last laid out, or 1 in a program without windows. Anything not
    /// above 0 is ignored.
    public static var current: Double {
        get { storage.withLock { $0 } }
        set { if newValue > 0, newValue.isFinite { storage.withLock { $0 = newValue } } }
    }
}
