public import Raster

/// A picture that is made by code, the same on every machine: for demonstrations, benchmarks and tests.
public enum SamplePicture: String, CaseIterable, Sendable, Codable {
    /// Fruit with its soft shadow, cut out: a ray-marched still life.
    case fruit
    /// A peacock's feather: thousands of fine, half-transparent barbs.
    case feather
    /// A fractal flame that fades into nothing.
    case flame
    /// Mountains over a lake in the evening: a photograph's worth of detail at any size, opaque.
    case valley
    /// The benchmark's cut-out: six megapixels of the valley with a sensor's noise, in a soft ellipse.
    case cutout

    /// Its name, fit for a file.
    public var name: String { rawValue }

    /// The size that it is meant to be looked at.
    public var size: PixelSize {
        switch self {
        case .fruit: PixelSize(width: 960, height: 720)
        case .feather: PixelSize(width: 640, height: 960)
        case .flame: PixelSize(width: 720, height: 720)
        case .valley: PixelSize(width: 1440, height: 960)
        case .cutout: PixelSize(width: 3000, height: 2000)
        }
    }

    /// What its pixels are at `size`: rgba8 in sRGB, alpha straight where there is any.
    public func info(size: PixelSize) -> BitmapInfo {
        BitmapInfo(size: size, format: .rgba8, alpha: self == .valley ? .none : .straight)
    }

    /// What its pixels are at the size meant.
    public var info: BitmapInfo { info(size: size) }

    /// The picture's rows at `size`, by default the one meant.
    ///
    /// Fruit, valley and cut-out are made row by row as they are read, so any size streams; feather and flame are made
    /// whole here.
    /// - Throws: `invalidParameter` for an empty size, `limitExceeded` or `outOfMemory` for one too large to hold.
    public func makeRowSource(size: PixelSize? = nil) throws(ImageError) -> any RowSource {
        let info = info(size: size ?? self.size)
        guard !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a sample picture of \(info.size) has no pixels")
        }
        return switch self {
        case .fruit: PaintedRows(info, painter: StillLife(size: info.size))
        case .feather: try Feather.makeBitmap(info).makeRowSource()
        case .flame: try Flame.makeBitmap(info).makeRowSource()
        case .valley: PaintedRows(info, painter: Valley(size: info.size))
        case .cutout: PaintedRows(info, painter: Cutout(size: info.size))
        }
    }

    /// The picture at `size`, by default the one meant.
    /// - Throws: As `makeRowSource(size:)`.
    public func makeBitmap(size: PixelSize? = nil) throws(ImageError) -> Bitmap {
        try makeRowSource(size: size).makeBitmap()
    }
}
