internal import Raster

/// The frames of an animated PNG, still compressed, collected as their chunks arrive (PNG, third edition, 4.9).
struct PNGFrameList {
    /// A frame whose data is arriving.
    private struct Current {
        var frame: AnimationFrame
        var start: Int
    }

    private let limits: DecodingLimits
    private var control: PNGAnimationControl?
    private var canvas = PixelSize(width: 0, height: 0)
    /// The data of all frames, in sequence.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    private var current: Current?
    private var nextSequenceNumber = 0
    /// The bytes so far of the sequence number at the beginning of an fdAT chunk.
    private var sequenceNumber: [UInt8] = []
    private var hasReachedImageData = false

    /// The complete frames.
    private(set) var frames: [AnimationFrame] = []

    init(limits: DecodingLimits) {
        self.limits = limits
    }

    /// Whether all frames are complete.
    private var isFull: Bool { hasReachedImageData && frames.count >= (control?.frameCount ?? 1) }

    /// Returns a frame's compressed data.
    func data(of index: Int) -> PNGByteQueue {
        var queue = PNGByteQueue()
        // The pointer is used within the call only.
        bytes[ranges[index]].withUnsafeBytes { queue.append($0) }
        return queue
    }

    /// Handles the first IDAT chunk: the first frame, the only image, or a default image outside the animation.
    mutating func beginImageData(
        _ control: PNGAnimationControl?, canvas: PixelSize, offset: Int
    ) throws(ImageError) {
        guard !hasReachedImageData else { return }
        hasReachedImageData = true
        self.control = control
        self.canvas = canvas
        guard control != nil else {
            current = Current(frame: AnimationFrame(region: PixelRect(canvas), storedDuration: 0), start: 0)
            return
        }
        guard current.map({ $0.frame.region == PixelRect(canvas) }) ?? true else {
            throw ImageError(
                .corrupt, "the PNG animation's first frame is smaller than its canvas", byteOffset: offset)
        }
    }

    /// Handles an fcTL chunk, which begins a frame.
    mutating func begin(_ data: [UInt8], canvas: PixelSize, offset: Int) throws(ImageError) {
        guard !hasReachedImageData || control != nil else { return }
        guard !isFull else { return }
        guard hasReachedImageData || current == nil else {
            throw ImageError(.corrupt, "the PNG animation's first frame begins twice", byteOffset: offset)
        }
        let frame = try PNGFrameControl.frame(data, canvas: canvas, offset: offset)
        try check(data[0..<4], offset: offset)
        current = Current(frame: frame, start: bytes.count)
    }

    /// Prepares for an fdAT chunk, which begins with a sequence number.
    mutating func beginFrameData() { sequenceNumber = [] }

    /// Appends bytes of an fdAT chunk.
    mutating func appendFrameData(_ piece: UnsafeRawBufferPointer, offset: Int) throws(ImageError) {
        guard control != nil, !isFull else { return }
        let rest = piece.dropFirst(min(piece.count, 4 - sequenceNumber.count))
        if sequenceNumber.count < 4 {
            sequenceNumber.append(contentsOf: piece.prefix(4 - sequenceNumber.count))
            guard sequenceNumber.count == 4 else { return }
            try check(sequenceNumber[...], offset: offset)
            guard current != nil else {
                throw ImageError(.corrupt, "data of a PNG animation's frame that didn't begin", byteOffset: offset)
            }
        }
        try append(UnsafeRawBufferPointer(rebasing: rest), offset: offset)
    }

    /// Appends bytes of an IDAT chunk.
    mutating func appendImageData(_ piece: UnsafeRawBufferPointer, offset: Int) throws(ImageError) {
        // Only broken files have IDAT chunks after other frames.
        guard current != nil, frames.isEmpty else { return }
        try append(piece, offset: offset)
    }

    /// Completes the current frame, at the next one or at the end of the file.
    mutating func end(offset: Int) throws(ImageError) {
        guard hasReachedImageData, let done = current else { return }
        current = nil
        guard done.start < bytes.count else {
            throw ImageError(.corrupt, "a frame of the PNG animation has no data", byteOffset: offset)
        }
        frames.append(done.frame)
        ranges.append(done.start..<bytes.count)
    }

    /// Throws, at the end of the file, if frames are missing.
    func checkCount(offset: Int) throws(ImageError) {
        let count = control?.frameCount ?? 1
        guard frames.count < count else { return }
        throw ImageError(
            .corrupt, "the PNG animation has \(frames.count) frames instead of \(count)", byteOffset: offset)
    }

    private mutating func append(_ piece: UnsafeRawBufferPointer, offset: Int) throws(ImageError) {
        guard piece.count <= limits.maximumInputByteCount - bytes.count else {
            throw ImageError(
                .limitExceeded,
                "the PNG animation takes more than \(limits.maximumInputByteCount) bytes"
                    + " (DecodingLimits.maximumInputByteCount)",
                byteOffset: offset)
        }
        bytes.append(contentsOf: piece)
    }

    private mutating func check(_ number: ArraySlice<UInt8>, offset: Int) throws(ImageError) {
        guard number.reduce(0, { $0 << 8 | Int($1) }) == nextSequenceNumber else {
            throw ImageError(.corrupt, "the chunks of the PNG animation are out of order", byteOffset: offset)
        }
        nextSequenceNumber += 1
    }
}
