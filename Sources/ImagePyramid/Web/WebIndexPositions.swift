internal import ImageFormats
internal import JPEGBitstream
internal import Raster

/// The part of an index that says where a JPEG's data lies, by one reading of the file.
struct WebIndexPositions {
    /// The layout of the JPEG; of a progressive one that of its tiles.
    let layout: JPEGTileLayout
    /// The header from which a browser restores the layout.
    let header: [UInt8]
    /// The indexed rows of MCUs.
    let rowCount: Int
    /// Rows of MCUs in a page.
    let rowsPerPage: Int
    /// The columns of the index, and those in a page; 0 for a JPEG of one scan, whose pages have all columns.
    let columnCount: Int
    let columnsPerPage: Int
    /// The pages, row by row.
    let pages: [[UInt8]]

    /// The width of the index's columns in pixels. A tile of the image needs two pages or three.
    private static let columnWidth = 256

    /// - Throws: `unsupported` for a JPEG whose data can't be read from the middle; `corrupt` or `truncated` for a damaged one;
    ///   `limitExceeded` for a progressive one that would take more memory than `limits` permit.
    init(of source: Source, limits: DecodingLimits) throws(ImageError) {
        switch try Self.indexer(of: source, limits: limits) {
        case .rows(let layout):
            self.init(try Self.index(of: source, layout))
        case .scans(var indexer):
            let reader = source.reader(from: indexer.layout.tile.dataOffset)
            while !indexer.isFinished, try reader.nextBytes({ piece in indexer.append(piece) }) {}
            indexer.finish()
            if let failure = indexer.failure { throw Self.error(failure) }
            self.init(indexer)
        }
    }

    private enum Indexer {
        case rows(JPEGTileLayout)
        case scans(JPEGScanTileIndexer)
    }

    private static func indexer(of source: Source, limits: DecodingLimits) throws(ImageError) -> Indexer {
        var count = 1 << 16
        while true {
            let end = min(count, source.length)
            let result = try source.withBytes(in: [0..<end]) { (file, _) -> Result<Indexer, JPEGTileObstacle> in
                let header = file.extracting(first: end)
                do throws(JPEGTileObstacle) {
                    return .success(.rows(try JPEGTileLayout(header: header, columnWidth: columnWidth)))
                } catch {
                    guard error.isOfScans else { return .failure(error) }
                }
                do throws(JPEGTileObstacle) {
                    return .success(
                        .scans(
                            try JPEGScanTileIndexer(
                                header: header, columnWidth: columnWidth,
                                maximumByteCount: limits.maximumWorkingByteCount)))
                } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let indexer): return indexer
            case .failure(.incompleteHeader) where end < source.length: count *= 4
            case .failure(.damagedHeader(let failure)): throw error(failure)
            case .failure(let obstacle):
                throw ImageError(
                    .unsupported,
                    """
                    \(obstacle.description), and parts can be read of Huffman-coded JPEGs of 8 bits with one component or three; \
                    `tessera convert` makes one
                    """)
            }
        }
    }

    private static func error(_ error: JPEGBitstreamError) -> ImageError {
        error.code == .tooLarge ? ImageError(.limitExceeded, error.message) : ImageError(error)
    }

    private static func index(of source: Source, _ layout: JPEGTileLayout) throws(ImageError) -> JPEGTileIndex {
        let index = try JPEGTileIndex(layout, source)
        if let failure = index.failure { throw ImageError(failure) }
        return index
    }

    private init(_ index: JPEGTileIndex) {
        layout = index.layout
        header = layout.header
        rowCount = index.rowCount
        let step = max(1, Self.columnWidth / layout.mcuHeight)
        rowsPerPage = step
        (columnCount, columnsPerPage) = (0, 0)
        pages = stride(from: 0, to: index.rowCount, by: step).map { index.page($0..<min($0 + step, index.rowCount)) }
    }

    private init(_ indexer: JPEGScanTileIndexer) {
        layout = indexer.layout.tile
        header = indexer.layout.header
        rowCount = layout.mcusDown
        rowsPerPage = max(1, Self.columnWidth / layout.mcuHeight)
        columnCount = layout.columnCount
        columnsPerPage = JPEGScanTileIndex.usualColumnsPerPage
        var pages: [[UInt8]] = []
        for row in stride(from: 0, to: rowCount, by: rowsPerPage) {
            for column in stride(from: 0, to: columnCount, by: columnsPerPage) {
                pages.append(
                    indexer.page(
                        rows: row..<min(row + rowsPerPage, rowCount),
                        columns: column..<min(column + columnsPerPage, columnCount)))
            }
        }
        self.pages = pages
    }
}
