public import ImageFormats
public import Raster
internal import Synchronization

/// Pictures of a program's own, by the names of their files: decoded once, and kept until memory is short.
///
/// ```swift
/// let images = NamedImages(folders: ["/usr/share/gallery"])
/// let star = try images.image(named: "icons/star")
/// ```
/// `star` may be `star.png`, `star@2x.jpng`, `star@3x~tv.webp`: the file whose scale suits the display best, in the first
/// folder that has one. The picture has the file's scale.
public final class NamedImages: Sendable {
    /// Where the files are, the first one asked first.
    public let folders: [String]
    /// What the names of files end with that are for this device alone, after a tilde; nil for nothing.
    public let device: String?

    private struct Key: Hashable {
        var name: String
        var scale: Double
    }

    private let options: DecodingOptions
    private let registry: CodecRegistry?
    private let images = Mutex<[Key: Image]>([:])
    private let observation = Mutex<MemoryPressureObservation?>(nil)

    /// The pictures in `folders`.
    /// - Parameters:
    ///   - device: What the names of files end with that are for this device alone, after a tilde.
    ///   - options: How they are decoded.
    ///   - registry: The formats that there are; nil for the process's.
    ///   - memoryPressure: What tells that memory is short; nil for nothing.
    public init(
        folders: [String], device: String? = nil, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry? = nil, memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure.shared
    ) {
        self.folders = folders
        self.device = device
        self.options = options
        self.registry = registry
        let token = memoryPressure?.observe { [weak self] _ in
            self?.removeAll()
            ImageMemory.removeDecodedPixels()
        }
        observation.withLock { $0 = token }
    }

    /// The picture called `name`, decoded: read now, unless it is kept.
    /// - Parameters:
    ///   - name: Its path in a folder. The extension, scale and device may be left out.
    ///   - scale: The display's pixels per point; nil for `DisplayScale.current`.
    /// - Throws: `invalidParameter` for a name that leads out of the folder, `inputOutput` where there is no such file or
    ///   it can't be read, or what the decoder reports.
    public func image(named name: String, scale: Double? = nil) throws(ImageError) -> Image {
        let key = Key(name: name, scale: scale ?? DisplayScale.current)
        if let image = images.withLock({ $0[key] }) { return image }
        let (path, fileScale) = try file(named: name, scale: key.scale)
        let bytes = try Source(path: path).bytes(limit: options.limits.maximumInputByteCount)
        let image = try ImageSource.image(
            bytes, scale: fileScale, forcesDecompression: true, options: options, registry: registry ?? .default)
        // Two may have read it at a time; both get the one that was first.
        return images.withLock { images in
            if let first = images[key] { return first }
            images[key] = image
            return image
        }
    }

    /// The picture called `name`, decoded: read on `ImageExecutor`, unless it is kept.
    /// - Throws: As the synchronous one.
    public func image(named name: String, scale: Double? = nil) async throws(ImageError) -> Image {
        let key = Key(name: name, scale: scale ?? DisplayScale.current)
        if let image = images.withLock({ $0[key] }) { return image }
        let result = await withTaskExecutorPreference(ImageExecutor.shared) {
            Result { () throws(ImageError) in try self.image(named: name, scale: key.scale) }
        }
        return try result.get()
    }

    /// Which file is meant by `name`, and its scale; nothing is read.
    /// - Throws: `invalidParameter` for a name that leads out of the folder, `inputOutput` where there is no such file.
    public func file(named name: String, scale: Double? = nil) throws(ImageError) -> (path: String, scale: Double) {
        let registry = registry ?? .default
        let candidates = try ImageName(name, registry: registry).candidates(
            scale: scale ?? DisplayScale.current, device: device,
            extensions: registry.decodableFormats.flatMap(\.filenameExtensions))
        for folder in folders {
            for candidate in candidates {
                let path = folder.isEmpty ? candidate.path : folder + "/" + candidate.path
                if ImageFileVariants.isRegularFile(path) { return (path, Double(candidate.scale)) }
            }
        }
        throw ImageError(.inputOutput, "there is no picture called \"\(name)\" in \(folders.joined(separator: ", "))")
    }

    /// Lets go of all that is kept. Pictures that are in use stay so.
    public func removeAll() {
        var old: [Key: Image] = [:]
        images.withLock { swap(&$0, &old) }
    }

    /// How many pictures are kept.
    package var count: Int { images.withLock { $0.count } }
}

extension Image {
    /// The picture called `name`, as `NamedImages.image(named:scale:)` finds it.
    public init(named name: String, in images: NamedImages) throws(ImageError) { self = try images.image(named: name) }
}
