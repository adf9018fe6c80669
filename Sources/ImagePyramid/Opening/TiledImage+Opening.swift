public import Essentials
public import ImageFormats
public import Raster

extension TiledImage {
    /// How a picture is opened.
    public struct Options: Sendable {
        /// Pixels on a tile's side. A picture that is decoded into raw tiles has the store's.
        public var tileSize: Int
        /// How stored pixels are turned; nil: as the file says.
        public var orientation: Orientation?
        /// How much the picture may ask for.
        public var limits: DecodingLimits
        /// Where raw tiles are kept, of a picture that has to be decoded.
        public var store: RawTileStore.Options
        /// Where the index of a JPEG is kept, so that the next who opens it needn't make it; nil for nowhere.
        public var index: IndexPlace?
        /// Whether tiles of a picture that comes in passes (a progressive JPEG, an interlaced PNG) can be had as soon as the
        /// first one shows them, to be asked for again when `events` says that they are better. Else each is what it will be.
        public var showsPasses: Bool
        /// The codecs by which it is decoded, such as isolated ones.
        public var codecs: CodecRegistry

        /// Tiles of 256 × 256, turned as the file says, within the limits for large pictures.
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

        /// A place for indexes: files of 16 bytes for each row of MCUs of each 256 columns, called `.tessera-index`.
        ///
        /// An index is held against the picture's size, date and content (pieces of it) and made anew when it is another's
        /// or damaged. What it says is checked against the picture's data for each tile, so that a wrong one ends in an
        /// error. Who may write there may, for all that, be trusted no less than who may write the picture.
        public enum IndexPlace: Hashable, Sendable {
            /// In this folder, which is made when the one that it lies in is there.
            case folder(String)
            /// Beside the picture.
            case besidePicture
        }

        var decoding: DecodingOptions { DecodingOptions(appliesOrientation: false, limits: limits) }
    }

    /// Opens the file at `path`: reads its header, and what else it takes to know how its tiles are had.
    ///
    /// A packed pyramid, a tree of tiles (its folder, or Deep Zoom's document), an archive of one, and a tiled TIFF file with
    /// levels of its own are read in place; a baseline JPEG by its index, which
    /// is made when the first tile is asked for; all else is decoded from here on, and tiles are there as it gets to them.
    /// - Throws: `inputOutput`, `unknownFormat`, and what is wrong with the header.
    public convenience init(contentsOf path: String, options: Options = Options()) async throws(ImageError) {
        if let tree = try StoredPyramids.openTree(path: path, codecs: options.codecs) {
            self.init(tree, options.codecs)
        } else {
            try await self.init(Source(path: path), path: path, options: options)
        }
    }

    /// Opens the file at `url`, as `init(contentsOf:options:)` does one at a path.
    ///
    /// ```swift
    /// let survey = try await TiledImage(contentsOf: URL(filePath: "survey.jpg"))
    /// ```
    /// - Throws: `invalidParameter` for a URL that isn't a file's, otherwise as with a path.
    public convenience init(contentsOf url: URL, options: Options = Options()) async throws(ImageError) {
        try await self.init(
            contentsOf: url.filePath(remedy: "open the bytes of ImagePipeline.shared.bytes(for:)"), options: options)
    }

    /// Opens the image in `source`, as `init(contentsOf:options:)` does a file; `Options.index` has no effect.
    ///
    /// The source stays open as long as the image, and is read by any thread.
    /// - Throws: `unknownFormat`, and what is wrong with the header.
    public convenience init(_ source: Source, options: Options = Options()) async throws(ImageError) {
        try await self.init(source, path: nil, options: options)
    }

    /// Opens an image in memory, as `init(_:options:)` does that of a source.
    /// - Throws: `unknownFormat`, and what is wrong with the header.
    public convenience init(_ bytes: some Sequence<UInt8>, options: Options = Options()) async throws(ImageError) {
        try await self.init(Source(bytes), path: nil, options: options)
    }

    /// - Parameter path: Where the file is; nil where it isn't known.
    private convenience init(_ source: Source, path: String?, options: Options) async throws(ImageError) {
        guard !source.isStream else {
            try await self.init(source.chunks(), options: options)
            return
        }
        // A TIFF's tiles may be anything: they are read as pixels.
        if let pyramid = try StoredPyramids.openIfKnown(source, path: path, takesTIFF: false, codecs: options.codecs) {
            self.init(pyramid, options.codecs)
            return
        }
        let header = try ImageSource.header(of: source, options: options.decoding, registry: options.codecs)
        #if TIFF
        if source.fileNumber != nil, Self.addressable(header, options)?.tileAccess(for: header) == .stored {
            let (orientation, geometry) = try Self.shape(of: header, options)
            let windows = try TIFFWindows(
                source, options: options.decoding, orientation: orientation, geometry: geometry)
            if let windows {
                self.init(
                    header, orientation: orientation, geometry: geometry, access: .stored, source: windows,
                    codecs: options.codecs)
                return
            }
        }
        #endif
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

    /// Opens a picture whose bytes are still coming: returns when its size is known. Tiles are there as soon as their rows
    /// are; who asks sooner waits. A JPNG's tiles are opaque until its end says that it is one.
    /// - Throws: What kept the size from becoming known; `cancelled` when the task is.
    public convenience init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, options: Options = Options()
    ) async throws(ImageError) where Chunks.Element: Sequence<UInt8> {
        try await self.init(chunks, format: nil, options: options)
    }

    /// - Parameter format: What the bytes are known to be in full.
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

    /// A JPEG's windows, where its data can be indexed. A JPNG's colours are only half of it.
    private static func indexed(
        _ header: ImageHeader, _ source: Source, _ options: Options, _ kept: JPEGIndexFile?
    ) throws(ImageError) -> (windows: JPEGWindows, orientation: Orientation, geometry: PyramidGeometry)? {
        guard header.format == .jpeg, let codec = addressable(header, options) else { return nil }
        // An eighth of the picture is kept in memory, however little of it there is.
        try options.decoding.checkCompressionRatio(
            of: header, inputByteCount: source.length, registry: options.codecs)
        guard codec.tileAccess(for: header) == .index else { return nil }
        let (orientation, geometry) = try shape(of: header, options)
        do throws(ImageError) {
            return (
                try JPEGWindows(header, source, orientation: orientation, geometry: geometry, kept), orientation,
                geometry
            )
        } catch {
            guard error.code == .unsupported else { throw error }
            return nil
        }
    }

    /// The codec of a file with this header, where it reaches tiles in its files.
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
