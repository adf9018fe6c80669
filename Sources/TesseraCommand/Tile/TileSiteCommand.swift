internal import ArgumentParser
internal import CTesseraViewer
internal import ImageFormats
internal import ImagePyramid
internal import Platform
internal import Tessera

/// `tessera tile site`: writes a folder that shows a JPEG from any static server.
struct TileSiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Make a folder that shows a JPEG by deep zoom from any static server.",
        discussion: """
            The folder contains a page, the picture as it is, its index (see `tessera tile help index`), and the viewer's files, \
            with declarations for TypeScript and adapters for OpenSeadragon and Leaflet. Copy it to any web server that answers \
            byte ranges, such as nginx or Apache, or to a bucket. A browser doesn't open it as a file:// address.

            EXAMPLES
              tessera tile site photo.jpg public/photo
              tessera tile site photo.jpg public/photo --title "The town from the hill" --levels 2
            """)

    @Argument(help: ArgumentHelp("A JPEG or JPNG file.", valueName: "picture"), completion: .file())
    var path: String

    @Argument(
        help: ArgumentHelp("The folder, which is made if it doesn't exist.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The page's title, and the picture's description. Default: its name.", valueName: "text"))
    var title: String?

    @OptionGroup var options: WebIndexArguments

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @OptionGroup var report: ReportArguments

    /// The files of a site, besides the page.
    private static let names: Set = [
        "common.js", "controls.js", "failures.js", "gestures.js", "jpng-service-worker.js", "jpng.js", "minimap.js",
        "motion.js", "photo-source.js", "range-layer.js", "tessera-arriving.js", "tessera-error.js",
        "tessera-image-style.js", "tessera-image.js",
        "tessera-index.js", "tessera-leaflet.js", "tessera-module.js", "tessera-openseadragon.js",
        "tessera-picture.js", "tessera-ranges.js", "tessera-server.js", "tessera-storage.js", "tessera-worker.js",
        "tessera.d.ts",
        "tessera.js", "tessera.wasm", "tile-painter.js", "tile-sources.js", "tile-store.js", "viewport.js",
    ]
    private static let page = "site.html"

    func run() throws {
        do throws(ImageError) {
            try make()
        } catch {
            report.printFailure(error, of: .file(path))
            throw ExitCode.failure
        }
    }

    private func make() throws(ImageError) {
        let files = Self.files
        guard files["tessera.wasm"] != nil, let page = files[Self.page] else {
            throw ImageError(
                .unsupported,
                "this program was built without its WebAssembly module; Scripts/build-wasm makes it, then build again")
        }
        let source = try Source(regularFile: path)
        let index = try WebIndex(of: source, options: options.options).bytes
        let name = FilePath(path).name
        try FileSystem.makeFolder(folder)
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where name != Self.page {
            try write(bytes, name)
        }
        try copy(source, name)
        try write(index, name + WebIndex.suffix)
        let values = [
            "title": Self.escaped(title ?? FilePath(path).stem), "source": Self.escaped(Self.address(of: name)),
        ]
        var text = String(decoding: page, as: UTF8.self)
        for (key, value) in values { text = text.replacing("{{\(key)}}", with: value) }
        // Last: the page works as soon as it is there.
        try write(Array(text.utf8), "index.html")
        report.record(
            [
                ("input", .string(path)), ("output", .string(folder)),
                ("page", .string(FilePath("index.html", in: folder).text)), ("indexBytes", .integer(index.count)),
            ], "\(path) -> \(folder): an index of \(ByteCount(index.count)) and \(files.count - 1) files of the viewer")
    }

    /// The embedded files of a site, by name.
    private static var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var index = 0
        while let page = tessera_page_at(index)?.pointee {
            let name = String(cString: page.name)
            if names.contains(name) || name == Self.page {
                // Embedded bytes live as long as the program, and are copied here.
                files[name] = Array(UnsafeBufferPointer(start: page.bytes, count: page.count))
            }
            index += 1
        }
        return files
    }

    private func write(_ bytes: [UInt8], _ name: String) throws(ImageError) {
        try FileSystem.write(bytes, to: FilePath(name, in: folder).text, overwrites: force)
    }

    private func copy(_ source: Source, _ name: String) throws(ImageError) {
        let target = FilePath(name, in: folder).text
        if let identity = FileSystem.identity(target), identity == FileSystem.identity(path) { return }
        let file = try AtomicFile(path: target, overwrites: force)
        let reader = source.reader(from: 0)
        while try reader.nextBytes({ (piece) throws(ImageError) in try file.write(piece) }) {}
        try file.commit()
    }

    /// A file name as a relative URL reference (RFC 3986): a colon in the first segment would end a scheme, so it begins with `./`.
    private static func address(of name: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = name.utf8.flatMap { byte in
            unreserved.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "./" + String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
