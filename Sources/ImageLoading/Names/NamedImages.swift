public import ImageFormats
public import Raster
internal import Synchronization

/// Loads a program's own images by file name, decodes them once, and caches them until memory is short.
///
/// ```swift
/// let images = NamedImages(folders: ["/usr/share/gallery"])
/// let star = try images.image(named: "icons/star")
/// ```
/// `star` may be `star.png`, `star@2x.jpng`, `star@3x~tv.webp`: the file with the best scale for the display, in the
/// first folder that has one. The image has the file's scale.
public final class NamedImages: Sendable {
    /// The folders to search, in order.
    public let folders: [String]
    /// The suffix of files for this device, without its tilde; nil for none.
    public let device: String?

    private struct Key: Hashable {
        var name: String
        var scale: Double
    }

    private let options: DecodingOptions
    private let registry: CodecRegistry?
    private let images = Mutex<[Key: Image]>([:])
    private let observation = Mutex<MemoryPressureObservation?>(nil)

    /// Creates a collection of the images in `folders`.
    /// - Parameters:
    ///   - device: The suffix of files for this device, without its tilde.
    ///   - options: The decoding options.
    ///   - registry: The supported formats; nil for `CodecRegistry.default`.
    ///   - memoryPressure: The source of memory pressure events; nil for none.
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

    /// Returns the decoded image called `name`, from the cache or read on the calling thread.
    /// - Parameters:
    ///   - name: The path in a folder. Extension, scale and device are optional.
    ///   - scale: The display's pixels per point; nil for `DisplayScale.current`.
    /// - Throws: `invalidParameter` for a name that leaves the folder, `inputOutput` if there is no such file or it
    ///   can't be read, or the decoder's error.
    public func image(named name: String, scale: Double? = nil) throws(ImageError) -> Image {
        let key = Key(name: name, scale: scale ?? DisplayScale.current)
        if let image = images.withLock({ $0[key] }) { return image }
        let (path, fileScale) = try file(named: name, scale: key.scale)
        let bytes = try Source(path: path).bytes(limit: options.limits.maximumInputByteCount)
        let image = try ImageSource.image(
            bytes, scale: fileScale, forcesDecompression: true, options: options, registry: registry ?? .default)
        // Two threads may have read it concurrently; both return the first result.
        return images.withLock { images in
            if let first = images[key] { return first }
            images[key] = image
            return image
        }
    }

    /// Returns the decoded image called `name`, from the cache or read on `ImageExecutor`.
    /// - Throws: The same errors as the synchronous form.
    public func image(named name: String, scale: Double? = nil) async throws(ImageError) -> Image {
        let key = Key(name: name, scale: scale ?? DisplayScale.current)
        if let image = images.withLock({ $0[key] }) { return image }
        let result = await withTaskExecutorPreference(ImageExecutor.shared) {
            Result { () throws(ImageError) in try self.image(named: name, scale: key.scale) }
        }
        return try result.get()
    }

    /// Returns the path and scale of the file for `name`, without reading it.
    /// - Throws: `invalidParameter` for a name that leaves the folder, `inputOutput` if there is no such file.
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
        throw ImageError(.inputOutput, "there is no image called \"\(name)\" in \(folders.joined(separator: ", "))")
    }

    /// Empties the cache. Images in use stay valid.
    public func removeAll() {
        var old: [Key: Image] = [:]
        images.withLock { swap(&$0, &old) }
    }

    /// The number of cached images.
    package var count: Int { images.withLock { $0.count } }
}

extension Image {
    /// Loads the image called `name`; see `NamedImages.image(named:scale:)`.
    public init(named name: String, in images: NamedImages) throws(ImageError) { self = try images.image(named: name) }
}
