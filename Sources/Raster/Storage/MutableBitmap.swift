/// Pixels under construction: with a single owner, changed in place, then frozen into a `Bitmap`.
public struct MutableBitmap: ~Copyable {
    /// The pixels' properties.
    public let info: BitmapInfo
    private let storage: PixelStorage

    /// A bitmap whose every byte is 0.
    /// - Throws: `invalidParameter` for an empty size, `limitExceeded` or `outOfMemory` for one too large.
    public init(_ info: BitmapInfo, pool: PixelBufferPool = .shared) throws(ImageError) {
        try self.init(uninitialized: info, pool: pool)
        // The storage has this many bytes, and no other owner yet.
        storage.base.initializeMemory(as: UInt8.self, repeating: 0, count: storage.bytesPerRow * info.size.height)
    }

    /// A bitmap with uninitialised content, possibly another image's pixels: fill every row.
    /// - Throws: As `init(_:pool:)`.
    public init(uninitialized info: BitmapInfo, pool: PixelBufferPool = .shared) throws(ImageError) {
        self.info = info
        storage = try PixelStorage(info, pool: pool)
    }

    /// Bytes from one row to the next, a multiple of 64.
    public var bytesPerRow: Int { storage.bytesPerRow }

    /// All rows, to be read.
    public var rows: PixelRows {
        @_lifetime(borrow self)
        get {
            PixelRows(
                unsafe: storage.base, format: info.format, width: info.size.width, count: info.size.height,
                bytesPerRow: storage.bytesPerRow, owner: self)
        }
    }

    /// All rows, to be changed.
    public var mutableRows: MutablePixelRows {
        @_lifetime(&self)
        mutating get {
            let (storage, info) = (storage, info)
            return MutablePixelRows(
                unsafe: storage.base, format: info.format, width: info.size.width, count: info.size.height,
                bytesPerRow: storage.bytesPerRow, owner: &self)
        }
    }

    /// Lends the rows in `range` for changes. Traps if they aren't all in range.
    public mutating func withMutableRows<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutablePixelRows) throws(E) -> R
    ) throws(E) -> R {
        var all = mutableRows
        var some = all.extracting(range)
        return try body(&some)
    }

    /// Lends all rows to code that fills them from several threads, each thread different rows.
    mutating func withSharedRows<R, E: Error>(_ body: (SharedRows) throws(E) -> R) throws(E) -> R {
        try body(SharedRows(base: storage.base, bytesPerRow: storage.bytesPerRow, info: info))
    }

    /// Makes the pixels constant and shareable. Nothing is copied.
    public consuming func freeze() -> Bitmap {
        Bitmap(info: info, storage: storage)
    }

    /// The memory of a bitmap, with its pixels; nil if others have the bitmap too. Sets `bitmap` to nil.
    package init?(reclaiming bitmap: inout Bitmap?) {
        guard let info = bitmap?.info, var storage = bitmap?.storage else { return nil }
        bitmap = nil
        guard isKnownUniquelyReferenced(&storage) else { return nil }
        (self.info, self.storage) = (info, storage)
    }

    /// A copy of the current pixels, for a preview of unfinished work.
    public func snapshot() throws(ImageError) -> Bitmap {
        try Bitmap(info: info, storage: storage).mutableCopy().freeze()
    }
}

extension MutableBitmap {
    /// Copies the part of `bitmap` that lies within this one when its top left pixel is at (`x`, `y`). Both have one format;
    /// alpha is ignored.
    package mutating func draw(_ bitmap: Bitmap, x: Int, y: Int) { draw(bitmap.rows, x: x, y: y) }

    /// The same with rows.
    package mutating func draw(_ source: borrowing PixelRows, x: Int, y: Int) {
        var rows = mutableRows
        rows.draw(source, x: x, y: y)
    }
}
