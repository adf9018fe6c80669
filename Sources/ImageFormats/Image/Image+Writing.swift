internal import Platform
public import Raster

extension Image {
    /// Writes the image to the file at `path`, upright. The file appears whole or not at all.
    ///
    /// An image that comes from a file is decoded while it is written, row by row where both formats allow, and at the
    /// depth that both have. Without metadata, and in sRGB, unless `keeping` says otherwise.
    ///
    /// ```swift
    /// try Image(path: "photo.jpg").write(to: "photo.avif", quality: 0.7)
    /// ```
    /// - Parameters:
    ///   - format: The format to write; nil for the one that the path's extension names.
    ///   - quality: 0 to 1, for formats that lose something.
    ///   - metadata: What of the file that the image comes from goes along. Images made by a program have none.
    ///   - overwriting: Whether a file of that name may be replaced.
    /// - Throws: `invalidParameter` for an extension that names no format, and a quality outside its range; `unsupported`
    ///   for a format that can't be written; `inputOutput` for a file that can't be written, or exists and isn't to be
    ///   replaced; what decoding and encoding report. A file of that name is then as it was.
    public func write(
        to path: String, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) throws(ImageError) {
        try write(
            to: path, as: format, options: EncodingOptions(quality: quality), keeping: metadata,
            overwriting: overwriting)
    }

    /// Writes the image to the file at `path` as `options` say; otherwise as `write(to:as:quality:keeping:overwriting:)`.
    ///
    /// The options' metadata are written where they aren't empty, else what `keeping` keeps.
    /// - Throws: As the form with a quality.
    public func write(
        to path: String, as format: ImageFormat? = nil, options: EncodingOptions,
        keeping metadata: MetadataPolicy = .none, overwriting: Bool = true
    ) throws(ImageError) {
        let format = if let format { format } else { try ImageFormat(writtenTo: path) }
        let encoding = try ImageEncoding(self, as: format, options: options, keeping: metadata)
        let file = try AtomicFile(path: path, overwrites: overwriting)
        try encoding.write(to: file)
        try file.commit()
    }

    /// The image's file in `format`, upright, as `write(to:as:quality:keeping:overwriting:)` writes it.
    /// - Throws: As that.
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> [UInt8] {
        try data(as: format, options: EncodingOptions(quality: quality), keeping: metadata)
    }

    /// The image's file in `format`, upright, as `write(to:as:options:keeping:overwriting:)` writes it.
    /// - Throws: As that.
    public func data(
        as format: ImageFormat, options: EncodingOptions, keeping metadata: MetadataPolicy = .none
    ) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try ImageEncoding(self, as: format, options: options, keeping: metadata).write(to: buffer)
        return buffer.bytes
    }
}

extension Image {
    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func write(
        to path: String, as format: ImageFormat? = nil, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none,
        overwriting: Bool = true
    ) async throws(ImageError) {
        try await write(
            to: path, as: format, options: EncodingOptions(quality: quality), keeping: metadata,
            overwriting: overwriting)
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
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

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func data(
        as format: ImageFormat, quality: Double = 0.8, keeping metadata: MetadataPolicy = .none
    ) async throws(ImageError) -> [UInt8] {
        try await data(as: format, options: EncodingOptions(quality: quality), keeping: metadata)
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
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
    /// The format that a file at `path` is written in, by its extension.
    /// - Throws: `invalidParameter` where there is none, or none that is known.
    init(writtenTo path: String) throws(ImageError) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        // A name that begins with its only dot has no extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name.index(after: dot) < name.endIndex else {
            throw ImageError(.invalidParameter, "\(path) has no extension to choose a format by; pass as:")
        }
        let ending = String(name[name.index(after: dot)...])
        // A program's own codecs count, and so does a format that this build only knows by name, for its error.
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
