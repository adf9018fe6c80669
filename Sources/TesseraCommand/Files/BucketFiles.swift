internal import ImageFormats
internal import ImageLoading
internal import ImagePyramid
internal import Tessera

/// Objects in buckets, which commands read and write like files by their addresses: `s3://bucket/key`.
enum BucketFiles {
    /// Whether `path` is an address in a bucket.
    static func isAddress(_ path: String) -> Bool { S3Address.isAddress(path) }

    /// Whether an address stands for the objects below it: a bucket, or a key that ends in a slash.
    static func isFolder(_ path: String) -> Bool {
        guard let address = try? S3Address(path) else { return false }
        return address.key.isEmpty || address.key.hasSuffix("/")
    }

    /// Opens the pyramid at a path or an address.
    static func openPyramid(_ path: String, codecs: CodecRegistry = .default) throws(ImageError) -> any StoredPyramid {
        isAddress(path)
            ? try StoredPyramids.open(open(path, isWhole: false), codecs: codecs)
            : try StoredPyramids.open(path: path, codecs: codecs)
    }

    /// An object's length and version.
    struct Status: Hashable, Sendable {
        let byteCount: Int
        let version: String
        /// In seconds since 1970.
        let modificationTime: Int64
        /// The mark of a batch; nil for none.
        let mark: String?
    }

    /// An object that appears whole or not at all.
    typealias Writer = (
        sink: any ByteSink, setMark: (ObjectMark) -> Void, commit: () throws(ImageError) -> Void
    )

    /// The name of a batch's mark among an object's own metadata.
    private static let markName = "tessera-batch"

    #if HTTP
    /// Opens an object, of which only the requested parts are read.
    /// - Parameter isWhole: Whether most of it will be read, from the beginning to the end.
    static func open(_ path: String, isWhole: Bool) throws(ImageError) -> Source {
        try S3Store.shared.openSource(S3Address(path), isWhole: isWhole)
    }

    /// Returns the status of an object; nil if there is none.
    static func status(_ path: String) throws(ImageError) -> Status? {
        try S3Store.shared.findInfo(S3Address(path)).map {
            Status(
                byteCount: $0.byteCount, version: $0.version, modificationTime: $0.modificationTime ?? 0,
                mark: $0.metadata[markName])
        }
    }

    /// Returns the names below an address up to the next slash, and the objects' versions.
    static func entries(in path: String) throws(ImageError) -> [FileSystem.Entry] {
        let address = try S3Address(path.hasSuffix("/") ? path : path + "/")
        let listing = try S3Store.shared.findAll(address)
        func name(_ other: S3Address) -> String {
            let name = String(Substring(other.key.utf8.dropFirst(address.key.utf8.count)))
            return name.hasSuffix("/") ? String(name.dropLast()) : name
        }
        let entries =
            listing.objects.map { FileSystem.Entry(name: name($0.address), isFolder: false, version: $0.version) }
            + listing.prefixes.map { FileSystem.Entry(name: name($0), isFolder: true) }
        // Some programs make objects that stand for folders; names that begin with a dot are hidden, as in folders.
        return entries.filter { !$0.name.isEmpty && !$0.name.hasPrefix(".") }.sorted { $0.name < $1.name }
    }

    /// Whether the store can write an object only if there is none; nil as long as none was written like that.
    static var checksForObjects: Bool? { S3Store.shared.checksForObjects }

    /// Returns what `body` makes of the names and versions of all objects below an address; nil if there are more than `limit`.
    static func below<Taken: Sendable>(
        _ path: String, limit: Int, _ body: @escaping @Sendable (_ name: String, _ version: String) -> Taken?
    ) throws(ImageError) -> [Taken]? {
        let address = try S3Address(path.hasSuffix("/") ? path : path + "/")
        let start = address.key.utf8.count
        return try S3Store.shared.findEach(address, limit: limit) {
            body(String(Substring($0.address.key.utf8.dropFirst(start))), $0.version)
        }
    }

    /// Prepares an object that appears whole or not at all.
    static func writer(_ path: String, overwrites: Bool) throws(ImageError) -> Writer {
        let type = ImageFormat(filenameExtension: FilePath(path).filenameExtension)?.mimeType
        let writer = try S3Writer(S3Store.shared, S3Address(path), contentType: type, overwrites: overwrites)
        var mark: ObjectMark?
        return (
            writer,
            {
                mark = $0
                writer.metadata[markName] = $0.text
                if $0.isNew { writer.overwrites = false }
            },
            { () throws(ImageError) in
                try writer.commit()
                if let version = writer.version { mark?.didStore(version) }
            }
        )
    }

    /// Writes files to addresses, several small ones at a time.
    static func write(_ files: [(path: String, address: String)], overwrites: Bool) throws(ImageError) {
        var small: [(bytes: Source, address: S3Address, contentType: String?)] = []
        func writeSmall() throws(ImageError) {
            try S3Store.shared.putAll(small, overwrites: overwrites)
            small = []
        }
        for (path, address) in files {
            let source = try Source(path: path)
            if source.byteCount ?? .max <= largestSmallFile {
                let type = ImageFormat(filenameExtension: FilePath(path).filenameExtension)?.mimeType
                small.append((source, try S3Address(address), type))
                if small.count == 64 { try writeSmall() }
            } else {
                let (sink, _, commit) = try writer(address, overwrites: overwrites)
                let reader = source.reader()
                while try reader.nextBytes({ (piece) throws(ImageError) in try sink.write(piece) }) {}
                try commit()
            }
        }
        try writeSmall()
    }

    private static let largestSmallFile = 1 << 20
    #else
    static func write(_ files: [(path: String, address: String)], overwrites: Bool) throws(ImageError) {
        throw unsupported("s3://")
    }
    static func open(_ path: String, isWhole: Bool) throws(ImageError) -> Source { throw unsupported(path) }
    static func status(_ path: String) throws(ImageError) -> Status? { throw unsupported(path) }
    static func entries(in path: String) throws(ImageError) -> [FileSystem.Entry] { throw unsupported(path) }
    static var checksForObjects: Bool? { nil }
    static func below<Taken: Sendable>(
        _ path: String, limit: Int, _ body: @escaping @Sendable (_ name: String, _ version: String) -> Taken?
    ) throws(ImageError) -> [Taken]? {
        throw unsupported(path)
    }
    static func writer(_ path: String, overwrites: Bool) throws(ImageError) -> Writer {
        throw unsupported(path)
    }

    private static func unsupported(_ path: String) -> ImageError {
        ImageError(.unsupported, "\(path): buckets aren't built into this program: it was built without the trait HTTP")
    }
    #endif
}
