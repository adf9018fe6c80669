internal import Tessera

/// The pictures of a file that holds several, each made when it is asked for.
struct PictureSequence {
    /// What the file says of its first picture.
    let header: ImageHeader
    /// How many there are.
    let count: Int
    /// What is wrong with the file behind the pictures there are.
    let error: ImageError?
    private let open: (_ index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double)

    /// The pictures in `bytes`, changed; nil when there is only one.
    init?(
        _ bytes: [UInt8], header: ImageHeader, changing change: PixelChange, options: DecodingOptions,
        registry: CodecRegistry
    ) throws(ImageError) {
        guard let sequence = header.sequence else { return nil }
        self.header = header
        switch sequence.kind {
        case .animation:
            let source = try AnimatedImageSource(bytes, options: options, registry: registry)
            count = source.frames.count
            error = source.error
            open = { (index) throws(ImageError) in
                (try change.frame(at: index, of: source), source.frames[index].duration)
            }
        case .pages:
            count = sequence.count ?? 1
            error = nil
            open = { (index) throws(ImageError) in
                var options = options
                options.imageIndex = index
                let source = try ImageRowSource(ByteArraySource(bytes), options: options, registry: registry) {
                    (header) throws(ImageError) in try change.plan(for: header, registry)
                }
                let rows = try change.applied(to: source, of: source.header, registry)
                let bitmap = try rows.makeBitmap()
                try source.finish()
                return (bitmap, 0)
            }
        }
        guard count > 1 else { return nil }
    }

    /// How often an animation is played, 0 for without end.
    var loopCount: Int { header.sequence?.loopCount ?? 1 }

    /// The picture at `index`, and how long it is shown, in seconds.
    func picture(at index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double) { try open(index) }
}

extension ImageSequence.Kind {
    /// What a format must be able to do to hold several pictures of this kind.
    var capability: ImageCapabilities {
        switch self {
        case .animation: .encodeAnimation
        case .pages: .encodePages
        }
    }

    /// What people call `count` of its pictures.
    func name(_ count: Int) -> String {
        switch self {
        case .animation: count == 1 ? "frame" : "frames"
        case .pages: count == 1 ? "picture" : "pictures"
        }
    }
}
