import Tessera
import TestSupport
import Testing

/// Qualities found for a target.
@Suite("tessera convert --target")
struct ConvertTargetTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph(PixelSize(width: 160, height: 120)).file(.png), to: "a.png")
    }

    @Test(
        "Files reach the score",
        arguments: [(["--target", "ssimulacra2=80"], "80"), (["--visually-lossless"], "90")])
    func reached(arguments: [String], score: String) throws {
        let outcome = try Command.run(["convert", "a.png", "b.jpg"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let compared = try Command.run("compare", "a.png", "b.jpg", "--min-ssimulacra2", score, in: folder)
        #expect(compared.status == 0, "\(compared.errors)")
    }

    @Test("A recipe can have a target")
    func recipe() throws {
        let arguments = ["batch", ".", "--out", "out/{stem}.webp", "--recipe", #"{"target": "ssimulacra2=70"}"#]
        let outcome = try Command.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let compared = try Command.run("compare", "a.png", "out/a.webp", "--min-ssimulacra2", "70", in: folder)
        #expect(compared.status == 0, "\(compared.errors)")
    }

    @Test(
        "Targets that can't be are refused with the reason",
        arguments: [
            Refusal("a.png", "b.jpg", "--target", "80", says: "write a metric and a score, as in ssimulacra2=80"),
            Refusal("a.png", "b.jpg", "--target", "psnr=40", says: "write a metric and a score"),
            Refusal("a.png", "b.jpg", "--target", "ssimulacra2=0", says: "score of 0.0 is not between 1 and 100"),
            Refusal("a.png", "b.jpg", "--target", "ssimulacra2=80", "--visually-lossless", says: "leave out one"),
            Refusal("a.png", "b.webp", "--target", "ssimulacra2=100", status: 1, says: "the target is 100.0"),
        ])
    func refusals(_ refusal: Refusal) throws {
        let outcome = try Command.run(["convert"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status)
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.names() == ["a.png"])
    }

    #if os(Linux)
    @Test("Converting loads no libraries but those of its formats")
    func libraries() throws {
        let arguments = ["convert", "a.png", "b.jpg"]
        let outcome = try Command.run(arguments, in: folder, environment: ["LD_DEBUG": "libs"])
        #expect(outcome.status == 0)
        // glibc's loader names what it looks for; others say nothing.
        for library in ["libheif", "libavif", "libjxl", "libopenjp2"] { #expect(!outcome.errors.contains(library)) }
    }
    #endif
}
