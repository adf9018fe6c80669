internal import Dispatch
package import ImageFormats
package import JPEGBitstream
package import Raster

/// Reads a JPEG's entropy-coded data on several threads, for its index and an eighth of the image.
///
/// The results equal those of a `JPEGTileIndexer`, which must be used where there is none: for one thread, damaged data,
/// small files and unusual sampling.
package struct JPEGParallelScan {
    /// Bytes of a file that one thread reads as soon.
    private static let leastByteCount = 1 << 18
    /// More threads would need more memory than they save time.
    private static let mostThreads = 16
    /// Bytes of a slice that only positions are read of.
    private static let sliceByteCount = 1 << 16

    private let layout: JPEGTileLayout
    private let script: JPEGScanScript
    private let threadCount: Int
    private let reader: Source.Reader
    /// The bytes that were read, from this byte of the scan on.
    private var bytes: [UInt8] = []
    private var start = 0
    private var isFinished = false

    /// - Parameter threadCount: The threads to read on.
    package init?(_ layout: JPEGTileLayout, _ source: Source, threadCount: Int = ImageExecutor.processorCount)
        throws(ImageError)
    {
        guard threadCount > 1, source.length - layout.dataOffset >= Self.leastByteCount else { return nil }
        let header = 0..<layout.dataOffset
        let script = try source.withBytes(in: [header]) { (file, _) -> JPEGScanScript? in
            let header = file.extracting(first: header.count)
            let structure = JPEGStructure(of: header)
            return try? JPEGScanScript(
                structure, head: header, data: header.extracting(first: 0), from: 0, scanCount: 1)
        }
        guard let script, JPEGSampleRows.canUpsample(script.layout) else { return nil }
        self.layout = layout
        self.script = script
        self.threadCount = min(threadCount, Self.mostThreads)
        reader = source.reader(from: layout.dataOffset)
    }

    /// Reads on, unless there are `count` bytes already from a byte of the scan on, before which none are needed.
    private mutating func read(_ count: Int, from place: Int) throws(ImageError) {
        guard !isFinished, bytes.count - (place - start) < count else { return }
        bytes.removeFirst(place - start)
        start = place
        while bytes.count < count, !isFinished {
            var more = bytes
            bytes = []
            isFinished = try !reader.nextBytes { piece in piece.withUnsafeBytes { more.append(contentsOf: $0) } }
            bytes = more
        }
    }

    /// The index of the whole scan.
    package mutating func index() throws(ImageError) -> JPEGTileIndex? {
        let isFlat = script.layout.components.map { _ in true }
        guard
            let scan = JPEGSlicedScan(
                script, isFlat: isFlat, sliceCount: 4 * threadCount, sliceByteCount: Self.sliceByteCount)
        else { return nil }
        scan.makeIndex(layout)
        while scan.mcuCount < scan.totalCount {
            guard !scan.isDamaged, scan.index != nil else { return nil }
            try read(scan.batchByteCount, from: scan.taken)
            guard let count = scan.prepare(bytes.span.bytes, from: start, isFinished: isFinished) else { return nil }
            DispatchQueue.concurrentPerform(iterations: count) { scan.read($0) }
            scan.join()
            scan.drop(before: scan.mcuCount)
        }
        return scan.index
    }

    /// The index of the whole scan, and the image at an eighth, in stored orientation, tagged with `profile`.
    package mutating func indexAndEighth(
        _ profile: ColorProfile
    ) throws(ImageError) -> (index: JPEGTileIndex, eighth: Bitmap)? {
        guard !layout.storesRGB, JPEGEighthPicture(shapeOf: layout) != nil,
            let rows = JPEGSlicedRows(script, side: 1, from: 0, isYCC: true, threadCount: threadCount)
        else { return nil }
        rows.makeIndex(layout)
        let size = PixelSize(width: (layout.width + 7) / 8, height: rows.height)
        let format: PixelFormat = layout.componentCount == 1 ? .gray8 : .rgba8
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: format, profile: profile))
        var y = 0
        while y < rows.height {
            let count = rows.readyCount(from: y)
            guard count > 0 else {
                guard rows.index != nil else { return nil }
                switch rows.advance(past: y, bytes.span.bytes, from: start, isFinished: isFinished) {
                case .advanced: continue
                case .needsData: try read(rows.batchByteCount, from: rows.takenByteCount)
                case .isDamaged: return nil
                }
                continue
            }
            bitmap.withMutableRows(y..<(y + count)) { target in
                let bytesPerRow = target.bytesPerRow
                target.withUnsafeBase { base in
                    // There is room for `count` rows of the image's width, `bytesPerRow` apart.
                    rows.write(0..<size.width, y, count: count, to: base, bytesPerRow: bytesPerRow)
                }
            }
            y += count
        }
        guard let index = rows.index else { return nil }
        return (index, bitmap.freeze())
    }
}
