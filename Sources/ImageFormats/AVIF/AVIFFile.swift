#if AVIF
internal import CTesseraAVIF
internal import Raster

/// An AVIF file opened with libavif, possibly still arriving.
final class AVIFFile {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let options: DecodingOptions
    private var stored = tessera_avif_header()
    /// The header of the image or the canvas; nil until it has arrived.
    private(set) var header: ImageHeader?
    private var byteCount = 0
    /// The brightest light of a still in candela per square metre, which libavif 0.11 doesn't read.
    private var peak: Double?

    /// - Parameter framesWanted: Whether to decode the animation if the file has both a still and an animation.
    init(options: DecodingOptions, framesWanted: Bool) throws(ImageError) {
        self.options = options
        var decoding = tessera_avif_decoding()
        decoding.frames = framesWanted
        decoding.maximum_side = UInt32(clamping: options.limits.maximumSideLength)
        decoding.maximum_pixels = UInt64(clamping: options.limits.maximumPixelCount)
        decoding.maximum_frames = UInt32(clamping: options.limits.maximumFrameCount)
        shim = try ShimHandle(
            tessera_avif_decoder_create(&decoding), "an AVIF decoder", failing: "the AVIF file can't be read",
            tessera_avif_decoder_message, destroy: tessera_avif_decoder_destroy)
    }

    /// Opens the image in a complete file that the options select: a still, or a frame of an animation.
    static func picture(in whole: [UInt8], options: DecodingOptions) throws(ImageError) -> any WholePicture {
        let shown = try ISOImageItems.showingBase(whole)
        let (bytes, items) = (shown?.file ?? whole, shown?.items)
        for size in items?.sizes ?? [] where !size.isEmpty {
            try options.limits.check(size, format: .avif)
        }
        let file = try AVIFFile(options: options, framesWanted: false)
        if let items, let primary = items.primary { file.peak = items.peak(of: primary, in: bytes) }
        try file.append(ISOPropertyAssociations.joined(bytes).span.bytes)
        try file.finish()
        guard let header = file.header else { throw ImageError(.truncated, "the AVIF file ends before its header") }
        let count = header.sequence?.count ?? 1
        let index = options.imageIndex ?? 0
        guard (0..<count).contains(index) else {
            throw ImageError(.invalidParameter, "there is no image \(index) among the \(count) of the AVIF file")
        }
        let picture = BitmapPicture(header, file.info(allowsGray: true)) { () throws(ImageError) in
            try file.decode(at: index, allowsGray: true)
        }
        guard let transformation = shown?.transformation, header.sequence == nil else { return picture }
        var transformed = header
        try transformed.apply(transformation)
        return ISOTransformedPicture(picture, transformed, crop: transformation.crop)
    }

    /// Appends the next bytes, and reads the header once it has arrived.
    func append(_ bytes: RawSpan) throws(ImageError) {
        byteCount += bytes.byteCount
        try options.limits.checkInput(byteCount, format: .avif)
        try shim.check(bytes.lend { tessera_avif_decoder_append(handle, $0, $1) })
        try readHeader()
    }

    /// Ends the input.
    func finish() throws(ImageError) {
        tessera_avif_decoder_end(handle)
        try readHeader()
    }

    /// The number of frames, from the first, whose bytes have arrived.
    var readyCount: Int { Int(tessera_avif_decoder_ready(handle)) }

    /// Returns a frame's duration, in seconds.
    func duration(of index: Int) -> Double { tessera_avif_decoder_duration(handle, UInt32(index)) }

    /// Returns the format of decoded pixels: grey for grey without alpha if `allowsGray` is true, else RGBA.
    func info(allowsGray: Bool) -> BitmapInfo {
        let depth = stored.bits > 8 && options.maximumBitsPerChannel > 8 ? 16 : 8
        let format: PixelFormat = stored.gray && !stored.has_alpha && allowsGray ? .gray8 : .rgba8
        return BitmapInfo(
            size: PixelSize(width: Int(stored.crop_width), height: Int(stored.crop_height)),
            format: format.withBitsPerChannel(depth), alpha: stored.has_alpha ? .straight : .none,
            profile: header?.profile ?? .sRGB)
    }

