/// Makes a ``JPEGTileIndex`` from entropy-coded data as it arrives, in pieces of any size, and optionally an eighth-size image.
///
/// ```swift
/// let layout = try JPEGTileLayout(header: header)
/// var indexer = JPEGTileIndexer(layout)
/// for chunk in download { indexer.append(chunk.bytes) }   // from layout.dataOffset on
/// indexer.finish()
/// ```
///
/// Reads the data once and keeps none of it: memory is the index, the eighth and some 100 KB. A row of MCUs is
/// indexed as soon as it and some 2 KB more have arrived.
public struct JPEGTileIndexer: Sendable {
    /// The index of the data so far.
    public private(set) var index: JPEGTileIndex

    /// The image at an eighth of its size, with all indexed rows of MCUs and possibly part of the next; nil if not requested, and for unusual
    /// sampling.
    package var eighth: JPEGEighthPicture? {
        var picture = shape
        picture?.samples = samples
        return picture
    }
    /// Whether the eighth is bit-identical to libjpeg's; false for coefficients beyond any valid file's.
    package private(set) var isEighthExact = true

    private let shape: JPEGEighthPicture?
    private var samples: [UInt8] = []
    private let tables: JPEGBlockTables
    private var data: JPEGFlatData
    /// The first bit that wasn't read, counted from the data's first without stuffed zeros and restart markers.
    private var position = 0
    /// The next MCU in the current row.
    private var column = 0
    private var predictions: InlineArray<3, Int> = .init(repeating: 0)
    private var untilRestart: Int
    private var restarts = 0

    /// An indexer for the data of the JPEG with the given layout.
    public init(_ layout: JPEGTileLayout) { self.init(layout, makesEighth: true) }

    /// An indexer that makes an eighth of the image only on request.
    package init(_ layout: JPEGTileLayout, makesEighth: Bool) {
        index = JPEGTileIndex(layout)
        shape = makesEighth ? JPEGEighthPicture(shapeOf: layout) : nil
        tables = JPEGBlockTables(layout, shape: shape)
        data = JPEGFlatData(margin: tables.margin)
        untilRestart = layout.restartInterval > 0 ? layout.restartInterval : .max
    }

    /// Whether further data is ignored: all rows are indexed, or the data is damaged.
    public var isFinished: Bool { index.isComplete || index.failure != nil }

    /// Adds the next bytes; the first is the one at the layout's ``JPEGTileLayout/dataOffset``.
    ///
    /// Damage ends the index with a ``JPEGTileIndex/failure``; entries before it stay.
    public mutating func append(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount, !isFinished {
            let end = min(offset + JPEGFlatData.pieceByteCount, bytes.byteCount)
            data.take(bytes.extracting(offset..<end), droppingBefore: position >> 3)
            offset = end
            scan()
        }
    }

    /// Marks the end of the bytes.
    public mutating func finish() {
        guard !isFinished else { return }
        data.finish(isTruncated: true)
        scan()
    }

    /// Reads all MCUs that are certainly complete.
    private mutating func scan() {
        let layout = index.layout
        while !isFinished {
            if column == 0, let shape {
                let end = (index.rowCount + 1) * shape.mcuRowByteCount
                samples.append(contentsOf: repeatElement(0, count: end - samples.count))
            }
            if untilRestart == 0 {
                guard passRestart() else { return }
            }
            if column % layout.mcusPerColumn == 0, index.entries.count == entryCount {
                guard record() else { return }
            }
            let columnEnd = min((column / layout.mcusPerColumn + 1) * layout.mcusPerColumn, layout.mcusAcross)
            let count = min(columnEnd - column, untilRestart)
            let done = Self.read(
                count, from: column, tables, data, base: index.rowCount * (shape?.mcuRowByteCount ?? 0), &position,
                &predictions, &isEighthExact, &samples)
            column += done.count
            if layout.restartInterval > 0 { untilRestart -= done.count }
            if column == layout.mcusAcross {
                guard record() else { return }
                column = 0
                index.rowCount += 1
            }
            if done.count < count {
                if let place = done.failure { fail(reaching: place) }
                return
            }
        }
    }

    /// The number of entries before the current column's.
    private var entryCount: Int { index.rowCount * index.entriesPerRow + column / index.layout.mcusPerColumn }

    /// Adds an entry for the next MCU.
    private mutating func record() -> Bool {
        guard data.pass(to: position >> 3) else {
            fail(reaching: position)
            return false
        }
        index.entries.append(
            JPEGTileIndex.Entry(
                position: UInt64(filePosition),
                predictions: (Int16(predictions[0]), Int16(predictions[1]), Int16(predictions[2]))))
        return true
    }

    /// The first bit that wasn't read, from the file's first.
    private var filePosition: Int { (index.layout.dataOffset + data.skipped) * 8 + position }

    /// Continues after the expected restart marker; false if it hasn't arrived, or something else has.
    private mutating func passRestart() -> Bool {
        let place = (position + 7) >> 3
        if !data.hasRestart, data.end == place, !data.isEnded { return false }
        guard data.passRestart(UInt8(restarts & 7), at: place) else {
            fail(reaching: position)
            return false
        }
        restarts += 1
        position = place * 8
        predictions = .init(repeating: 0)
        untilRestart = index.layout.restartInterval
        return true
    }

    /// Ends the index.
    /// - Parameter place: The bit at which reading stopped.
    private mutating func fail(reaching place: Int) {
        let row = index.rowCount
        let isTruncated =
            data.isTruncated && !data.hasRestart && place + JPEGHuffmanTable.longestCode > data.end * 8
        index.fail(
            isTruncated: isTruncated, at: isTruncated ? index.layout.dataOffset + data.byteCount : filePosition >> 3)
        index.entries.removeLast(index.entries.count - row * index.entriesPerRow)
        if let shape { samples.removeLast(samples.count - row * shape.mcuRowByteCount) }
    }
}

extension JPEGTileIndexer {
    /// Reads consecutive MCUs, as many as are certainly complete.
    ///
    /// Takes everything it writes as parameters, so that the loop looks up nothing.
    /// - Returns: The number read; and if one was invalid, the bit at which reading stopped.
    private static func read(
        _ count: Int, from column: Int, _ tables: JPEGBlockTables, _ data: JPEGFlatData, base: Int,
        _ position: inout Int, _ predictions: inout InlineArray<3, Int>, _ isExact: inout Bool,
        _ samples: inout [UInt8]
    ) -> (count: Int, failure: Int?) {
        let start = data.start * 8
        let limit = data.limit * 8 - start
        // After each MCU that is begun there is a margin: the data's, or the one after its end.
        let last = data.isEnded ? limit : (data.end - tables.margin) * 8 - start
        var reader = JPEGBlockReader(tables, data: data.span, at: position - start)
        let components = tables.components.span
        var target = samples.mutableSpan
        var failure: Int?
        var done = 0
        while done < count {
            let begin = reader.reader.position
            guard begin <= last else { break }
            var isSound = true
            for index in components.indices {
                let component = components[index]
                let place = base &+ component.offset &+ (column &+ done) &* component.across &* component.side
                isSound =
                    switch component.side {
                    case 0: reader.readPredictions(index, component, &predictions[index])
                    case 1: reader.readMeans(index, component, &predictions[index], into: &target, at: place)
                    default: reader.readQuarters(index, component, &predictions[index], into: &target, at: place)
                    }
                guard isSound else { break }
            }
            guard isSound, reader.reader.position <= limit else {
                failure = reader.reader.position + start
                break
            }
            position = reader.reader.position + start
            done += 1
        }
        isExact = isExact && reader.isExact
        return (done, failure)
    }
}
