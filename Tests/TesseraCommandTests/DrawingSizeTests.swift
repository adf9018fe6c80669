import Foundation
import Tessera
import TestSupport
import Testing

/// Drawings are drawn at the size asked for, whatever the command, as librsvg's own program draws them there.
@Suite("tessera: sizes of drawings")
struct DrawingSizeTests {
    private static let oracle = CommandLineTool("rsvg-convert")
    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">
        <rect width="40" height="20" fill="#fff"/><circle cx="12" cy="10" r="8" fill="#c00"/>
        <path d="M22 18 L38 2 L38 18 Z" fill="none" stroke="#036" stroke-width="0.5"/></svg>
        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array(Self.drawing.utf8), to: "drawing.svg")
    }

    @Test(
        "A drawing's size is librsvg's",
        .needs(oracle),
        arguments: [
            (["convert", "drawing.svg", "out.png", "--size", "400x400"], 400, 200),
            (["convert", "drawing.svg", "out.png", "--size", "20x20"], 20, 10),
            (["effect", "drawing.svg", "out.png", "--fit", "400x400"], 400, 200),
            (["effect", "drawing.svg", "out.png", "--fit", "200x200", "--scale-factor", "2"], 400, 200),
            (["fetch", "drawing.svg", "--size", "400", "--to", "png"], 400, 200),
            (["fetch", "drawing.svg", "--size", "400x100", "--to", "png"], 200, 100),
            (["fetch", "drawing.svg", "--fit", "400x400", "--to", "png"], 400, 200),
        ] as [([String], Int, Int)])
    func isDrawnAsLibrsvgDrawsIt(_ arguments: [String], _ width: Int, _ height: Int) throws {
        let run = try Command.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let name = arguments[0] == "fetch" ? "drawing.png" : "out.png"
        let own = try ImageSource.decode(folder.read(name)).bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
        try #require(own.size == PixelSize(width: width, height: height))
        #expect(
            try Self.oracle.run(
                ["-w", "\(width)", "-h", "\(height)", "-o", folder.file("oracle.png"), folder.file("drawing.svg")]))
        let other = try ImageSource.decode(folder.read("oracle.png")).bitmap
            .converted(to: .rgba8, alpha: AlphaMode.none)
        var largest = 0
        for y in 0..<height {
            let (a, b) = (own.rows.row(y, as: RGBA8.self), other.rows.row(y, as: RGBA8.self))
            for x in 0..<width {
                largest = max(
                    largest, abs(Int(a[x].red) - Int(b[x].red)), abs(Int(a[x].green) - Int(b[x].green)),
                    abs(Int(a[x].blue) - Int(b[x].blue)))
            }
        }
        #expect(largest <= 1)
    }
}
