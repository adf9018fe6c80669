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
    /// The error that ended reading.
    private var failure: ImageError?

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
        self.threadCount = min(threadCount, ProcessorShare.maximumThreadCount)
        reader = source.reader(from: layout.dataOffset)
    }

    /// Reads on, unless there are `count` bytes already from a byte of the scan on, before which none are needed; false
    /// after an error.
    private mutating func read(_ count: Int, from place: Int) -> Bool {
        guard !isFinished, bytes.count - (place - start) < count else { return true }
        bytes.removeFirst(place - start)
        start = place
        do throws(ImageError) {
            while bytes.count < count, !isFinished {
                var more = bytes
                bytes = []
                isFinished = try !reader.nextBytes { piece in piece.withUnsafeBytes { more.append(contentsOf: $0) } }
                bytes = more
            }
        } catch {
            failure = error
        }
        return failure == nil
    }

    /// The index of the whole scan.
    package mutating func index() throws(ImageError) -> JPEGTileIndex? {
        let neededCounts = script.layout.components.map { _ in 1 }
        guard
            let scan = JPEGSlicedScan(
                script, neededCounts: neededCounts, sliceCount: 4 * threadCount, sliceByteCount: Self.sliceByteCount)
        else { return nil }
        scan.makeIndex(layout)
        var isBegun = false
        Rounds.perform(threadCount: threadCount) {
            if isBegun {
                scan.join()
                scan.drop(before: scan.mcuCount)
            }
            isBegun = true
            guard scan.mcuCount < scan.totalCount, !scan.isDamaged, scan.index != nil else { return nil }
            guard read(scan.batchByteCount, from: scan.taken) else { return nil }
            return scan.prepare(bytes.span.bytes, from: start, isFinished: isFinished)
        } _: {
            scan.read($0)
        }
        if let failure { throw failure }
        guard scan.mcuCount == scan.totalCount else { return nil }
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
        let count = bitmap.withMutableRows(0..<rows.height) { target in
            let bytesPerRow = target.bytesPerRow
            return target.withUnsafeBase { base in
                // There is room for all rows of the image's width, `bytesPerRow` apart.
                let output = JPEGSlicedRows.Output(
                    0..<size.width, 0..<rows.height, to: base, bytesPerRow: bytesPerRow)
                return rows.write(output) { body in
                    guard read(rows.batchByteCount, from: rows.takenByteCount) else { return nil }
                    return body(bytes.span.bytes, start, isFinished)
                }.count
            }
        }
        if let failure { throw failure }
        guard count == rows.height else { return nil }
        guard let index = rows.index else { return nil }
        return (index, bitmap.freeze())
    }
}
