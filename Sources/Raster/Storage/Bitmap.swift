/// Pixels that are finished: constant, shared by reference, safe to use from any thread.
///
/// Rows run top to bottom and start at multiples of 64 bytes. Copying a bitmap copies a reference.
public struct Bitmap: Sendable {
    /// What the pixels are.
    public let info: BitmapInfo
    let storage: PixelStorage

    init(info: BitmapInfo, storage: PixelStorage) {
        self.info = info
        self.storage = storage
    }

    /// Width and height in pixels.
    public var size: PixelSize { info.size }
    /// Columns.
    public var width: Int { info.size.width }
    /// Rows.
    public var height: Int { info.size.height }
    /// What a pixel is.
    public var format: PixelFormat { info.format }
    /// What alpha means.
    public var alpha: AlphaMode { info.alpha }
    /// The colour space of the values.
    public var profile: ColorProfile { info.profile }
    /// Bytes from one row to the next, a multiple of 64.
    public var bytesPerRow: Int { storage.bytesPerRow }
    /// The bytes that the pixels take, padding included: what a cache should count.
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

    /// The same pixels with another word on what their values mean. Nothing is converted or copied.
    public func withMeaning(alpha: AlphaMode, profile: ColorProfile) -> Bitmap {
        Bitmap(
            info: BitmapInfo(size: info.size, format: info.format, alpha: alpha, profile: profile), storage: storage)
    }

    /// A copy that can be changed.
    public func mutableCopy() throws(ImageError) -> MutableBitmap {
        var copy = try MutableBitmap(uninitialized: info)
        var target = copy.mutableRows
        target.copy(rows)
        return copy
    }

    /// The pixels without padding, row after row.
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
