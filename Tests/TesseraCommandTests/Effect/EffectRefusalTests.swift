import Foundation
import Tessera
import TestSupport
import Testing

/// What can't be done: a message that says what and what to do, a status, and no file.
@Suite("tessera effect: refusals")
struct EffectRefusalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "a.png")
        try folder.write(Pictures.mask().file(.png), to: "b.png")
        try folder.write(Array("This is no picture.".utf8), to: "text.png")
    }

    /// Arguments behind `a.png out.png`, the status and a part of the message.
    @Test(
        "Invalid calls are refused with the reason",
        arguments: [
            ([], 64, "no effect is given"),
            (["--fit", "800"], 64, "write a width and a height, as in 400x300"),
            (["--fit", "0x5"], 64, "scaleToFit: invalid size 0.0x5.0: width and height must be above 0"),
            (["--fit", "-3x5"], 64, "scaleToFit: invalid size -3.0x5.0: width and height must be above 0"),
            (["--fit", "nanx5"], 64, "scaleToFit: invalid size nanx5.0: width and height must be above 0"),
            (["--fit", "1e9x1e9"], 64, "scaleToFit: a width of 1000000000.0 is out of range: the limit is 16777216"),
            (["--scale", "1000000x1000000"], 1, "a.png: "),
            (["--crop", "1,2,3"], 64, "\"1,2,3\" makes no sense here; write 40,30,200,100"),
            (["--crop", "1,2,3,4,5"], 64, "makes no sense here"),
            (["--crop", "500,500,10,10,intersected"], 1, "lies outside the image of"),
            (["--size", "10"], 64, "write a width and a height"),
            (["--size", "10x10", "--content-mode", "middle"], 64, "write one of scaleToFill, aspectFit"),
            (["--flip", "sideways"], 64, "write horizontal or vertical"),
            (["--rotate", "far"], 64, "\"far\" is no number"),
            (["--rotate", "nan"], 64, "rotate: "),
            (["--blur", "-1"], 64, "blur: "),
            (["--blur"], 64, "Missing value for '--blur <radius>'"),
            (["--tint", "rouge"], 64, "write #336699 or #336699,multiply"),
            (["--tint", "#12345"], 64, "makes no sense here"),
            (["--tint", "#123,glow"], 64, "makes no sense here"),
            (["--color-matrix", "1,2,3"], 64, "20 numbers"),
            (["--opacity", "2"], 64, "opacity: "),
            (["--radius", "1,2"], 64, "makes no sense here"),
            (["--radius", "-1"], 64, "cornerRadius: "),
            (["--border", "2"], 64, "write 2,#ffffff"),
            (["--shadow", "1,2"], 64, "write 0,4,12"),
            (["--shadow", "0,0,-4"], 64, "shadow: "),
            (["--reflect", "0"], 64, "reflection: "),
            (["--mask", "missing.png"], 1, "missing.png can't be read: No such file or directory"),
            (["--mask", "text.png"], 1, "text.png: the bytes are not in any format"),
            (["--overlay", "b.png,1"], 64, "write logo.png,20,20"),
            (["--overlay", "missing.png,1,2"], 1, "missing.png can't be read: No such file or directory"),
            (["--scale-factor", "0", "--circle"], 64, "--scale-factor is a number above 0"),
            (["--filter", "sinc", "--circle"], 64, "write one of automatic, area"),
            (["--keep", "profile", "--circle"], 64, "--keep is all or none"),
            (["--frame=-1", "--circle"], 64, "--frame must be at least 0, not -1"),
            (["--recipe", "r.json", "--circle"], 64, "--recipe can't be combined with effect options"),
            (["--recipe", "r.json"], 1, "r.json can't be read: No such file or directory"),
            (["--demo", "d"], 64, "--demo FOLDER can't be combined with inputs"),
            (["--quality", "80", "--circle"], 64, "did you mean 0.8?"),
            (["--limits", "pixels=100", "--fit", "5x5"], 1, "the limit is 100"),
            (["--circle", "--frobnicate"], 64, "Unknown option '--frobnicate'"),
        ] as [([String], Int32, String)])
    func saysWhatIsWrong(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let before = try folder.names()
        let outcome = try Command.run(["effect", "a.png", "out.png"] + arguments, in: folder)
        #expect(outcome.status == status)
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try folder.names() == before)
    }

    @Test("An input is required")
    func needsAnInput() throws {
        let outcome = try Command.run("effect", "--circle", in: folder)
        #expect(outcome.status == 64 && outcome.errors.contains("Missing expected argument"))
    }

    @Test("A file is replaced only with --force")
    func replacesAFileOnlyByForce() throws {
        let before = try folder.read("b.png")
        let refused = try Command.run("effect", "a.png", "b.png", "--circle", in: folder)
        #expect(refused.status == 1 && refused.errors.contains("b.png exists already; --force replaces it"))
        #expect(try folder.read("b.png") == before)
        #expect(try Command.run("effect", "a.png", "b.png", "--circle", "--force", in: folder).status == 0)
        #expect(try folder.read("b.png") != before)
    }

    @Test("The help describes the command")
    func explainsItself() throws {
        let outcome = try Command.run("effect", "--help", in: folder)
        #expect(outcome.status == 0)
        for word in ["EXAMPLES", "--in-order", "--recipe", "--reflect <scale,gap,alpha>"] {
            #expect(outcome.text.contains(word), "\(word)")
        }
    }
}
