/// Finished pixels: constant, shared by reference, safe to use from any thread.
///
/// Rows run top to bottom and start at multiples of 64 bytes. Copying a bitmap copies a reference.
public struct Bitmap: Sendable {
    /// The pixels' properties.
    public let info: BitmapInfo
    let storage: PixelStorage

    /// Width and height in pixels.
    public var size: PixelSize { info.size }
    /// Columns.
    public var width: Int { info.size.width }
    /// Rows.
    public var height: Int { info.size.height }
    /// The memory layout of a pixel.
    public var format: PixelFormat { info.format }
    /// The alpha mode.
    public var alpha: AlphaMode { info.alpha }
    /// The colour space of the values.
    public var profile: ColorProfile { info.profile }
    /// Bytes from one row to the next, a multiple of 64.
    public var bytesPerRow: Int { storage.bytesPerRow }
    /// The bytes of all pixels, including padding: for caches to count.
    public var byteCount: Int { storage.bytesPerRow * height }

    /// All rows.
    public var rows: PixelRows {
        @_lifetime(borrow self)
        get {
            PixelRows(
                unsafe: storage.base, format: info.format, width: info.size.width, count: info.size.height,
                bytesPerRow: storage.bytesPerRow, owner: self)
        }
    }

    /// The same pixels with different properties. Nothing is converted or copied.
    public func withMeaning(alpha: AlphaMode, profile: ColorProfile) -> Bitmap {
        Bitmap(
            info: BitmapInfo(size: info.size, format: info.format, alpha: alpha, profile: profile), storage: storage)
    }

    /// A mutable copy.
    public func mutableCopy() throws(ImageError) -> MutableBitmap {
        var copy = try MutableBitmap(uninitialized: info)
        var target = copy.mutableRows
        target.copy(rows)
        return copy
    }

    /// The pixels without padding, in row order.
    public func tightBytes() -> [UInt8] {
        let rowByteCount = info.rowByteCount
        return [UInt8](unsafeUninitializedCapacity: rowByteCount * height) { target, count in
            for y in 0..<height {
                // Row y of the source and the y-th slice of the target, both rowByteCount bytes long.
                (target.baseAddress! + y * rowByteCount)
                    .update(
                        from: (storage.base + y * storage.bytesPerRow).assumingMemoryBound(to: UInt8.self),
                        count: rowByteCount)
            }
            count = rowByteCount * height
        }
    }
}

extension Bitmap {
    /// A source that delivers this bitmap's rows from the top.
    public func makeRowSource() -> any RowSource { BitmapRowSource(self) }
}

/// Delivers a finished bitmap's rows.
final class BitmapRowSource: RowSource {
    private let bitmap: Bitmap
    private var next: Int

    /// Rows of `bitmap` from row `first` on.
    init(_ bitmap: Bitmap, from first: Int = 0) {
        self.bitmap = bitmap
        next = first
    }

    var info: BitmapInfo { bitmap.info }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let (bitmap, count) = (bitmap, min(rows.count, bitmap.height - next))
        rows.copy(bitmap.rows.extracting(next..<(next + count)))
        next += count
        return count
    }
}

/// Collects pushed rows into a bitmap.
public final class BitmapSink: RowSink {
    private var bitmap: MutableBitmap?
    private let height: Int
    private var next = 0
    private var finished: Bitmap?

    /// A sink for rows with the properties `info`.
    public init(_ info: BitmapInfo) throws(ImageError) {
        bitmap = try MutableBitmap(uninitialized: info)
        height = info.size.height
    }

    /// Appends rows. Throws `invalidParameter` if there are more than the bitmap's height.
    public func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard bitmap != nil, rows.count <= height - next else {
            throw ImageError(.invalidParameter, "too many rows: the bitmap has \(height)")
        }
        var target = bitmap!.mutableRows
        target.copy(rows, at: next)
        next += rows.count
    }

    /// Freezes the bitmap. Throws `invalidParameter` if rows are missing.
    public func finish() throws(ImageError) {
        guard next == height, let done = bitmap.take() else {
            throw ImageError(.invalidParameter, "missing rows: only \(next) of \(height) were written")
        }
        finished = done.freeze()
    }

    /// The bitmap, once finished.
    public var result: Bitmap? { finished }
}

extension Bitmap {
    /// A copy of the pixels in `region`.
    /// - Throws: `invalidParameter` when `region` isn't wholly inside.
    public func cropped(to region: PixelRect) throws(ImageError) -> Bitmap {
        try DecodingPlan(region: region).validate(for: size)
        guard region.size != size else { return self }
        var info = info
        info.size = region.size
        var result = try MutableBitmap(uninitialized: info)
        result.draw(self, x: -region.x, y: -region.y)
        return result.freeze()
    }
}
