import ImageFormats
import Raster
import TestSupport
import Testing

/// One table for all commands: 0 for success, 1 if some of the work failed, 64 for invalid arguments, and 66 for a
/// comparison that couldn't be made.
@Suite("tessera: exit statuses")
struct ExitStatusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "a.png")
        try folder.write(Pictures.photograph().file(.jpeg), to: "a.jpg")
        try folder.write(Array("no picture".utf8), to: "text.png")
    }

    private static let table: [(Int32, String)] = [
        (0, "convert a.png out.qoi"), (1, "convert nosuch.png out.qoi"), (1, "convert text.png out.qoi"),
        (64, "convert a.png"), (64, "convert a.png out.nosuch"), (64, "convert a.png out.qoi --size 0"),
        (64, "convert a.png out.jpg --lossless"), (64, "convert a.jpg out.jpng --lossless"),
        (0, "convert a.png out.webp --lossless"), (0, "convert a.png out --to webp"),
        (0, "effect a.png out.png --blur 1"), (1, "effect text.png out.png --blur 1"),
        (64, "effect a.png out.png --blur x"), (64, "effect a.png out.png --blur -1"), (64, "effect a.png out.png"),
        (64, "effect a.png out.png --radius -4"), (0, "effect a.png out.png --border 2,white"),
        (0, "animate a.png a.jpg out.gif"), (1, "animate a.png text.png out.gif"), (64, "animate a.png out.jpg"),
        (0, "sheet a.png out.png"), (64, "sheet a.png"), (1, "sheet a.png text.png out.png"),
        (0, "compare a.png a.png"), (66, "compare a.png nosuch.png"), (64, "compare a.png"),
        (1, "compare a.png a.jpg --min-psnr 90"), (64, "compare a.png a.jpg --min-ssim 2"),
        (0, "info a.png"), (1, "info text.png"), (64, "info"), (64, "info a.png --nosuch"),
        (0, "transform a.jpg out.jpg --rotate 90"), (1, "transform a.png out.jpg --rotate 90"),
        (64, "transform a.jpg out.jpg --rotate 45"), (0, "optimize a.png out.png"), (1, "optimize text.png out.png"),
        (64, "optimize a.png"), (0, "metadata get a.jpg"), (1, "metadata get text.png"),
        (64, "metadata set a.jpg out.jpg"), (0, "metadata set a.jpg out.jpg --tag Artist=me"),
        (1, "fetch text.png --output-dir out"), (1, "fetch nosuch.png --output-dir out"), (64, "fetch"),
        (64, "preview a.png"), (1, "preview text.png --out out"), (0, "formats"), (64, "formats --nosuch"),
        (64, "tile"), (1, "tile make text.png out"), (1, "tile info a.png"), (64, "cache info"),
        (1, "cache info nosuch"),
        (1, "jpng verify text.png"), (0, "jpng"), (64, "sign"), (64, "serve --port abc"),
        (64, "serve --port 99999999"), (64, "serve --quality 2"), (64, "serve --cache-size much"),
        (64, "serve --base-path images"), (1, "serve nosuch"), (64, "sheet a.png out.png --quiet --verbose"),
        (1, "sheet text.png out.png"), (1, "metadata get a.png --tag GPS --quiet"), (0, "info a.png --quiet"),
        (64, "bench nosuch"),
        (64, "batch"), (64, "nosuch"), (64, "help nosuch"), (0, "help convert"), (0, "--version"), (64, "convert -x"),
    ]

    @Test("Every command ends by the table", arguments: table.map(\.1))
    func status(_ line: String) throws {
        let wanted = try #require(Self.table.first { $0.1 == line }).0
        let outcome = try Command.run(line.split(separator: " ").map(String.init), in: folder)
        #expect(outcome.status == wanted, "\(line): \(outcome.errors)")
        // A failure has a reason, on standard error, unless the status is the answer.
        let isAnswer = line.hasPrefix("jpng verify") || line.hasPrefix("metadata get") && line.hasSuffix("--quiet")
        #expect((outcome.status == 0) || !outcome.errors.isEmpty || isAnswer, "\(line)")
    }
}
