#if TIFF
internal import CTesseraTIFF
internal import Raster

/// Writes one page of a TIFF file from rows, one strip or row of tiles at a time.
final class TIFFPageWriter {
    private let file: TIFFFileWriter
    private let info: BitmapInfo
    private let sampleCount: Int
    /// The size of a tile; a strip is a tile as wide as the image.
    private let tile: PixelSize
    private let isTiled: Bool
    private var rowsDone = 0
    /// The rows of a strip or row of tiles, one tile after another, before compression.
    private var packed: [UInt8]

    /// The page's description, and strips or tiles that wait to be compressed together; JPEG's are compressed one by one,
    /// since they share tables.
    private let page: tessera_tiff_page
    private let compressesTogether: Bool
    private var waiting: [TIFFChunk] = []

    /// The approximate size of a strip's pixels in bytes.
    private static let stripByteCount = 1 << 17

    /// - Parameter page: The page's index and the number of pages; nil in a file of one image.
    /// - Throws: `invalidParameter` for unsupported pixels or tile sizes, `limitExceeded` for an image that is too
    ///   large.
    init(
        _ file: TIFFFileWriter, _ info: BitmapInfo, options: EncodingOptions, page: (index: Int, count: Int)?
    ) throws(ImageError) {
        try options.validate()
        let isJPEG = options.tiff.compression == .jpeg
        guard !info.size.isEmpty, max(info.size.width, info.size.height) <= Int32.max else {
            throw ImageError(
                .limitExceeded, "invalid size \(info.size) of a TIFF image: sides are 1 to \(Int32.max) pixels")
        }
        guard info.alpha != .premultiplied, !isJPEG || info.alpha == .none && info.format.bitsPerChannel == 8 else {
            throw ImageError(
                .invalidParameter, "a TIFF image takes straight alpha, and with JPEG 8 bits without any")
        }
        self.file = file
        self.info = info
        sampleCount = info.format.isGray ? 1 : info.alpha.hasAlpha ? 4 : 3
        let pixelByteCount = sampleCount * info.format.bitsPerChannel / 8
        if let size = options.tiff.tileSize {
            tile = size
            isTiled = true
        } else {
            let rows = max(1, Self.stripByteCount / (info.size.width * pixelByteCount))
            // A JPEG strip ends with a whole block; with subsampled chroma, blocks have 16 rows.
            tile = PixelSize(
                width: info.size.width, height: min(info.size.height, isJPEG ? (rows + 15) / 16 * 16 : rows))
            isTiled = false
        }
        let across = (info.size.width + tile.width - 1) / tile.width
        packed = [UInt8](repeating: 0, count: across * tile.width * tile.height * pixelByteCount)
        let description = Self.description(info, sampleCount, tile, isTiled: isTiled, options, page)
        self.page = description
        compressesTogether = options.tiff.compression == .lzw || options.tiff.compression == .deflate
        try file.beginPage(description)
        try writeMetadata(options.metadata)
    }

