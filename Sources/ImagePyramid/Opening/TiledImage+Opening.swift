public import Essentials
public import ImageFormats
public import Raster

extension TiledImage {
    /// Options for opening an image.
    public struct Options: Sendable {
        /// Pixels on a tile's side. An image that is decoded into raw tiles has the store's tile size, 256.
        public var tileSize: Int
        /// The orientation to apply to stored pixels; nil for the file's.
        public var orientation: Orientation?
        /// Limits on the image's size and on the memory used for it.
        public var limits: DecodingLimits
        /// Options of the raw tile store, for an image that must be decoded.
        public var store: RawTileStore.Options
        /// The place of a JPEG's index, which later openings reuse; nil to store none.
        public var index: IndexPlace?
        /// Whether tiles of a progressive JPEG or an interlaced PNG are available from the first pass on, and are
        /// requested again when `events` reports better ones. If false, a tile is available once it is final.
        public var showsPasses: Bool
        /// The codecs for decoding, such as isolated ones.
        public var codecs: CodecRegistry

        /// Creates options, by default for tiles of 256 × 256 in the file's orientation, within the limits for large
        /// images.
        public init(
            tileSize: Int = 256, orientation: Orientation? = nil, limits: DecodingLimits = .largePictures,
            store: RawTileStore.Options = RawTileStore.Options(), index: IndexPlace? = nil, showsPasses: Bool = false,
            codecs: CodecRegistry = .default
        ) {
            self.tileSize = tileSize
            self.orientation = orientation
            self.limits = limits
            self.store = store
            self.index = index
            self.showsPasses = showsPasses
            self.codecs = codecs
        }

        /// The place of index files, with the extension `.tessera-index`: 16 bytes for each row of MCUs of each 256 columns,
        /// or of a progressive JPEG for each row of MCUs of each scan.
        ///
        /// An index is compared with the image's byte count, date and a digest of parts of its content, and made again
        /// if it belongs to another file or is damaged. Its entries are checked against the image's data for each tile,
        /// and if they don't match, the data is indexed again. Still, only those who may write the image should have
        /// write access to its index.
        public enum IndexPlace: Hashable, Sendable {
            /// In this folder, which is created if its parent exists.
            case folder(String)
            /// Beside the image.
            case besidePicture
        }

        var decoding: DecodingOptions { DecodingOptions(appliesOrientation: false, limits: limits) }
    }

    /// Opens the file at `path` by reading its header and whatever else determines the source of its tiles.
    ///
    /// A packed pyramid, a tree of tiles (its folder, or Deep Zoom's document), an archive of one, a tiled TIFF file with
    /// reduced pages, and a JPEG 2000 file are read in place. A JPEG is read through its index, which is made when the first tile is
    /// requested; of a progressive one, as far as its tiles are requested. Any other image is decoded from now on, and
    /// tiles become available as decoding proceeds.
    /// - Throws: `inputOutput`, `unknownFormat`, or the error of reading the header.
    public convenience init(contentsOf path: String, options: Options = Options()) async throws(ImageError) {
        if let tree = try StoredPyramids.openTree(path: path, codecs: options.codecs) {
            self.init(tree, options.codecs)
        } else {
            try await self.init(Source(path: path), path: path, options: options)
        }
    }

    /// Opens the file at `url`, as `init(contentsOf:options:)` does with a path.
    ///
    /// ```swift
    /// let survey = try await TiledImage(contentsOf: URL(filePath: "survey.jpg"))
    /// ```
    /// - Throws: `invalidParameter` for a URL that isn't a file URL, otherwise as with a path.
    public convenience init(contentsOf url: URL, options: Options = Options()) async throws(ImageError) {
        try await self.init(
            contentsOf: url.filePath(remedy: "open the bytes of ImagePipeline.shared.bytes(for:)"), options: options)
    }

    /// Opens the image in `source`, as `init(contentsOf:options:)` does with a file. `Options.index` has no effect, but for a
    /// remote object and a folder of indexes.
    ///
    /// The source stays open as long as the image, and is read from any thread.
    /// - Throws: `unknownFormat`, or the error of reading the header.
    public convenience init(_ source: Source, options: Options = Options()) async throws(ImageError) {
        try await self.init(source, path: source.version == nil ? nil : source.name, options: options)
    }

    /// Opens an image in memory, as `init(_:options:)` does with a source.
    /// - Throws: `unknownFormat`, or the error of reading the header.
    public convenience init(_ bytes: some Sequence<UInt8>, options: Options = Options()) async throws(ImageError) {
        try await self.init(Source(bytes), path: nil, options: options)
    }

