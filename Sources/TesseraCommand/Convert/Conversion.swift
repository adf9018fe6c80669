internal import Tessera

/// One picture's way from its file to another, row by row wherever the formats allow.
struct Conversion {
    /// What came of it.
    struct Result: Sendable {
        let inputByteCount: Int
        let outputByteCount: Int
        /// What is good to know of it.
        var note: String?
    }

    private let entry: ConversionList.Entry
    private let settings: ConversionSettings
    private let registry: CodecRegistry

    init(_ entry: ConversionList.Entry, settings: ConversionSettings, registry: CodecRegistry = .default) {
        self.entry = entry
        self.settings = settings
        self.registry = registry
    }

    /// Does it.
    /// - Throws: What keeps the output from being whole; there is none then.
    func run() throws(ImageError) -> Result {
        let source =
            switch entry.input {
            case .standardInput: try FileByteSource.standardInput()
            case .file(let path): try FileByteSource(path: path)
            }
        if let folder = entry.folder { try FileSystem.makeFolder(folder) }
        if settings.choosesSmallest { return try writeSmallest(source) }

        // Before anything is decoded: it may be that nothing may be written.
        let output = try EncodedOutput(entry.output, overwrites: settings.overwrites)
        let (rows, header) = try open(source)
        let destination = try ImageDestination(format: entry.format, options: encoding(header), registry: registry)
        if entry.format != .jpeg, rows.info.rowByteCount * rows.info.size.height <= Self.smallByteCount {
            try destination.encode(rows.makeBitmap(), to: output)
        } else {
            try destination.encode(rows, to: output)
        }
        try output.commit()

        var result = Result(inputByteCount: source.byteCount ?? 0, outputByteCount: output.byteCount)
        if entry.format == .jpng, header.format == .png, result.outputByteCount > result.inputByteCount {
            result.note =
                "\(entry.output) is larger (\(ByteCount(result.outputByteCount))) than the PNG it was made from "
                + "(\(ByteCount(result.inputByteCount))); --to jpng --smallest picks the smaller"
        }
        return result
    }

    /// Up to here a picture is put together before it is written, so that a PNG can get a palette.
    private static let smallByteCount = 32 << 20

    /// The picture's rows, fitted and in the colours that are wanted.
    private func open(_ source: FileByteSource) throws(ImageError) -> (rows: any RowSource, header: ImageHeader) {
        let bounds = settings.size
        let options = DecodingOptions(color: settings.color, maximumBitsPerChannel: settings.depth ?? formatDepth)
        let rows = try ImageRowSource(source, options: options, registry: registry) { header in
            DecodingPlan(targetSize: bounds.map { header.size.fitted(within: $0) })
        }
        let header = rows.header
        guard let target = bounds.map({ header.size.fitted(within: $0) }), target != rows.info.size else {
            return (rows, header)
        }
        return (try ResamplingRowSource(rows, to: target), header)
    }

    /// How many bits a channel can have in the format to be written.
    private var formatDepth: Int {
        let deepest = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba16, alpha: .straight)
        let codec = registry.codec(for: entry.format)
        return codec?.encodableInfo(for: deepest, options: settings.encoding).format.bitsPerChannel ?? 8
    }

    /// How to write, with what the input says beside its pixels. Those come out upright.
    private func encoding(_ header: ImageHeader) -> EncodingOptions {
        var options = settings.encoding
        options.metadata = header.metadata
        options.metadata.orientation = .up
        return options
    }

    /// Writes a JPNG or, where it is smaller, a PNG.
    private func writeSmallest(_ source: FileByteSource) throws(ImageError) -> Result {
        let (rows, header) = try open(source)
        let options = encoding(header)
        let bitmap = try rows.makeBitmap()
        let jpng = try ImageDestination(format: .jpng, options: options, registry: registry).encode(bitmap)
        let png = try ImageDestination(format: .png, options: options, registry: registry).encode(bitmap)
        let isSmaller = jpng.count <= png.count

        var output = entry.output
        if !isSmaller, let alternative = entry.alternative { output = alternative }
        var result = Result(
            inputByteCount: source.byteCount ?? 0, outputByteCount: isSmaller ? jpng.count : png.count)
        if !isSmaller {
            result.note =
                "\(output) is a PNG: a JPNG would be larger (\(ByteCount(jpng.count)), not \(ByteCount(png.count)))"
            if output.identity != nil, output.identity == entry.input.identity, settings.size == nil {
                result.note = "\(output) stays as it is: a JPNG would be larger"
                return result
            }
        }
        let file = try EncodedOutput(output, overwrites: settings.overwrites)
        try file.write(isSmaller ? jpng : png)
        try file.commit()
        return result
    }
}
