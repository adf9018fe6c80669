internal import Platform
public import Raster

extension Image {
    /// Writes the image upright to the file at `path`. The file appears whole or not at all.
    ///
    /// An image opened from a file is decoded as it is written, row by row if both formats allow it, at the greatest
    /// depth that both support. The file is in sRGB and has no metadata, unless `keeping` selects otherwise.
    ///
    /// ```swift
    /// try Image(path: "photo.jpg").write(to: "photo.avif", quality: 0.7)
    /// ```
    /// - Parameters:
    ///   - format: The format to write; nil to choose it by the path's extension.
    ///   - quality: 0 to 1, for lossy formats.
    ///   - metadata: The metadata to copy from the image's file. An image made by a program has none.
    ///   - overwriting: Whether an existing file may be replaced.
    /// - Throws: `invalidParameter` for an unknown extension or a quality out of range; `unsupported` for a format that
    ///   can't be written; `inputOutput` if the file can't be written, or exists and mustn't be replaced; errors of
    ///   decoding and encoding. An existing file is then unchanged.
    public func write(
        to path: String, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: path, as: format, options: EncodingOptions(quality: quality), keeping: metadata,
            overwriting: overwriting)
    }

    /// Writes the image to the file at `path` with `options`; otherwise as `write(to:as:quality:keeping:overwriting:)`.
    ///
    /// Metadata in the options takes precedence over `keeping`, unless it is empty.
    /// - Throws: As the form with a quality.
    public func write(
        to path: String, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) throws(ImageError) {
        let format = if let format { format } else { try ImageFormat(writtenTo: path) }
        let plan = try EncodingPlan(self, as: format, options: options, keeping: metadata)
        let file = try AtomicFile(path: path, overwrites: overwriting)
        try plan.write(to: file)
        try file.commit()
    }

    /// Encodes the image upright in `format`, as `write(to:as:quality:keeping:overwriting:)` writes it.
    /// - Throws: As that method.
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> [UInt8] {
        try data(as: format, options: EncodingOptions(quality: quality), keeping: metadata)
    }

    /// Encodes the image upright in `format`, as `write(to:as:options:keeping:overwriting:)` writes it.
    /// - Throws: As that method.
    public func data(
        as format: ImageFormat, options: EncodingOptions, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try EncodingPlan(self, as: format, options: options, keeping: metadata).write(to: buffer)
        return buffer.bytes
    }
}

extension Image {
    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func write(
        to path: String, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: path, as: format, options: EncodingOptions(quality: quality), keeping: metadata,
            overwriting: overwriting)
    }

    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func write(
        to path: String, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) async throws(ImageError) {
        try await Interruption.perform { () async throws(ImageError) in
            try await ImageExecutor.shared.run { () throws(ImageError) in
                try write(to: path, as: format, options: options, keeping: metadata, overwriting: overwriting)
            }
        }
    }

    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) async throws(ImageError) -> [UInt8] {
        try await data(as: format, options: EncodingOptions(quality: quality), keeping: metadata)
    }

    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func data(
        as format: ImageFormat, options: EncodingOptions, keeping metadata: MetadataPolicy = .none
    ) async throws(ImageError) -> [UInt8] {
        try await Interruption.perform { () async throws(ImageError) in
            try await ImageExecutor.shared.run { () throws(ImageError) in
                try data(as: format, options: options, keeping: metadata)
            }
        }
    }
}

extension ImageFormat {
    /// The format for writing a file at `path`, chosen by its extension.
    /// - Throws: `invalidParameter` if the extension is missing or unknown.
    package init(writtenTo path: String) throws(ImageError) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        // A name whose only dot is its first character has no extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name.index(after: dot) < name.endIndex else {
            throw ImageError(.invalidParameter, "\(path) has no extension to choose a format by; pass as:")
        }
        let ending = String(name[name.index(after: dot)...])
        // Includes a program's own codecs, and formats that this build can't write, for a more precise error later.
        let format =
            CodecRegistry.default.format(forFilenameExtension: ending) ?? ImageFormat(filenameExtension: ending)
        guard let format else {
            let known = CodecRegistry.default.encodableFormats.map(\.filenameExtension).sorted()
            throw ImageError(
                .invalidParameter,
                "\(path): no image format has the extension \(ending); use one of \(known.joined(separator: ", ")), or "
                    + "pass as:")
        }
        self = format
    }
}
