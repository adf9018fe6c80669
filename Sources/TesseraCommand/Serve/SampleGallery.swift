#if Server
internal import Platform
internal import SamplePictures
internal import ImageFormats
internal import Raster
internal import Tessera

/// The sample images as a folder to serve, made on first use.
enum SampleGallery {
    private struct Item: Sendable {
        let path: String
        let picture: SamplePicture
        let format: ImageFormat
        /// The size; nil for the sample's default.
        var size: PixelSize?
        /// The part to write; nil for all of it.
        var part: PixelRect?
    }

    private static let items = [
        Item(path: "Cut-outs/Feather.jpng", picture: .feather, format: .jpng),
        Item(path: "Cut-outs/Flame.jpng", picture: .flame, format: .jpng),
        Item(path: "Cut-outs/Flame.png", picture: .flame, format: .png),
        Item(path: "Cut-outs/Fruit.jpng", picture: .fruit, format: .jpng),
        Item(path: "Cut-outs/Fruit.png", picture: .fruit, format: .png),
        Item(path: "Cut-outs/Island.jpng", picture: .cutout, format: .jpng),
        Item(path: "Evening.jpg", picture: .valley, format: .jpeg),
        part("Landscapes/Clouds.png", .png, x: 1300, y: 0),
        part("Landscapes/Forest.jpg", .jpeg, x: 250, y: 1450),
        part("Landscapes/Ridges.jpg", .jpeg, x: 1600, y: 1000),
        part("Landscapes/Shore.jpg", .jpeg, x: 2100, y: 1600),
        part("Landscapes/Summit.jpg", .jpeg, x: 500, y: 500),
        part("Landscapes/Sun.jpg", .jpeg, x: 1700, y: 500),
    ]

    private static let large = Item(
        path: "Panorama.jpg", picture: .valley, format: .jpeg, size: PixelSize(width: 13_000, height: 8667))

    private static func part(_ path: String, _ format: ImageFormat, x: Int, y: Int) -> Item {
        Item(
            path: path, picture: .valley, format: format, size: PixelSize(width: 3600, height: 2400),
            part: PixelRect(x: x, y: y, width: 1200, height: 800))
    }

    /// Returns the folder. Slow images are made while the others are already served.
    static func make() async throws -> String {
        let folder = FilePath("tessera/samples", in: cacheFolder).text
        let missing = items.filter { !FileSystem.isRegularFile(FilePath($0.path, in: folder).text) }
        if !missing.isEmpty { StandardError.note("Painting the sample pictures ...") }
        var landscape: Bitmap?
        for item in missing {
            guard let part = item.part else {
                try write(item.picture.makeRowSource(size: item.size), item, in: folder)
                continue
            }
            let whole = try landscape ?? item.picture.makeBitmap(size: item.size)
            landscape = whole
            try write(whole.cropped(to: part).makeRowSource(), item, in: folder)
        }
        if !FileSystem.isRegularFile(FilePath(large.path, in: folder).text) {
            StandardError.note("Painting a panorama of 113 megapixels, which appears among them when it is done ...")
            Task.detached(priority: .background) {
                do {
                    try write(large.picture.makeRowSource(size: large.size), large, in: folder)
                    StandardError.note("The panorama is there.")
                } catch {
                    StandardError.report("the panorama couldn't be painted: \(error)")
                }
            }
        }
        return folder
    }

    private static func write(_ rows: any RowSource, _ item: Item, in folder: String) throws {
        let path = FilePath(item.path, in: folder)
        try FileSystem.makeFolder(path.folder)
        let file = try AtomicFile(path: path.text, overwrites: true)
        try ImageDestination(format: item.format, options: EncodingOptions(quality: 0.88)).encode(rows, to: file)
        try file.commit()
    }

    /// The user's cache folder (XDG Base Directory Specification).
    private static var cacheFolder: String {
        for (variable, folder) in [("XDG_CACHE_HOME", ""), ("HOME", "/.cache")] {
            if let path = getenv(variable).map({ String(cString: $0) }), path.hasPrefix("/") { return path + folder }
        }
        return "/tmp"
    }
}
#endif
