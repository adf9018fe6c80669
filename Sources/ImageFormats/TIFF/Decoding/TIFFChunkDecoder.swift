#if TIFF
internal import CTesseraTIFF
internal import Dispatch
internal import Raster
internal import Synchronization

/// Decompresses and converts strips and tiles of one image in a TIFF file. Each thread has its own, with its own handle of
/// libtiff.
final class TIFFChunkDecoder {
    /// The part of a strip or tile within the window.
    struct Piece {
        /// The strip's or tile's index in the first plane.
        let index: Int
        /// Its first row and column in the image.
        let origin: (x: Int, y: Int)
        /// The rows and columns of the image to decode.
        let rows: Range<Int>
        let columns: Range<Int>
    }

    private let file: TIFFFile
    private let picture: tessera_tiff_picture
    /// The planes that are read; a single one if the image isn't planar.
    private let planes: [Int]
    private var converter: TIFFRowConverter
    /// The converter as it was, for other threads.
    private let unusedConverter: TIFFRowConverter
    /// Decompressed bytes of a strip or tile, its planes in succession.
    private var unpacked: [UInt8]

    /// Creates a decoder for the image that `file` has open.
    init(_ file: TIFFFile, _ picture: tessera_tiff_picture, planes: [Int], converter: TIFFRowConverter) {
        self.file = file
        self.picture = picture
        self.planes = planes
        self.converter = converter
        unusedConverter = converter
        unpacked = [UInt8](repeating: 0, count: Self.byteCount(picture, planes: planes))
    }

    /// Returns the bytes of a strip or tile with its planes; `Int.max` if there are too many.
    static func byteCount(_ picture: tessera_tiff_picture, planes: [Int]) -> Int {
        let (count, overflows) = Int(clamping: picture.chunk_bytes).multipliedReportingOverflow(by: planes.max()! + 1)
        return overflows ? .max : count
    }

    /// Returns a decoder of the same image for another thread.
    func duplicate() throws(ImageError) -> TIFFChunkDecoder {
        TIFFChunkDecoder(try file.duplicate(), picture, planes: planes, converter: unusedConverter)
    }

    /// Decodes a piece into `rows`, whose first pixel is the image's at `corner`.
    func decode(
        _ piece: Piece, into rows: inout MutablePixelRows, corner: (x: Int, y: Int)
    ) throws(ImageError) {
        let (width, height) = (Int(picture.width), Int(picture.height))
        let (across, down) =
            picture.tile_width > 0
            ? (Int(picture.tile_width), Int(picture.tile_height)) : (width, Int(picture.rows_per_strip))
        let planeChunkCount = ((width + across - 1) / across) * ((height + down - 1) / down)
        let byteCount = Int(picture.chunk_bytes)
        for plane in planes {
            try file.readChunk(piece.index + plane * planeChunkCount, into: &unpacked, at: plane * byteCount)
        }
        let (rowByteCount, unpacked) = (Int(picture.row_bytes), unpacked)
        let bytes = unpacked.span.bytes
        for y in piece.rows {
            let source = TIFFRowConverter.Row(
                start: (y - piece.origin.y) * rowByteCount, byteCount: rowByteCount, planeByteCount: byteCount)
            converter.convert(
                bytes, source, from: piece.columns.lowerBound - piece.origin.x, count: piece.columns.count,
                into: &rows, y - corner.y, column: piece.columns.lowerBound - corner.x)
        }
    }
}

/// Decoders that threads take, and give back for the next piece.
///
/// Unchecked: the lock guards the list, and a decoder is used by the thread that took it.
final class TIFFChunkDecoders: @unchecked Sendable {
    /// The decoder of the calling thread.
    let first: TIFFChunkDecoder
    private let lock = Mutex(())
    private var idle: [TIFFChunkDecoder]

    init(_ first: TIFFChunkDecoder) {
        self.first = first
        idle = [first]
    }

    private func take() throws(ImageError) -> TIFFChunkDecoder {
        if let decoder = lock.withLock({ _ in idle.popLast() }) { return decoder }
        return try first.duplicate()
    }

    /// Decodes pieces on all processors into the rows at `target`.
    /// - Returns: The index of the first piece that failed; nil if none did.
    func decode(_ pieces: [TIFFChunkDecoder.Piece], into target: Target) -> Int? {
        let failed = Mutex<Int?>(nil)
        DispatchQueue.concurrentPerform(iterations: pieces.count) { index in
            do throws(ImageError) {
                let decoder = try take()
                defer { lock.withLock { _ in idle.append(decoder) } }
                // Pieces are disjoint, and so are the pixels that threads write.
                var owner: Void = ()
                var rows = MutablePixelRows(
                    unsafe: target.base, format: target.info.format, width: target.info.size.width,
                    count: target.info.size.height, bytesPerRow: target.bytesPerRow, owner: &owner)
                try decoder.decode(pieces[index], into: &rows, corner: target.corner)
            } catch {
                failed.withLock { $0 = min($0 ?? index, index) }
            }
        }
        return failed.withLock { $0 }
    }

    /// Rows that several threads fill.
    ///
    /// Unchecked: the caller has exclusive access to the rows until all threads are done.
    struct Target: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
        let bytesPerRow: Int
        let info: BitmapInfo
        /// The image's column and row of the first pixel.
        let corner: (x: Int, y: Int)
    }
}
#endif
