import Foundation
import Tessera
import TestSupport
import Testing

@Suite("tessera: errors name the failure, the value, the limit and the remedy")
struct ErrorMessageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        let cutout = try Pictures.cutout()
        let photograph = try Pictures.photograph()
        try folder.write(cutout.file(.png), to: "a.png")
        try folder.write(photograph.file(.jpeg), to: "p.jpg")
        try folder.write(cutout.file(.jpng), to: "a.jpng")
        try folder.write([], to: "empty.png")
        try folder.write(Array("no image".utf8), to: "text.png")
        try folder.write(Array("[{\"spin\": {}}]".utf8), to: "recipe.json")
    }

    private static let limits = [
        FailingCall(
            "convert a.png b.jpg --limits pixels=100", 1, "a.png: the PNG image has 1536 pixels (48x32)",
            "the limit is 100", "--limits pixels=NUMBER raises it"),
        FailingCall(
            "convert a.png b.jpg --limits side=10", 1, "a side of the PNG image of 48x32 pixels is too long",
            "the limit is 10", "--limits side=NUMBER raises it"),
        FailingCall(
            "convert a.png b.jpg --limits memory=10", 1, "a row of the PNG image would take", "the limit is 10",
            "--limits memory=NUMBER raises it"),
        FailingCall(
            "convert p.jpg b.png --limits input=100", 1, "p.jpg: ", "100 bytes", "--limits input=NUMBER raises it"),
        FailingCall(
            "info a.png --limits pixels=100", 1, "1536 pixels (48x32)", "the limit is 100",
            "--limits pixels=NUMBER raises it"),
        FailingCall(
            "preview a.png --out out --limits side=10", 1, "48x32 pixels", "the limit is 10",
            "--limits side=NUMBER raises it"),
        FailingCall(
            "effect a.png b.png --circle --limits pixels=100", 1, "1536 pixels (48x32)", "the limit is 100",
            "--limits pixels=NUMBER raises it"),
        FailingCall(
            "effect a.png b.png --scale 100000x100000", 1, "the result of 100000x100000 has too many pixels",
            "the limit is 268435456"),
        FailingCall(
            "fetch a.png -d out --to jpg --limits pixels=100", 1, "1536 pixels (48x32)", "the limit is 100",
            "--limits pixels=NUMBER raises it"),
        FailingCall(
            "fetch a.png -d out --to jpg --limits input=10", 1, "a.png: data exceeds the limit of 10 bytes",
            "--limits input=NUMBER raises it"),
        FailingCall(
            "open a.png --limits pixels=100", 1, "1536 pixels (48x32)", "the limit is 100",
            "--limits pixels=NUMBER raises it"),
        FailingCall(
            "tile p.jpg out.dzi --limits pixels=5", 1, "the JPEG image has 2400 pixels (60x40)", "the limit is 5",
            "--limits pixels=NUMBER raises it"),
        FailingCall(
            "convert a.png b.png --max-bytes 10", 1, "bytes without loss", "the limit is 10",
            "raise it, or make the image smaller"),
        FailingCall(
            "convert p.jpg b.jpg --max-bytes 10", 1, "bytes at the lowest quality", "the limit is 10",
            "raise it, or make the image smaller"),
        FailingCall(
            "convert a.png b.jpg --limits pixels=zero", 64, "\"zero\" is no limit", "a number above 0, as in 500M"),
        FailingCall("convert a.png b.jpg --limits size=1", 64, "\"size=1\" names no limit", "write pixels=, side="),
    ]

    private static let conversions = [
        FailingCall("convert a.png b.jpg --frame=-1", 64, "--frame must be at least 0, not -1"),
        FailingCall("convert a.png b.jpg --frame 3", 1, "there is no frame 3", "the last is 0"),
        FailingCall("convert a.png b.jpg --frame 1 --frames", 64, "--frame and --frames", "use one of them"),
        FailingCall("convert a.png b.gif --loop 70000", 64, "--loop is 0 to 65535, not 70000"),
        FailingCall("convert a.png b.jpg --jobs 0", 64, "--jobs must be at least 1, not 0"),
        FailingCall("convert a.png b.jpg --quality 80", 64, "80.0 is not between 0 and 1", "did you mean 0.8?"),
        FailingCall("convert a.png b.webp --webp-method 9", 64, "a WebP method of 9", "not between 0 and 6"),
        FailingCall("convert a.png b.png --compression-level 10", 64, "level of 10", "not between 0 and 9"),
        FailingCall("convert a.png b.tif --tile 24x16", 64, "24x16", "multiples of 16"),
        FailingCall("convert a.png b.jpng --jpng-version 3", 64, "versions 1 and 2, not 3"),
        FailingCall("convert a.png b.jpg --size 0x5", 64, "'0x5'", "both sides must be at least 1"),
        FailingCall("convert a.png b.xyz", 64, "unknown extension \"xyz\"", "use --to FORMAT, or one of:", "png"),
        FailingCall("convert folder b.jpg", 64, "folder is a folder", "the images in it", "--output-dir FOLDER"),
        FailingCall("convert - -d out --to png", 64, "standard input has no name", "use `- OUTPUT` alone"),
        FailingCall("convert a.png a.png", 1, "a.png exists already", "--force replaces it"),
        FailingCall("convert folder -d out --to png", 1, "there are no images", "--recursive looks deeper"),
    ]

    private static let effects = [
        FailingCall("effect a.png b.png --fit 0x5", 64, "invalid size 0.0x5.0", "width and height must be above 0"),
        FailingCall("effect a.png b.png --fit 1e9x1e9", 64, "1000000000.0 is out of range", "the limit is 16777216"),
        FailingCall("effect a.png b.png --blur=-1", 64, "a radius of -1.0 is negative", "must be at least 0"),
        FailingCall("effect a.png b.png --opacity 2", 64, "an opacity of 2.0", "not from 0 to 1"),
        FailingCall("effect a.png b.png --rotate nan", 64, "invalid angle nan", "must be a finite number"),
        FailingCall("effect a.png b.png --sharpen 200", 64, "invalid sharpening amount 200.0", "between 0 and 100"),
        FailingCall("effect a.png b.png --reflect 0", 64, "invalid reflection scale 0.0", "must be above 0"),
        FailingCall(
            "effect a.png b.png --crop 500,500,10,10,intersected", 1, "10x10 at (500, 500)",
            "outside the image of 48x32"),
        FailingCall("effect a.png b.png --circle --scale-factor 0", 64, "--scale-factor is a number above 0, not 0.0"),
        FailingCall(
            "effect a.png b.png --recipe r.json --circle", 64, "--recipe can't be", "add those effects to the recipe"),
        FailingCall("effect a.png b.png --recipe recipe.json", 1, "recipe.json: [0].spin", "no effect called \"spin\""),
        FailingCall("effect a.png b.png", 64, "no effect is given", "as in --fit 800x600"),
    ]

    private static let tiles = [
        FailingCall("tile p.jpg", 64, "an output is missing", "tessera tile INPUT OUTPUT"),
        FailingCall("tile p.jpg -", 64, "can't go to standard output", "isn't seekable", "name a file"),
        FailingCall("tile p.jpg out --tile-size 9000", 64, "--tile-size is 1 to 8192, not 9000"),
        FailingCall("tile p.jpg out --overlap 999", 64, "--overlap is 0 to the tile size, 256, not 999"),
        FailingCall("tile p.jpg out.tif --tile-size 100", 64, "divisible by 16, not 100"),
        FailingCall("tile p.jpg out.szi --layout google", 64, "out.szi", "deepzoom tiles, not google", "use .zip"),
        FailingCall("tile a.png out.tif", 1, "the image has transparency", "--format jpg draws it on --background"),
        FailingCall("tile info a.png", 1, "a.png: not a pyramid", "neither a packed file"),
        FailingCall(
            "tile extract p.pyramid x.jpg --tile 9/0,0", 1, "no tile 9/0,0", "`tessera tile info` lists its levels"),
        FailingCall("tile extract p.pyramid x.png --level 77", 1, "the pyramid has no level 77", "the smallest is 0"),
        FailingCall("tile extract p.pyramid x.png --level=-1", 64, "--level must be at least 0, not -1"),
        FailingCall("tile extract p.pyramid x.png", 64, "nothing to extract", "one of --tile, --level and --layout"),
    ]

    private static let others = [
        FailingCall("fetch a.png --timeout 0", 64, "above 0 and at most 86400, not 0.0"),
        FailingCall("fetch a.png --jobs 2000", 64, "--jobs is 1 to 1000, not 2000"),
        FailingCall("fetch a.png --cache-policy reload", 64, "--cache-policy needs --cache FOLDER"),
        FailingCall("fetch -", 1, "no URLs on standard input", "write one a line"),
        FailingCall("open a.png --chunk 0", 64, "--chunk must be at least 1, not 0"),
        FailingCall("open a.png --rate 0", 64, "\"0\" is no rate", "a number above 0, as in 40M"),
        FailingCall("open a.png --index i", 64, "--index goes with --stats"),
        FailingCall("bench jpng a.png --runs 0", 64, "--runs must be at least 1, not 0"),
        FailingCall("demo --quality 2", 64, "2.0 is not between 0 and 1"),
        FailingCall(
            "sign /a --key-file text.png", 1, "invalid key of 8 bytes", "16 to 4096 bytes", "openssl rand -hex 32"),
        FailingCall("cache info none", 1, "none isn't a folder", "name the cache's folder"),
        FailingCall("jpng join a.jpng a.png out.jpng", 1, "a.jpng is a JPNG already", "`tessera jpng split`"),
    ]

    @Test(
        "A failed call says what failed, the value, the limit and the remedy, and writes nothing",
        arguments: limits + conversions + effects + tiles + others)
    func explains(_ call: FailingCall) throws {
        if call.arguments.contains("p.pyramid") {
            #expect(try Command.run("tile", "p.jpg", "p.pyramid", in: folder).status == 0)
        }
        let before = try folder.names()
        let outcome = try Command.run(call.arguments, in: folder)
        #expect(outcome.status == call.status, "\(outcome.errors)")
        // The help that follows a usage error isn't part of it.
        let lines = outcome.errors.split(separator: "\n").prefix { !$0.hasPrefix("Help:") && !$0.hasPrefix("Usage:") }
        let errors = lines.joined(separator: " ")
        for words in call.words { #expect(errors.contains(words), "\(outcome.errors)") }
        #expect(!errors.contains("picture"), "\(outcome.errors)")
        #expect(try folder.names().filter { $0 != "out" } == before)
    }
}
