package import Raster

/// An image still in its file's bytes, which become pixels each time they are asked for.
///
/// The bytes are in memory or in a file. A regular file is closed between reads, so that a program can hold any number of
/// images; it is checked each time that it is still the file whose header was read.
package struct EncodedImage: OriginatedBitmapProvider {
    /// Where the bytes are.
    private enum Place: Sendable {
        case source(Source)
        case file(path: String, Source.Identity)
    }

    private let place: Place
    /// The file's header.
    package let header: ImageHeader
    /// What a full decode delivers.
    package let info: BitmapInfo
    /// Whether it is a drawing, which `makeBitmap` draws at any size.
    package let isVector: Bool
    /// How it is decoded.
    package let options: DecodingOptions
    /// By what it is decoded.
    package let registry: CodecRegistry

    /// How stored pixels are turned.
    package var decodedOrientation: Orientation { options.appliedOrientation(of: header) }
    /// The file's format.
    package var origin: any Sendable { header.format }
    /// The bytes, where they are in memory.
    package var memory: [UInt8]? { if case .source(let source) = place { source.memory } else { nil } }
    /// The number of encoded bytes in memory.
    package var byteCount: Int { memory?.count ?? 0 }

    /// Reads the header of `bytes` and nothing else.
    package init(
        _ bytes: [UInt8], options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source = Source(bytes)
        try self.init(source, at: .source(source), options: options, registry: registry)
    }

    /// Reads the header of the image in `source`. A stream, whose bytes come only once, is read to its end.
    package init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source =
            source.isStream
            ? Source(try source.bytes(limit: options.limits.maximumInputByteCount), name: source.name) : source
        try self.init(source, at: .source(source), options: options, registry: registry)
    }

    /// Reads the header of the file at `path`. Errors name the file.
    package init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source = try Source(path: path)
        do throws(ImageError) {
            guard let identity = source.identity, !source.isStream else {
                try self.init(source, options: options, registry: registry)
                return
            }
            try self.init(source, at: .file(path: path, identity), options: options, registry: registry)
        } catch {
            throw error.naming(path)
        }
    }

    private init(
        _ source: Source, at place: Place, options: DecodingOptions, registry: CodecRegistry
    ) throws(ImageError) {
        let session = try DecodingSession(source.reader(), options: options, registry: registry)
        self.place = place
        self.options = options
        self.registry = registry
        header = session.header
        isVector = registry.capabilities(of: header.format).contains(.vector)
        info = try session.start(.full).info
    }

    /// Decodes; incomplete images throw.
    package func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try reading { (source) throws(ImageError) in
            let decoded = try ImageSource.decode(source, plan: plan, options: options, registry: registry)
            if let error = decoded.error { throw error }
            return decoded.bitmap
        }
    }

    /// Decodes row by row: lends `body` the rows of what `plan` asks for, and checks afterwards what follows the last row.
    /// - Parameter options: How to decode; nil for the image's own options.
    package func withRows<Result>(
        _ plan: DecodingPlan, options: DecodingOptions? = nil,
        _ body: (ImageRowSource) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        try reading { (source) throws(ImageError) in
            let rows = try ImageRowSource(source, plan: plan, options: options ?? self.options, registry: registry)
            let result = try body(rows)
            try rows.finish()
            return result
        }
    }

    /// Opens the file where the bytes are in one, and names it in errors.
    private func reading<Result>(_ body: (Source) throws(ImageError) -> Result) throws(ImageError) -> Result {
        switch place {
        case .source(let source):
            return try body(source)
        case .file(let path, let identity):
            let source = try Source(path: path)
            do throws(ImageError) {
                guard source.identity == identity else {
                    throw ImageError(.inputOutput, "file has changed since its header was read; open it again")
                }
                return try body(source)
            } catch {
                throw error.naming(path)
            }
        }
    }
}

extension ImageError {
    /// The same error with `path` before its message, unless the message has it or the work was cancelled.
    package func naming(_ path: String) -> ImageError {
        guard code != .cancelled, !message.contains(path) else { return self }
        return ImageError(code, "\(path): \(message)", byteOffset: byteOffset)
    }
}
