internal import Tessera

/// Converts one file, row by row if the formats allow.
struct Conversion {
    /// The result of a conversion.
    struct Result: Sendable {
        let inputByteCount: Int
        let outputByteCount: Int
        /// A remark for the user.
        var note: String?
    }

    let entry: ConversionList.Entry
    var settings: ConversionSettings
    var registry: CodecRegistry { settings.registry }
    /// Whether this is the only conversion, which may show its own progress.
    let isAlone: Bool
    /// The mark that the output gets; nil for none.
    var mark: OutputMark?

    /// Runs the conversion.
    /// - Throws: An error if the output couldn't be written in full; it doesn't exist then.
    func run() throws(ImageError) -> Result {
        let source = try ImageSource.seekableForGainMap(entry.input.open(), options: decoding, registry: registry)
        if let folder = entry.folder { try FileSystem.makeFolder(folder) }
        if settings.choosesSmallest { return try writeSmallest(source) }
        if settings.selection == .each { return try writeEach(source) }

        // Opened before decoding: it may not be writable.
        let output = try EncodedOutput(
            entry.output, overwrites: settings.overwrites, keepsTimes: settings.replacesInputs)
        output.mark = mark
        if let result = try recode(source, to: output) { return result }
        return try holdsSeveral ? writeAll(source, to: output) : write(source, to: output)
    }

    /// Writes one image.
    func write(_ source: Source, to output: EncodedOutput) throws(ImageError) -> Result {
        try write(open(source), of: source, to: output)
    }

    /// Writes one image that is already open.
    func write(
        _ picture: ConversionSource, of source: Source, to output: EncodedOutput
    ) throws(ImageError) -> Result {
        let header = picture.header
        let progress = FileProgress(name: "\(entry.input)")
        defer { progress.finish() }
        let isShown = isAlone && StandardError.isTerminal && picture.rows.info.size.pixelCount >= Self.largePixelCount
        let rows = isShown ? progress.following(picture.rows) : picture.rows
        let destination = try ImageDestination(format: entry.format, options: encoding(header), registry: registry)
        let gainMap = gainMap(of: header, in: source, for: destination)
        // A gain map isn't a separate picture.
        let hasSeveral = header.sequence.map { $0.count != 1 && !(gainMap.isInFile && $0.count == 2) } ?? false
        if settings.replacesInputs, settings.selection == .all, hasSeveral {
            throw ImageError(
                .unsupported,
                "the file holds several images, of which \(entry.format) takes one; --frame selects the one to keep")
        }
        if let image = try rendition(rows, gainMap.map, for: destination) {
            try destination.encode(image, to: output)
        } else if let map = gainMap.map {
            try destination.encode(rows, gainMap: map, to: output)
        } else {
            try destination.encodeWholeIfSmall(rows, to: output)
        }
        try picture.finish()
        try output.commit()

        var result = Result(
            inputByteCount: source.byteCount ?? 0, outputByteCount: output.byteCount, note: picture.note)
        if entry.format == .jpng, header.format == .png, result.outputByteCount > result.inputByteCount {
            result.note =
                "\(entry.output) is larger (\(ByteCount(result.outputByteCount))) than the PNG it was made from "
                + "(\(ByteCount(result.inputByteCount))); --to jpng --smallest picks the smaller"
        }
        if let note = gainMap.note { result.note = [result.note, note].compactMap { $0 }.joined(separator: "\n") }
        if settings.selection == .all, hasSeveral, let sequence = header.sequence {
            let count = sequence.count.map { "\($0) \(sequence.kind.name($0))" } ?? "several \(sequence.kind.name(2))"
            result.note = "\(entry.input) holds \(count), of which \(entry.format) takes one; --frames writes each"
        }
        return result
    }

    /// The number of pixels from which an image shows its progress.
    private static let largePixelCount = 1 << 20

    /// Opens the image's rows, resized and in the requested colour space.
    func open(_ source: Source) throws(ImageError) -> ConversionSource {
        let options = decoding
        return settings.keepsPartial
            ? try ConversionSource(
                partial: source, of: entry.input, changing: settings.change, options: options, registry: registry)
            : try ConversionSource(
                source, of: entry.input, changing: settings.change, options: options, registry: registry)
    }

    /// The decoding options.
    var decoding: DecodingOptions {
        var options = DecodingOptions(
            color: settings.color, maximumBitsPerChannel: settings.depth ?? formatDepth, limits: settings.limits)
        if case .one(let index) = settings.selection { options.imageIndex = index }
        options.dynamicRange = settings.dynamicRange
        if makesGainMap {
            // Limited only by --headroom; effects work in standard range.
            if options.dynamicRange == .standard, !settings.change.isEffects {
                options.dynamicRange = .high(headroom: .infinity)
            }
        }
        if options.dynamicRange != .standard, settings.depth == nil { options.maximumBitsPerChannel = 16 }
        return options
    }

    /// The bit depth per channel that the output format supports.
    private var formatDepth: Int {
        let deepest = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba16, alpha: .straight)
        let codec = registry.codec(for: entry.format)
        return codec?.encodableInfo(for: deepest, options: settings.encoding).format.bitsPerChannel ?? 8
    }

    /// Returns the encoding options with the metadata to keep. The pixels are already upright.
    func encoding(_ header: ImageHeader) -> EncodingOptions {
        var options = settings.encoding
        options.metadata = settings.keeping.metadata(of: header)
        return options
    }

    /// Writes a JPNG, or a PNG if that is smaller.
    private func writeSmallest(_ source: Source) throws(ImageError) -> Result {
        let picture = try open(source)
        let bitmap = try picture.rows.makeBitmap()
        try picture.finish()
        let (format, bytes) = try JPNG.smallestData(of: bitmap, options: encoding(picture.header))
        var result = Result(
            inputByteCount: source.byteCount ?? 0, outputByteCount: bytes.count, note: picture.note)
        var output = entry.output
        if format == .png {
            output = entry.alternative ?? output
            result.note = "\(output) is a PNG: a JPNG would be larger"
            // The input itself is kept unless an option changes its pixels.
            if let file = output.identity, file == entry.input.identity, settings.change.isNone {
                result.note = "\(output) stays as it is: a JPNG would be larger"
                return result
            }
        }
        let file = try EncodedOutput(output, overwrites: settings.overwrites)
        try file.write(bytes)
        try file.commit()
        return result
    }
}