    /// Decodes a frame; a still is frame 0.
    func decode(at index: Int, allowsGray: Bool) throws(ImageError) -> Bitmap {
        let info = info(allowsGray: allowsGray)
        var coded = info
        coded.size = PixelSize(width: Int(stored.width), height: Int(stored.height))
        // Planes of four samples a pixel in the decoder, and a second copy where a grid is assembled.
        let byteCount = coded.size.pixelCount * (stored.bits > 8 ? 16 : 8)
        try options.limits.checkWorkingMemory(byteCount, for: "decoding the AVIF image")
        try ProcessorShare.perform { (threads) throws(ImageError) in
            try shim.check(tessera_avif_decoder_decode(handle, UInt32(index), UInt16(threads)))
        }
        var bitmap = try MutableBitmap(uninitialized: coded)
        let frame = DecodedFrame(handle: handle)
        try bitmap.fill { (rows, range) throws(ImageError) in
            let (stride, format) = (rows.bytesPerRow, rows.format.shimNumber)
            let status = rows.withUnsafeBase { base in
                // The bitmap has `range.count` rows of `stride` bytes here, as many as the shim writes.
                tessera_avif_decoder_read(
                    frame.handle, format, UInt32(range.lowerBound), UInt32(range.count),
                    base.assumingMemoryBound(to: UInt8.self), stride)
            }
            guard status == TESSERA_OK else {
                throw ImageError(shim: status, "the AVIF image can't be converted to RGB")
            }
        }
        let crop = PixelRect(
            x: Int(stored.crop_x), y: Int(stored.crop_y), width: info.size.width, height: info.size.height)
        return try bitmap.freeze().cropped(to: crop)
    }

    /// The decoder while several threads read rows of its frame.
    ///
    /// Unchecked: the shim allows that, and the file keeps the decoder as long as they run.
    private struct DecodedFrame: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private func readHeader() throws(ImageError) {
        guard header == nil else { return }
        let status = tessera_avif_decoder_read_header(handle, &stored)
        try shim.check(status)
        guard status == Int32(TESSERA_OK) else { return }
        try options.limits.check(PixelSize(width: Int(stored.width), height: Int(stored.height)), format: .avif)
        let limit = options.limits.maximumMetadataByteCount
        func block(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8]? {
            count <= limit ? [UInt8](shim: bytes, count) : nil
        }
        var metadata = ImageMetadata(
            // AVIF ignores EXIF's orientation.
            orientation: Orientation(rawValue: stored.orientation) ?? .up,
            exif: EXIF.withoutPrefix(block(stored.exif, stored.exif_length)),
            xmp: block(stored.xmp, stored.xmp_length))
        metadata.resolution = metadata.exif.flatMap { EXIF($0) }?.resolution
        let profile =
            block(stored.icc, stored.icc_length).map { ColorProfile.icc($0) }
            ?? .coded(
                primaries: Int(stored.primaries), transfer: Int(stored.transfer), isGray: stored.gray, peak: peak)
        var header = ImageHeader(
            format: .avif, storedSize: PixelSize(width: Int(stored.crop_width), height: Int(stored.crop_height)),
            colorModel: stored.gray ? .gray : .rgb, bitsPerChannel: Int(stored.bits), hasAlpha: stored.has_alpha,
            profile: profile, metadata: metadata)
        if stored.animated {
            header.sequence = ImageSequence(
                .animation, count: Int(stored.frame_count), loopCount: Int(stored.play_count))
        }
        self.header = header
    }
}

/// Decodes the frames of an animated AVIF. Each covers the whole canvas, and may depend on earlier ones.
final class AVIFAnimationDecoder: AnimationDecoder {
    private let file: AVIFFile
    private let limits: DecodingLimits
    private(set) var frames: [AnimationFrame] = []
    /// Whether the file has a `mini` box, which libavif 0.11 doesn't know, and so is a still.
    private let isMinimized: Bool
    /// The bytes of such a file so far.
    private var arrived: [UInt8] = []

    init(options: DecodingOptions, isMinimized: Bool) throws(ImageError) {
        file = try AVIFFile(options: options, framesWanted: true)
        limits = options.limits
        self.isMinimized = isMinimized
    }

    /// The file's header, in which a still is an animation of one frame.
    ///
    /// libavif 0.11 doesn't report the loop count, which is then 0, for endlessly.
    var header: ImageHeader? {
        guard var header = file.header else { return nil }
        if header.sequence == nil { header.sequence = ImageSequence(.animation, count: 1, loopCount: 0) }
        return header
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard !isMinimized else {
            try limits.checkInput(arrived.count + bytes.byteCount, format: .avif)
            // Used within the call only.
            bytes.withUnsafeBytes { arrived.append(contentsOf: $0) }
            return
        }
        try file.append(bytes)
        collectFrames()
    }

    func finish() throws(ImageError) {
        if isMinimized {
            let expanded = try ISOItemFile.expanded(arrived)
            try file.append(expanded.span.bytes)
        }
        try file.finish()
        collectFrames()
        let count = header?.sequence?.count ?? 1
        guard frames.count == count else {
            throw ImageError(.truncated, "the AVIF file ends in frame \(frames.count) of \(count)")
        }
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard file.header != nil else { throw ImageError(.invalidParameter, "the AVIF header isn't known yet") }
        return file.info(allowsGray: false)
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "the AVIF file has no frame \(index)")
        }
        return try file.decode(at: index, allowsGray: false)
    }

    private func collectFrames() {
        guard let header else { return }
        let canvas = PixelRect(header.storedSize)
        for index in frames.count..<max(frames.count, file.readyCount) {
            frames.append(AnimationFrame(region: canvas, storedDuration: file.duration(of: index)))
        }
    }
}
#endif
