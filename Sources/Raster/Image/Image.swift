internal import Synchronization

/// A picture to be shown or worked on: pixels, or bytes that become pixels when they are asked for.
///
/// Size and alpha are known either way. A deferred picture decodes at the first call that needs pixels and then keeps
/// them; `removeDecodedPixels()` drops them again. Copies share what is decoded.
public struct Image: Sendable {
    private let content: Content
    /// Pixels per point. `size` divided by this is the size on screen.
    public let scale: Double
    /// How the pixels have to be turned to be shown. Decoders deliver upright pixels, so this is `.up` unless set.
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

    private static func resolved(_ scale: Double) -> Double {
        scale > 0 && scale.isFinite ? scale : DisplayScale.current
    }

    /// What the pixels are, before `orientation` is applied.
    public var info: BitmapInfo { content.info }
    /// Width and height in pixels as shown, `orientation` applied.
    public var size: PixelSize { orientation.applied(to: info.size) }
    /// Whether any pixel can be less than opaque.
    public var hasAlpha: Bool { info.alpha.hasAlpha }
    /// Whether the pixels are there without decoding.
    public var isDecoded: Bool { content.decoded != nil }

    /// Bytes that it takes now: of pixels that are decoded, and of what they are decoded from. What a cache should count.
    public var byteCount: Int { content.byteCount }

    /// The pixels, decoded now if they weren't yet; `orientation` not applied.
    /// - Throws: What the decoder reports.
    public func bitmap() throws(ImageError) -> Bitmap { try content.bitmap() }

    /// The pixels for `plan`, at its target size or larger; what was decoded in full already is used.
    /// - Throws: `invalidParameter` for a plan that doesn't fit the picture, or what the decoder reports.
    public func bitmap(for plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: info.size)
        return try content.bitmap(for: plan)
    }

    /// A number that this picture and its copies have, and no other picture of the process.
    package var identity: Int { content.identity }

    /// Drops decoded pixels that can be made again. `ImageMemory` does it for all pictures at once.
    public func removeDecodedPixels() { content.removeDecodedPixels() }
}

extension Image {
    /// The pixels or how to get them, shared between copies of an image.
    private final class Content: DecodedPixelHolder {
        let info: BitmapInfo
        private let provider: (any BitmapProvider)?
        private let cached: Mutex<Bitmap?>
        let identity = Content.lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue

        private static let lastIdentity = Atomic(0)

        init(_ bitmap: Bitmap) {
            info = bitmap.info
            provider = nil
            cached = Mutex(bitmap)
        }

        init(_ provider: any BitmapProvider) {
            info = provider.info
            self.provider = provider
            cached = Mutex(nil)
        }

        deinit {
            if provider != nil { ImageMemory.remove(self) }
        }

        var decoded: Bitmap? { cached.withLock { $0 } }

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
            if let decoded {
                guard let region = plan.region else { return decoded }
                return try decoded.cropped(to: region)
            }
            return try provider!.makeBitmap(plan)
        }

        func removeDecodedPixels() {
            if provider != nil { cached.withLock { $0 = nil } }
        }
    }
}
