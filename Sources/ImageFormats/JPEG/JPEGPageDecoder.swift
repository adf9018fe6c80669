internal import Raster

/// A session for a further picture of a file that lists several: reads the file's head to find it, passes over what is
/// before it, and hands its bytes to a session of its own.
final class JPEGPageDecoder: IncrementalDecoder {
    private let index: Int
    private let options: DecodingOptions
    /// The session that reads the head, until the list is found.
    private let first: JPEGDecoder
    private let page: JPEGDecoder
    /// The bytes before that.
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
        // Used within the call only.
        bytes.withUnsafeBytes { head.append(contentsOf: $0) }
        guard head.count <= options.limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the JPEG has more than \(options.limits.maximumInputByteCount) bytes of head, the limit")
        }
        try first.append(bytes)
        try findPage()
    }

    private func findPage() throws(ImageError) {
        guard range == nil, first.header != nil else { return }
        let ranges = first.pictures?.ranges ?? []
        guard ranges.indices.contains(index) else {
            throw ImageError(
                .invalidParameter, "the JPEG has \(max(1, ranges.count)) pictures and none with index \(index)")
        }
        range = ranges[index]
        let bytes = head
        head = []
        try take(bytes.span.bytes)
    }

    /// Hands on what belongs to the picture.
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
            throw ImageError(.truncated, "the JPEG ends before its picture \(index)", byteOffset: position)
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
        error.inPart("picture \(index)", at: range?.lowerBound ?? 0)
    }
}

/// The list of pictures in a file of several (CIPA DC-007, "MPF"): further ones stand behind the first one's end.
struct JPEGPictureList {
    /// Where each is in the file. The first is the file's own and begins at 0.
    let ranges: [Range<Int>]

    /// Bytes of an entry: attributes, byte count, offset, and the numbers of two pictures that belong to it.
    private static let entryByteCount = 16

    /// The list in a segment's `bytes`, which begin at `offset` of the file after the segment's signature; nil when it
    /// isn't whole, has but one picture or more than the limit, or points to where no further picture can be.
    init?(_ bytes: [UInt8], at offset: Int, limits: DecodingLimits) {
        // A TIFF structure like EXIF's; pictures' places are counted from its beginning.
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
            // The first picture's place is written as 0 and means the file's beginning.
            guard index == 0 || place >= bytes.count, byteCount > 0 else { return nil }
            let first = index == 0 ? 0 : offset + place
            ranges.append(first..<(first + byteCount))
        }
        self.ranges = ranges
    }
}