    /// Writes the next rows, no more than remain.
    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        precondition(
            rows.width == info.size.width && rows.format == info.format && rows.count <= info.size.height - rowsDone)
        for y in 0..<rows.count {
            let row = rowsDone % tile.height
            for first in stride(from: 0, to: info.size.width, by: tile.width) {
                Self.pack(
                    rows, y, first..<min(first + tile.width, info.size.width), sampleCount: sampleCount, into: &packed,
                    at: (first * tile.height + row * tile.width) * pixelByteCount)
                fillRow(of: first, row, from: min(tile.width, info.size.width - first))
            }
            rowsDone += 1
            if rowsDone % tile.height == 0 || rowsDone == info.size.height { try writeChunks() }
        }
    }

    /// Ends the page after its last row.
    func finish() throws(ImageError) {
        try writeWaiting()
        try file.endPage()
    }

    private var pixelByteCount: Int { sampleCount * info.format.bitsPerChannel / 8 }

    /// Writes the strip or tiles filled by the rows so far.
    private func writeChunks() throws(ImageError) {
        let index = (rowsDone - 1) / tile.height
        guard isTiled else {
            let rowCount = (rowsDone - 1) % tile.height + 1
            return try writeChunk(index, 0, rowCount: rowCount)
        }
        let across = (info.size.width + tile.width - 1) / tile.width
        let byteCount = tile.width * tile.height * pixelByteCount
        for column in 0..<across {
            fillRows(of: column * tile.width, from: (rowsDone - 1) % tile.height + 1)
            try writeChunk(index * across + column, column * byteCount, rowCount: tile.height)
        }
    }

    /// Writes a strip or tile that begins at byte `start` of `packed`, or keeps it for later.
    private func writeChunk(_ index: Int, _ start: Int, rowCount: Int) throws(ImageError) {
        var bytes = Array(packed[start..<(start + rowCount * tile.width * pixelByteCount)])
        guard compressesTogether else { return try file.writeChunk(index, &bytes, count: bytes.count) }
        waiting.append(TIFFChunk(index: index, rowCount: rowCount, bytes: bytes))
        // Enough that no processor waits long for the last.
        if waiting.count >= 4 * ImageExecutor.processorCount { try writeWaiting() }
    }

    private func writeWaiting() throws(ImageError) {
        guard !waiting.isEmpty else { return }
        let chunks = waiting
        waiting = []
        try Interruption.check()
        try file.writeChunks(chunks, of: page)
    }

    /// Repeats the last pixel of a row up to the edge of the tile that begins at column `first`: in JPEG, padding
    /// affects the pixels next to it.
    private func fillRow(of first: Int, _ row: Int, from count: Int) {
        let start = (first * tile.height + row * tile.width) * pixelByteCount
        for place in (start + count * pixelByteCount)..<(start + tile.width * pixelByteCount) {
            packed[place] = packed[place - pixelByteCount]
        }
    }

    /// Repeats the last row of a tile down to its edge.
    private func fillRows(of first: Int, from count: Int) {
        let start = first * tile.height * pixelByteCount
        let rowByteCount = tile.width * pixelByteCount
        for place in (start + count * rowByteCount)..<(start + tile.height * rowByteCount) {
            packed[place] = packed[place - rowByteCount]
        }
    }

    /// Stores the samples of `columns` of a row from byte `start` of `packed`.
    private static func pack(
        _ rows: borrowing PixelRows, _ y: Int, _ columns: Range<Int>, sampleCount: Int, into packed: inout [UInt8],
        at start: Int
    ) {
        var target = packed.mutableSpan
        var place = start
        switch rows.format {
        case .gray8:
            let row = rows.row(y, as: Gray8.self)
            for x in columns {
                target[place] = row[x].value
                place += 1
            }
        case .rgba8:
            let row = rows.row(y, as: RGBA8.self)
            for x in columns {
                let pixel = row[x]
                target[place] = pixel.red
                target[place + 1] = pixel.green
                target[place + 2] = pixel.blue
                if sampleCount == 4 { target[place + 3] = pixel.alpha }
                place += sampleCount
            }
        case .gray16:
            let row = rows.row(y, as: Gray16.self)
            for x in columns { place = store(row[x].value, &target, at: place) }
        case .rgba16:
            let row = rows.row(y, as: RGBA16.self)
            for x in columns {
                let pixel = row[x]
                place = store(pixel.red, &target, at: place)
                place = store(pixel.green, &target, at: place)
                place = store(pixel.blue, &target, at: place)
                if sampleCount == 4 { place = store(pixel.alpha, &target, at: place) }
            }
        }
    }

    /// Stores a number in native byte order, which the file uses, and returns the place after it.
    private static func store(_ value: UInt16, _ target: inout MutableSpan<UInt8>, at place: Int) -> Int {
        #if _endian(little)
        target[place] = UInt8(truncatingIfNeeded: value)
        target[place + 1] = UInt8(truncatingIfNeeded: value >> 8)
        #else
        target[place] = UInt8(truncatingIfNeeded: value >> 8)
        target[place + 1] = UInt8(truncatingIfNeeded: value)
        #endif
        return place + 2
    }

    private static func description(
        _ info: BitmapInfo, _ sampleCount: Int, _ tile: PixelSize, isTiled: Bool, _ options: EncodingOptions,
        _ page: (index: Int, count: Int)?
    ) -> tessera_tiff_page {
        var description = tessera_tiff_page()
        description.width = UInt32(info.size.width)
        description.height = UInt32(info.size.height)
        if isTiled {
            description.tile_width = UInt32(tile.width)
            description.tile_height = UInt32(tile.height)
        }
        description.rows_per_strip = UInt32(tile.height)
        description.bits = UInt16(info.format.bitsPerChannel)
        description.samples = UInt16(sampleCount)
        let compression =
            switch options.tiff.compression {
            case .none: TESSERA_TIFF_COMPRESSION_NONE
            case .lzw: TESSERA_TIFF_COMPRESSION_LZW
            case .deflate: TESSERA_TIFF_COMPRESSION_DEFLATE
            case .jpeg: TESSERA_TIFF_COMPRESSION_JPEG
            }
        description.compression = UInt16(compression)
        description.quality = UInt16(max(1, (options.quality * 100).rounded()))
        let factors = options.jpeg.subsampling.factors
        description.horizontal_subsampling = UInt16(factors.0)
        description.vertical_subsampling = UInt16(factors.1)
        description.orientation = UInt16(options.metadata.orientation.rawValue)
        if let page {
            description.page = UInt16(page.index)
            description.pages = UInt16(page.count)
        }
        if let resolution = options.metadata.resolution {
            description.horizontal_resolution = Float(resolution.horizontal)
            description.vertical_resolution = Float(resolution.vertical)
        }
        return description
    }

    private func writeMetadata(_ metadata: ImageMetadata) throws(ImageError) {
        if case .icc(let profile) = info.profile, !profile.isEmpty { try file.set(TIFFTag.iccProfile, profile) }
        if let xmp = metadata.xmp, !xmp.isEmpty { try file.set(TIFFTag.xmp, xmp) }
        if let exif = metadata.exif { try file.writeEXIF(exif) }
    }
}
#endif
