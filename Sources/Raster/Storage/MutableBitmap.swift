/// Pixels being made: owned by one, changed in place, then frozen into a `Bitmap`.
public struct MutableBitmap: ~Copyable {
    /// What the pixels are.
    public let info: BitmapInfo
    private let storage: PixelStorage

    /// A bitmap whose every byte is 0.
    /// - Throws: `invalidParameter` for an empty size, `limitExceeded` or `outOfMemory` for one too large.
    public init(_ info: BitmapInfo, pool: PixelBufferPool = .shared) throws(ImageError) {
        try self.init(uninitialized: info, pool: pool)
        // The storage has this many bytes, and nobody else has it yet.
        storage.base.initializeMemory(as: UInt8.self, repeating: 0, count: storage.bytesPerRow * info.size.height)
    }

    /// A bitmap that holds whatever its memory held before: another picture's pixels perhaps, so fill every row.
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

    /// Lends the rows in `range`, to be changed. Traps when they aren't all here.
    public mutating func withMutableRows<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutablePixelRows) throws(E) -> R
    ) throws(E) -> R {
        var all = mutableRows
        var some = all.extracting(range)
        return try body(&some)
    }

    /// Lends all rows to code that fills them from several threads, each its own.
    mutating func withSharedRows<R, E: Error>(_ body: (SharedRows) throws(E) -> R) throws(E) -> R {
        try body(SharedRows(base: storage.base, bytesPerRow: storage.bytesPerRow, info: info))
    }

    /// Ends the making: from here on the pixels are constant and can be shared. Nothing is copied.
    public consuming func freeze() -> Bitmap {
        Bitmap(info: info, storage: storage)
    }

    /// A copy of the pixels as they are now, for a preview while the making goes on.
    public func snapshot() throws(ImageError) -> Bitmap {
        try Bitmap(info: info, storage: storage).mutableCopy().freeze()
    }
}

extension MutableBitmap {
    /// Copies what of `bitmap`, laid with its top left pixel on (`x`, `y`), lies within this one. Both are of one format;
    /// alpha isn't looked at.
    package mutating func draw(_ bitmap: Bitmap, x: Int, y: Int) { draw(bitmap.rows, x: x, y: y) }

    /// The same with rows.
    package mutating func draw(_ source: borrowing PixelRows, x: Int, y: Int) {
        var rows = mutableRows
        rows.draw(source, x: x, y: y)
    }
}