    /// - Parameter path: The file's path; nil if unknown.
    private convenience init(_ source: Source, path: String?, options: Options) async throws(ImageError) {
        guard !source.isStream else {
            try await self.init(source.chunks(), options: options)
            return
        }
        // A TIFF's tiles may have any coding, so they are read as pixels.
        if let pyramid = try StoredPyramids.openIfKnown(source, path: path, takesTIFF: false, codecs: options.codecs) {
            self.init(pyramid, options.codecs)
            return
        }
        let header = try ImageSource.header(of: source, options: options.decoding, registry: options.codecs)
        if let stored = try Self.stored(header, source, options) {
            self.init(
                header, orientation: stored.orientation, geometry: stored.geometry, access: .stored,
                source: stored.windows, codecs: options.codecs)
            return
        }
        let kept = path.flatMap { path in options.index.flatMap { JPEGIndexFile(of: path, source, at: $0) } }
        if let indexed = try Self.indexed(header, source, options, kept) {
            self.init(
                header, orientation: indexed.orientation, geometry: indexed.geometry, access: .indexed,
                source: indexed.windows, codecs: options.codecs)
            return
        }
        try await self.init(source.chunks(), format: header.format, options: options)
    }

    private convenience init(_ pyramid: any StoredPyramid, _ codecs: CodecRegistry) {
        let header = ImageHeader(format: pyramid.format, storedSize: pyramid.geometry.size, colorModel: .rgb)
        self.init(
            header, orientation: .up, geometry: pyramid.geometry, access: .stored,
            source: PyramidWindows(pyramid, codecs), codecs: codecs)
    }

    /// Opens an image whose bytes are still arriving; returns when its size is known.
    ///
    /// A tile is available as soon as its rows are; requests wait until then. A JPNG's tiles are opaque until its end,
    /// which identifies it as a JPNG.
    /// - Throws: The error of reading the header or creating the tile store; `cancelled` if the task is.
    public convenience init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, options: Options = Options()
    ) async throws(ImageError) where Chunks.Element: Sequence<UInt8> {
        try await self.init(chunks, format: nil, options: options)
    }

    /// - Parameter format: The format if it is known for all of the bytes.
    private convenience init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, format: ImageFormat?, options: Options
    ) async throws(ImageError) where Chunks.Element: Sequence<UInt8> {
        var store = options.store
        store.depth = .oneTile
        var arriving = ArrivingImage.Options(
            decoding: DecodingOptions(limits: options.limits), tiles: store, orientation: options.orientation,
            showsPasses: options.showsPasses)
        arriving.format = format
        let picture = ArrivingImage(chunks, options: arriving, registry: options.codecs)
        let header = try await picture.header()
        let tiles = try await picture.store()
        self.init(
            header, orientation: tiles.orientation, geometry: tiles.geometry, access: .decoded,
            source: DecodedWindows(picture, tiles), codecs: options.codecs)
    }

    /// The windows of a file with tiles, which are read in place; nil for others.
    private static func stored(
        _ header: ImageHeader, _ source: Source, _ options: Options
    ) throws(ImageError) -> (windows: any WindowSource, orientation: Orientation, geometry: PyramidGeometry)? {
        #if TIFF
        if source.fileNumber != nil, addressable(header, options)?.tileAccess(for: header) == .stored {
            let (orientation, geometry) = try shape(of: header, options)
            return try TIFFWindows(source, options: options.decoding, orientation: orientation, geometry: geometry)
                .map { ($0, orientation, geometry) }
        }
        #endif
        #if JPEG2000
        if header.format == .jpeg2000 || header.format == .jpeg2000Codestream {
            let (orientation, geometry) = try shape(of: header, options)
            return try JPEG2000Windows(
                source, options: options.decoding, registry: options.codecs, orientation: orientation,
                geometry: geometry
            ).map { ($0, orientation, geometry) }
        }
        #endif
        return nil
    }

    /// The windows of a JPEG whose data can be indexed; nil for others, and for a JPNG, whose JPEG part lacks its
    /// alpha.
    private static func indexed(
        _ header: ImageHeader, _ source: Source, _ options: Options, _ kept: JPEGIndexFile?
    ) throws(ImageError) -> (windows: any WindowSource, orientation: Orientation, geometry: PyramidGeometry)? {
        guard header.format == .jpeg, let codec = addressable(header, options) else { return nil }
        // An eighth of the image is kept in memory, however few bytes the file has.
        try options.decoding.checkCompressionRatio(
            of: header, inputByteCount: source.length, registry: options.codecs)
        guard codec.tileAccess(for: header) == .index else { return nil }
        let (orientation, geometry) = try shape(of: header, options)
        do throws(ImageError) {
            let windows: any WindowSource =
                header.isProgressive
                ? try JPEGScanWindows(
                    source, options: options.decoding, orientation: orientation, geometry: geometry, kept)
                : try JPEGWindows(header, source, orientation: orientation, geometry: geometry, kept)
            return (windows, orientation, geometry)
        } catch {
            guard error.code == .unsupported else { throw error }
            return nil
        }
    }

    /// The codec for this header, if it gives access to tiles within its files.
    private static func addressable(_ header: ImageHeader, _ options: Options) -> (any TileAddressable)? {
        options.codecs.codec(for: header.format) as? any TileAddressable
    }

    private static func shape(
        of header: ImageHeader, _ options: Options
    ) throws(ImageError) -> (Orientation, PyramidGeometry) {
        let orientation = options.orientation ?? header.metadata.orientation
        let size = orientation.applied(to: header.storedSize)
        return (orientation, try PyramidGeometry(size: size, tileSize: options.tileSize))
    }
}
