internal import ImageFormats
internal import Tessera

/// The images of a file that has several, each decoded when it is requested.
struct PictureSequence {
    /// The header of the first image.
    let header: ImageHeader
    /// The number of images.
    let count: Int
    /// The error after the last available image; nil if the file is intact.
    let error: ImageError?
    private let open: (_ index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double)

    /// Opens the images in `bytes`, with `change` applied; nil if there is only one.
    /// - Parameter isPartial: Whether to accept a damaged file: an animation's frames up to the first that can't be
    ///   decoded, and every page with at least one row.
    init?(
        _ bytes: [UInt8], header: ImageHeader, changing change: PixelChange, options: DecodingOptions,
        isPartial: Bool, registry: CodecRegistry
    ) throws(ImageError) {
        guard let sequence = header.sequence else { return nil }
        self.header = header
        switch sequence.kind {
        case .animation:
            let source: AnimatedImageSource
            do throws(ImageError) {
                source = try AnimatedImageSource(bytes, options: options, registry: registry)
            } catch {
                // No frame is complete. The available part of the first is written as a still.
                guard isPartial else { throw error }
                return nil
            }
            (count, error) =
                isPartial ? Self.decodableFrames(of: source) : (source.frames.count, source.error)
            open = { (index) throws(ImageError) in
                (try change.frame(at: index, of: source), source.frames[index].duration)
            }
        case .pages:
            let pages = 0..<(sequence.count ?? 1)
            guard isPartial else {
                (count, error) = (pages.count, nil)
                open = { (index) throws(ImageError) in
                    let source = try ImageRowSource(
                        Source(bytes), options: options.ofPicture(index), registry: registry
                    ) { (header) throws(ImageError) in try change.plan(for: header, registry) }
                    let rows = try change.applied(to: source, of: source.header, registry)
                    let bitmap = try rows.makeBitmap()
                    try source.finish()
                    return (bitmap, 0)
                }
                break
            }
            let (there, damage) = Self.decodablePages(pages, of: bytes, options, registry)
            (count, error) = (there.count, damage)
            open = { (index) throws(ImageError) in
                let decoded = try ImageSource.decode(
                    bytes, options: options.ofPicture(there[index]), registry: registry)
                let rows = try change.applied(to: decoded.bitmap.makeRowSource(), of: decoded.header, registry)
                return (try rows.makeBitmap(), 0)
            }
        }
        guard count > 1 else { return nil }
    }

    /// Returns the number of frames before the first that can't be decoded, and the error.
    private static func decodableFrames(of source: AnimatedImageSource) -> (Int, ImageError?) {
        for index in source.frames.indices {
            do throws(ImageError) {
                _ = try source.frame(at: index)
            } catch {
                return (index, error)
            }
        }
        return (source.frames.count, source.error)
    }

    /// Returns the pages that have any rows, and the first error.
    private static func decodablePages(
        _ pages: Range<Int>, of bytes: [UInt8], _ options: DecodingOptions, _ registry: CodecRegistry
    ) -> ([Int], ImageError?) {
        var there: [Int] = []
        var damage: ImageError?
        for page in pages {
            do throws(ImageError) {
                let decoded = try ImageSource.decode(bytes, options: options.ofPicture(page), registry: registry)
                damage = damage ?? decoded.error
                there.append(page)
            } catch {
                damage = damage ?? error
            }
        }
        return (there, damage)
    }

    /// The number of times that an animation plays, 0 for endless.
    var loopCount: Int { header.sequence?.loopCount ?? 1 }

    /// Returns the image at `index` and its duration in seconds.
    func picture(at index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double) { try open(index) }
}

extension ImageSequence.Kind {
    /// The capability that a format needs to hold several images of this kind.
    var capability: ImageCapabilities {
        switch self {
        case .animation: .encodeAnimation
        case .pages: .encodePages
        }
    }

    /// The noun for `count` images of this kind.
    func name(_ count: Int) -> String {
        switch self {
        case .animation: count == 1 ? "frame" : "frames"
        case .pages: count == 1 ? "picture" : "pictures"
        }
    }
}

extension DecodingOptions {
    /// Returns the options with `index` as the image to decode.
    fileprivate func ofPicture(_ index: Int) -> DecodingOptions {
        var options = self
        options.imageIndex = index
        return options
    }
}
