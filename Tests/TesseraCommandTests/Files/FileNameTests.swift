import ImageFormats
import Raster
import TestSupport
import Testing

/// Names of files that aren't text, or that would command a terminal.
@Suite("tessera: names of files")
struct FileNameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "a.png")
    }

    /// Runs a line of bash, whose `$'…'` writes any bytes.
    private func bash(_ line: String) throws -> Command.Outcome {
        try Command.run(["-c", line], in: folder, environment: ["tessera": Command.program], program: "/bin/bash")
    }

    @Test("A name that isn't UTF-8 is read and written, named or found in a folder")
    func invalidNames() throws {
        let outcome = try bash(
            #"""
            set -e; mkdir in; mv a.png in/$'k\xfcche.png'
            "$tessera" convert in/$'k\xfcche.png' $'\xff.qoi'; test -s $'\xff.qoi'
            "$tessera" convert in --to webp; test -s in/$'k\xfcche.webp'
            "$tessera" info --json in/$'k\xfcche.png' > /dev/null
            "$tessera" optimize in/$'k\xfcche.png' --in-place
            "$tessera" metadata set in/$'k\xfcche.png' --in-place --tag Artist=me
            "$tessera" convert in/$'k\xfcche.png' --to qoi --output-dir $'\xe9t\xe9'; test -s $'\xe9t\xe9'/$'k\xfcche.qoi'
            """#)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("A list of names has the names' bytes")
    func bytes() throws {
        let outcome = try bash(#"mv a.png $'k\xfcche.png'; "$tessera" convert $'k\xfcche.png' --to qoi --dry-run"#)
        #expect(
            outcome.output == Array("k".utf8) + [0xFC] + Array("che.png -> k".utf8) + [0xFC] + Array("che.qoi\n".utf8))
    }

    @Test("Escape sequences in names don't reach the terminal")
    func escapes() throws {
        let outcome = try bash(
            #"""
            name=$'\x1b[31mred\x07.png'
            "$tessera" info "$name"; "$tessera" convert "$name" out.qoi; "$tessera" optimize "$name" out.png
            "$tessera" convert "$name" --nosuch; "$tessera" sheet "$name" s.png; "$tessera" $'\x1b[2J'
            "$tessera" convert --size $'\x1b[2J' a.png b.png; "$tessera" metadata get "$name"
            mkdir damaged; echo no > damaged/"$name"; "$tessera" convert damaged --to qoi
            true
            """#)
        #expect(outcome.status == 0)
        #expect(!outcome.errors.utf8.contains(0x1B) && !outcome.errors.utf8.contains(0x07))
        #expect(outcome.errors.contains("\\x1b[31mred\\x07.png"))
    }

    @Test("A file whose name begins with a dash gets a hint")
    func dash() throws {
        let outcome = try bash(#"mv a.png ./-dash.png; "$tessera" convert -dash.png out.qoi"#)
        #expect(outcome.status == 64 && outcome.errors.contains("./-dash.png"))
        #expect(try bash(#""$tessera" convert -- -dash.png out.qoi"#).status == 0)
    }
}
