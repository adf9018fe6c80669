import JPEGBitstream

/// Tiles of a JPEG as files of their own, by copying bits: a thousand a run, all over the picture, in memory and on one
/// thread.
final class CopiedTilesSubject: Subject {
    static let count = 1000

    private let bytes: [UInt8]
    private let index: JPEGTileIndex
    private let assembler: JPEGTileAssembler
    private let windows: [JPEGTileWindow]
    private var file: [UInt8] = []

    init(_ arguments: [String]) throws {
        let bytes = try arguments.file(0)
        self.bytes = bytes
        index = try JPEGTileIndex(of: bytes.span.bytes)
        let layout = index.layout
        assembler = JPEGTileAssembler(layout)
        let (across, down) = (layout.width / 256, layout.height / 256)
        windows = (0..<Self.count).compactMap { number in
            let tile = number * 7919 % (across * down)
            let (x, y) = (tile % across * 256, tile / across * 256)
            return layout.window(x: x..<(x + 256), y: y..<(y + 256))
        }
    }

    func prepare() {}

    func run() throws {
        let bytes = bytes
        for window in windows {
            file.removeAll(keepingCapacity: true)
            try assembler.append(window, of: index, from: bytes.span.bytes, to: &file)
        }
    }

    /// The last one.
    func output() throws -> Output { .file(file) }
}
