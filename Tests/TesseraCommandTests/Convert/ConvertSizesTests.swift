import Foundation
import ImageFormats
import Raster
import Tessera
import TestSupport
import Testing

/// Several sizes and formats of each input.
@Suite("tessera convert: --sizes")
struct ConvertSizesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.cutout(PixelSize(width: 96, height: 64)).file(.png), to: "wide.png")
        try folder.write(Pictures.cutout(PixelSize(width: 20, height: 40)).file(.png), to: "in/high.png")
    }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(["convert"] + arguments, in: folder)
    }

    private func size(of name: String) throws -> String {
        let size = try ImageSource.header(of: folder.read(name)).size
        return "\(name): \(size.width)x\(size.height)"
    }

    @Test("Each input is written in each size and format, and not enlarged")
    func sizesAndFormats() throws {
        let outcome = try run("wide.png", "in/high.png", "--sizes", "24x,48x,x500", "--to", "jpg,png", "-o", "out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("8 of 8 files converted"))
        #expect(
            try folder.paths().filter { $0.hasPrefix("out/") }.map(size)
                == [
                    "out/high-20.jpg: 20x40", "out/high-20.png: 20x40", "out/wide-24.jpg: 24x16",
                    "out/wide-24.png: 24x16", "out/wide-48.jpg: 48x32", "out/wide-48.png: 48x32",
                    "out/wide-96.jpg: 96x64", "out/wide-96.png: 96x64",
                ])
    }

    @Test("Outputs have the pixels that conversions one by one give")
    func pixels() throws {
        #expect(
            try run("wide.png", "--sizes", "96,100%", "--to", "png,gif,jpg", "--name", "{stem}_{width}.{ext}").status
                == 0)
        for name in ["png", "gif", "jpg"] {
            #expect(try run("wide.png", "one.\(name)").status == 0)
            #expect(try folder.read("wide_96.\(name)") == folder.read("one.\(name)"))
        }
    }

    @Test("The depth is that of the deepest format")
    func depth() throws {
        var deep = try MutableBitmap(BitmapInfo(size: PixelSize(width: 32, height: 1), format: .gray16))
        var rows = deep.mutableRows
        var row = rows.row(0, as: Gray16.self)
        for x in 0..<32 { row[x] = Gray16(UInt16(x * 257 + 1)) }
        try folder.write(deep.freeze().file(.png), to: "deep.png")
        #expect(try run("deep.png", "--sizes", "16,32", "--to", "jpg,png").status == 0)
        #expect(try ImageSource.header(of: folder.read("deep-32.png")).bitsPerChannel == 16)
        #expect(try ImageSource.header(of: folder.read("deep-16.png")).bitsPerChannel == 16)
        #expect(try ImageSource.header(of: folder.read("deep-16.jpg")).bitsPerChannel == 8)
    }

    @Test("An animation stays one in each size")
    func animation() throws {
        let photograph = try Pictures.photograph()
        let (buffer, frames) = (ByteBuffer(), try [photograph, photograph.oriented(by: .upMirrored)])
        try ImageDestination(format: .gif).encode(count: 2, to: buffer) { (frames[$0], 0.1) }
        try folder.write(buffer.bytes, to: "party.gif")
        #expect(try run("party.gif", "--sizes", "10x,20x", "--to", "gif,png").status == 0)
        for name in ["party-10.gif", "party-20.gif", "party-10.png", "party-20.png"] {
            #expect(try AnimatedImageSource(folder.read(name)).frames.count == 2, "\(name)")
        }
    }

    @Test("--srcset prints the HTML, the last format for every browser")
    func sourceSet() throws {
        let outcome = try run("wide.png", "--sizes", "24x,48x", "--to", "png,jpg", "-o", "a b", "--srcset", "-q")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            String(decoding: outcome.output, as: UTF8.self) == """
                <picture>
                  <source type="image/png" srcset="a%20b/wide-24.png 24w, a%20b/wide-48.png 48w" sizes="100vw">
                  <img src="a%20b/wide-48.jpg" srcset="a%20b/wide-24.jpg 24w, a%20b/wide-48.jpg 48w" sizes="100vw" \
                width="48" height="32" alt="">
                </picture>

                """)
        // Again, nothing is left to do, and the HTML is the same.
        let again = try run(
            "wide.png", "--sizes", "24x,48x", "--to", "png,jpg", "-o", "a b", "--srcset", "--skip-existing")
        #expect(again.status == 0 && again.output == outcome.output)
    }

    @Test("A folder can be converted again")
    func again() throws {
        let arguments = ["in", "--sizes", "5x,10x", "--to", "png,jpg"]
        #expect(try Command.run(["convert"] + arguments, in: folder).status == 0)
        let paths = try folder.paths()
        let outcome = try Command.run(["convert"] + arguments, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("0 of 4 files converted; 4 skipped"))
        #expect(try folder.paths() == paths)
    }

    @Test("A damaged input fails each of its outputs, and the others are written")
    func damage() throws {
        let file = try folder.read("wide.png")
        try folder.write(Array(file.prefix(file.count / 2)), to: "cut.png")
        let outcome = try run("cut.png", "in/high.png", "--sizes", "10x,20x", "--to", "png")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("2 of 4 files converted") && outcome.errors.contains("2 failed"))
        #expect(try folder.paths().filter { $0.hasPrefix("cut-") }.isEmpty)
    }

    @Test(
        "Arguments that contradict each other are refused",
        arguments: [
            (["--sizes", "24", "--size", "24"], "use one of the two options"),
            (["--sizes", "24,48", "--name", "{stem}.{ext}"], "write {width} or {height} in --name"),
            (["--sizes", "24,,48"], "write a width and a height"),
            (["--sizes", "24", "--in-place"], "excludes"),
            (["--sizes", "24", "--frames"], "excludes --in-place, --frames"),
            (["--srcset"], "add --sizes"),
            (["--sizes", "24", "--srcset", "--json"], "both print to standard output"),
            (["--to", "png,nosuch"], "png,nosuch"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        let before = try folder.paths()
        let outcome = try Command.run(["convert", "wide.png"] + arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.paths() == before)
    }
}
