internal import ImageFormats
internal import Platform
internal import Raster

/// The `CACHEDIR.TAG` file, which marks a folder as a cache for backup programs (bford.info/cachedir) and for Tessera.
struct CacheDirectoryTag: Hashable {
    /// The limit of the cache that wrote the tag; nil if the tag has no valid limit.
    var byteLimit: Int?

    static let fileName = "CACHEDIR.TAG"

    private static let beginning = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of Tessera's. Whatever is in it can be removed at any time.
        # What such files are for: https://bford.info/cachedir/

        """
    private static let limit = "# Limit in bytes: "

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The tag in the folder at `path`; nil if it has none, or another program's.
    init?(in path: String) {
        guard let source = try? Source(path: "\(path)/\(Self.fileName)"),
            let bytes = try? source.bytes(upTo: 1024, at: 0)
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(Self.beginning) else { return nil }
        let line = text.dropFirst(Self.beginning.count).prefix { $0 != "\n" }
        byteLimit = line.hasPrefix(Self.limit) ? Int(line.dropFirst(Self.limit.count)) : nil
    }

    /// Writes the tag into the folder at `path`, unless the folder already has it.
    ///
    /// A folder without a tag gets one only if it contains nothing but the cache's subfolders, as backup programs skip
    /// everything in a tagged folder.
    func write(in path: String) {
        let old = CacheDirectoryTag(in: path)
        guard old != self else { return }
        if old == nil {
            var isOurs = true
            FolderListing.forEach(in: path) { entry in
                if !DataCacheFileName.isFolderName(entry.nameBytes) { isOurs = false }
            }
            guard isOurs else { return }
        }
        // The tag is optional: errors are ignored.
        guard let file = try? AtomicFile(path: "\(path)/\(Self.fileName)", overwrites: true) else { return }
        try? file.write(Array((Self.beginning + (byteLimit.map { "\(Self.limit)\($0)\n" } ?? "")).utf8))
        try? file.commit()
    }
}
