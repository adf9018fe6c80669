internal import ArgumentParser
internal import ImageFormats
internal import ImagePyramid
internal import Tessera

/// `tessera tile info`: describes a pyramid.
struct TileInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show a pyramid's layout, size, tiles and levels.",
        discussion: """
            A pyramid is a packed file, a tree (its folder, or Deep Zoom's document), an archive of a tree, or a TIFF of \
            JPEG tiles.

            EXAMPLES
              tessera tile info scan.pyramid
              tessera tile info site/photo.dzi --json
              tessera tile info s3://maps/map.pyramid
            """)

    @Argument(help: ArgumentHelp("Pyramids.", valueName: "pyramid"), completion: .file())
    var paths: [String]

    @OptionGroup var result: ResultArguments

    func run() throws {
        var descriptions: [PyramidDescription] = []
        var failed = false
        for path in paths {
            do throws(ImageError) {
                descriptions.append(PyramidDescription(path: path, pyramid: try BucketFiles.openPyramid(path)))
            } catch {
                StandardError.report(error.message(about: .file(path)))
                failed = true
            }
        }
        if result.json || !descriptions.isEmpty {
            result.show(
                .array(descriptions.map(\.json)), descriptions.map(\.text).joined(separator: "\n\n"))
        }
        if failed { throw ExitCode.failure }
    }
}

/// The description of a pyramid that `tile info` prints.
struct PyramidDescription {
    let path: String
    let pyramid: any StoredPyramid

    private var layout: String {
        switch pyramid {
        case let tree as TreePyramid: tree.layout.rawValue
        case is PackedPyramid: "packed"
        default: "tiff"
        }
    }

    private var packed: PackedPyramid? { pyramid as? PackedPyramid }

    /// The description as lines of text.
    var text: String {
        let geometry = pyramid.geometry
        var lines = [path]
        func add(_ name: String, _ value: String) {
            lines.append("  \(name):" + String(repeating: " ", count: max(1, 14 - name.count)) + value)
        }
        add("layout", layout)
        add("size", "\(geometry.size)")
        add("tiles", "\(geometry.tileCount) of \(geometry.tileSize)x\(geometry.tileSize), \(pyramid.format.name)")
        if geometry.overlap > 0 { add("overlap", "\(geometry.overlap)") }
        if let packed {
            add("quality", packed.encoding.quality.formatted(decimals: 2))
            if packed.presentTileCount < geometry.tileCount {
                add("missing", "\(geometry.tileCount - packed.presentTileCount) tiles")
            }
            add("bytes", "\(packed.byteCount)")
            for (name, value) in packed.metadata.sorted(by: { $0.key < $1.key }) { add(name, value) }
        }
        add("levels", "\(geometry.levels.count)")
        var table = TextTable(["    level", "size", "columns", "rows"])
        for (level, size) in geometry.levels.enumerated() {
            table.append(["    \(level)", "\(size)", "\(geometry.columnCount(level))", "\(geometry.rowCount(level))"])
        }
        return (lines + [table.description]).joined(separator: "\n")
    }

    /// The description as JSON.
    var json: JSONValue {
        let geometry = pyramid.geometry
        let levels = geometry.levels.enumerated().map { level, size in
            JSONValue.object([
                ("width", .integer(size.width)), ("height", .integer(size.height)),
                ("columns", .integer(geometry.columnCount(level))), ("rows", .integer(geometry.rowCount(level))),
            ])
        }
        var members: [(String, JSONValue)] = [
            ("file", .string(path)), ("layout", .string(layout)), ("width", .integer(geometry.size.width)),
            ("height", .integer(geometry.size.height)), ("tileSize", .integer(geometry.tileSize)),
            ("overlap", .integer(geometry.overlap)), ("tiles", .integer(geometry.tileCount)),
            ("format", .string(pyramid.format.name)), ("levels", .array(levels)),
        ]
        if let packed {
            members += [
                ("quality", .number(packed.encoding.quality)), ("presentTiles", .integer(packed.presentTileCount)),
                ("bytes", .integer(packed.byteCount)),
                ("metadata", .object(packed.metadata.sorted { $0.key < $1.key }.map { ($0, .string($1)) })),
            ]
        }
        return .object(members)
    }
}
