package import Raster

/// An encoded image, decoded each time its pixels are requested.
///
/// The bytes are in memory or in a file. A regular file is closed between reads, so that a program can hold any number
/// of images. Each read checks that the file hasn't changed since its header was read.
package struct EncodedImage: OriginatedBitmapProvider {
    /// The location of the bytes.
    private enum Place: Sendable {
        case source(Source)
        case file(path: String, Source.Identity)
    }

    private let place: Place
    /// The file's header.
    package let header: ImageHeader
    /// The format and size of a full decode.
    package let info: BitmapInfo
    /// Whether the image is a vector graphic, which `makeBitmap` draws at any size.
    package let isVector: Bool
    /// The options for decoding.
    package let options: DecodingOptions
    /// The codecs for decoding.
    package let registry: CodecRegistry

    /// The orientation that decoding applies to stored pixels.
    package var decodedOrientation: Orientation { options.appliedOrientation(of: header) }
    /// The file's format, as an `ImageFormat`.
    package var origin: any Sendable { header.format }
    /// The encoded bytes, if they are in memory.
    package var memory: [UInt8]? { if case .source(let source) = place { source.memory } else { nil } }
    /// The number of encoded bytes in memory; 0 for a file.
    package var byteCount: Int { memory?.count ?? 0 }

    /// Reads only the header of `bytes`.
    package init(
        _ bytes: [UInt8], options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source = Source(bytes)
        try self.init(source, at: .source(source), options: options, registry: registry)
    }

    /// Reads the header of the image in `source`. A stream is read to its end, since its bytes can't be read again.
    package init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source =
            source.isStream
            ? Source(try source.bytes(limit: options.limits.maximumInputByteCount), name: source.name) : source
        try self.init(source, at: .source(source), options: options, registry: registry)
    }

    /// Reads the header of the file at `path`, which errors name.
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

    /// Decodes the image. Throws if it is incomplete.
    package func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try reading { (source) throws(ImageError) in
            let decoded = try ImageSource.decode(source, plan: plan, options: options, registry: registry)
            if let error = decoded.error { throw error }
            return decoded.bitmap
        }
    }

    /// Passes a source of the rows that `plan` selects to `body`, then checks the data after the last row.
    /// - Parameter options: The options for decoding; nil for the image's own.
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

    /// Calls `body` with the source; opens the file if the bytes are in one, and names it in errors.
    func reading<Result>(_ body: (Source) throws(ImageError) -> Result) throws(ImageError) -> Result {
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
    /// Returns the error with `path` before its message, unless the message contains it or the code is `cancelled`.
    package func naming(_ path: String) -> ImageError {
        guard code != .cancelled, !message.contains(path) else { return self }
        return ImageError(code, "\(path): \(message)", byteOffset: byteOffset)
    }
}
