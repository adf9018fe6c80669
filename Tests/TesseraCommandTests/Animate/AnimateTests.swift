import ImageFormats
import Raster
import Tessera
import TestSupport
import Testing

/// `tessera animate`: pictures as frames.
@Suite("tessera animate")
struct AnimateTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let colors = [("a", RGBA8(255, 0, 0), 40), ("b", RGBA8(0, 255, 0), 40), ("c", RGBA8(0, 0, 255), 20)]
        for (name, color, width) in colors {
            try folder.write(
                Pictures.plain(color, PixelSize(width: width, height: 30)).file(.png), to: "in/\(name).png")
        }
    }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["animate"] + arguments, in: folder)
    }

    @Test(
        "Each picture is a frame, in order, for its time",
        arguments: ["out.gif", "out.png", "out.webp", "out.avif", "out.jxl"])
    func frames(_ name: String) throws {
        let outcome = try run("in/a.png", "in/b.png", name, "--delay", "40", "--loop", "3")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let animation = try AnimatedImageSource(folder.read(name))
        #expect(animation.frames.map(\.duration) == [0.04, 0.04])
        #expect(try animation.frame(at: 0).size == PixelSize(width: 40, height: 30))
        let second = try animation.frame(at: 1).converted(to: .rgba8, alpha: AlphaMode.none).pixel(20, 15)
        #expect(second.green > 200 && second.red < 60)
        if name != "out.avif" { #expect(try ImageSource.header(of: folder.read(name)).sequence?.loopCount == 3) }
    }

    @Test("A folder's pictures fit in the size of the first, centred")
    func sizes() throws {
        #expect(try run("in", "out.png", "--size", "20x", "--quiet").status == 0)
        let animation = try AnimatedImageSource(folder.read("out.png"))
        #expect(animation.frames.count == 3)
        let last = try animation.frame(at: 2).converted(to: .rgba8, alpha: .straight)
        #expect(last.size == PixelSize(width: 20, height: 15))
        #expect(last.pixel(10, 7) == RGBA8(0, 0, 255) && last.pixel(0, 7).alpha == 0)
        // Again: the output of an earlier run isn't a frame.
        #expect(try Command.run("animate", "in", "in/out.png", "--json", in: folder).text.contains("\"frames\":3"))
        #expect(
            try Command.run("animate", "in", "in/out.png", "--json", "--force", in: folder).text.contains(
                "\"frames\":3"))
    }

    @Test(
        "What can't be is refused, and nothing is left",
        arguments: [
            (["in", "out.jpg"], 64), (["in", "out"], 64), (["in"], 64), (["in", "out.gif", "--delay", "0"], 64),
            (["in", "out.gif", "--loop", "-1"], 64), (["nosuch.png", "out.gif"], 1), (["in/a.png", "in/a.png"], 64),
        ] as [([String], Int32)])
    func refusals(arguments: [String], status: Int32) throws {
        let outcome = try Command.run(["animate"] + arguments, in: folder)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(try folder.names() == ["in"])
        #expect(try folder.names(in: "in") == ["a.png", "b.png", "c.png"])
    }
}
