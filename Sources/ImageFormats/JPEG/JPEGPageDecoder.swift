internal import Raster

/// Decodes a further image of a multi-picture file: reads the file's head to find the image, skips the bytes before it,
/// and passes its bytes to another decoder.
final class JPEGPageDecoder: IncrementalDecoder {
    private let index: Int
    private let options: DecodingOptions
    /// Reads the head until the index of images is found.
    private let first: JPEGDecoder
    private let page: JPEGDecoder
    /// The bytes before the index, and those that arrived with it.
    private var head: [UInt8] = []
    private var range: Range<Int>?
    private var position = 0
    private var isFinished = false

    init(_ index: Int, options: DecodingOptions) throws(ImageError) {
        self.index = index
        self.options = options
        first = try JPEGDecoder(options: options)
        page = try JPEGDecoder(options: options)
    }

    var header: ImageHeader? {
        guard var header = page.header else { return nil }
        header.sequence = first.header?.sequence
        return header
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard !isFinished else { return }
        if range != nil { return try take(bytes) }
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { head.append(contentsOf: $0) }
        try options.limits.checkHeld(head.count, format: .jpeg)
        try first.append(bytes)
        try findPage()
    }

    private func findPage() throws(ImageError) {
        guard range == nil, first.header != nil else { return }
        let ranges = first.pictures?.ranges ?? []
        guard ranges.indices.contains(index) else {
            throw ImageError(
                .invalidParameter, "the JPEG has \(max(1, ranges.count)) images and none with index \(index)")
        }
        range = ranges[index]
        let bytes = head
        head = []
        try take(bytes.span.bytes)
    }

    /// Passes on the bytes that belong to the image.
    private func take(_ bytes: RawSpan) throws(ImageError) {
        guard let range else { return }
        let piece = position..<(position + bytes.byteCount)
        position = piece.upperBound
        let wanted = piece.clamped(to: range)
        guard !wanted.isEmpty else { return }
        do throws(ImageError) {
            try page.append(
                bytes.extracting((wanted.lowerBound - piece.lowerBound)..<(wanted.upperBound - piece.lowerBound)))
            if position >= range.upperBound { try page.finish() }
        } catch {
            throw located(error)
        }
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if range == nil {
            try first.finish()
            try findPage()
        }
        do throws(ImageError) {
            try page.finish()
        } catch {
            throw located(error)
        }
        guard page.header != nil else {
            throw ImageError(.truncated, "the JPEG ends before its image \(index)", byteOffset: position)
        }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        try page.start(plan, delivery: delivery)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        do throws(ImageError) {
            return try page.read(into: &rows)
        } catch {
            throw located(error)
        }
    }

    private func located(_ error: ImageError) -> ImageError {
        error.inPart("image \(index)", at: range?.lowerBound ?? 0)
    }
}

/// The index of a multi-picture file (CIPA DC-007, "MPF"); further images follow the end of the first.
struct JPEGPictureList {
    /// The byte range of each image in the file. The first begins at 0.
    let ranges: [Range<Int>]

    /// The length of an entry: attributes, byte count, offset, and the numbers of two dependent images.
    private static let entryByteCount = 16

    /// Reads the index from a segment's `bytes`, which begin after its signature at `offset` in the file; nil when it
    /// is truncated, lists fewer than two images or more than the limit, or has offsets where no further image can be.
    init?(_ bytes: [UInt8], at offset: Int, limits: DecodingLimits) {
        // A TIFF structure like EXIF's; image offsets count from its beginning.
        guard let structure = EXIF(bytes), let count = structure.integer(.pictureCount, in: structure.first),
            2...max(2, limits.maximumFrameCount) ~= count,
            let entry = structure.entry(.pictureList, in: structure.first),
            structure.number(entry + 4, 4) == count * Self.entryByteCount, let list = structure.number(entry + 8, 4)
        else { return nil }
        var ranges: [Range<Int>] = []
        for index in 0..<count {
            let start = list + index * Self.entryByteCount
            guard let byteCount = structure.number(start + 4, 4), let place = structure.number(start + 8, 4) else {
                return nil
            }
            // The first image's offset is stored as 0 and means the file's beginning.
            guard index == 0 || place >= bytes.count, byteCount > 0 else { return nil }
            let first = index == 0 ? 0 : offset + place
            ranges.append(first..<(first + byteCount))
        }
        self.ranges = ranges
    }
}
