import Foundation
import Tessera
import Testing
import TestSupport

/// Exit statuses by limits, and comparisons that can't be made.
@Suite("tessera compare: limits and refusals")
struct CompareLimitTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let photograph = try Pictures.photograph()
        try folder.write(photograph.file(.png), to: "a.png")
        try folder.write(photograph.file(.jpeg, EncodingOptions(quality: 0.5)), to: "b.jpg")
        try folder.write(photograph.oriented(by: .right).file(.png), to: "turned.png")
        try folder.write(photograph.file(.png).dropLast(600), to: "truncated.png")
        try folder.write([1, 2, 3], to: "text.png")
        try folder.write([1], to: "there.png")
    }

    @Test(
        "The exit status is 1 beyond a limit, and a line says which",
        arguments: [
            (["--min-psnr", "99"], "dB is below --min-psnr 99"),
            (["--min-ssim", "0.9999"], "is below --min-ssim 0.9999"),
            (["--min-ssimulacra2", "99"], "is below --min-ssimulacra2 99"), (["--min-ssimulacra2=-50"], nil),
            (["--max-difference", "0.5"], "is above --max-difference 0.5"), (["--min-psnr", "1"], nil),
            (["--min-ssim=-1"], nil), (["--max-difference", "255"], nil),
            (["--min-psnr", "1", "--min-ssim", "0", "--max-difference", "255"], nil),
            (["--min-psnr", "1", "--min-ssim", "1", "--max-difference", "255"], "is below --min-ssim 1"),
        ] as [([String], String?)])
    func limits(_ arguments: [String], _ message: String?) throws {
        let outcome = try Command.run(["compare", "a.png", "b.jpg"] + arguments, in: folder)
        #expect(outcome.status == (message == nil ? 0 : 1))
        #expect(outcome.text.hasPrefix("PSNR:"))
        if let message { #expect(outcome.errors.contains(message)) } else { #expect(outcome.errors == "") }

        let json = try Command.run(["compare", "a.png", "b.jpg", "--json"] + arguments, in: folder)
        #expect(json.status == outcome.status)
        #expect(json.text.contains("\"withinLimits\": \(message == nil)"))
    }

    @Test(
        "Comparisons that can't be made are refused with the reason",
        arguments: [
            Refusal("a.png", says: "Missing expected argument '<second>'"),
            Refusal("-", "-", says: "only one of the images can be standard input"),
            Refusal("a.png", "b.jpg", "--min-ssim", "2", says: "--min-ssim is -1 to 1, not 2.0"),
            Refusal("a.png", "b.jpg", "--min-ssim", "nan", says: "--min-ssim is -1 to 1, not nan"),
            Refusal("a.png", "b.jpg", "--min-ssimulacra2", "101", says: "--min-ssimulacra2 is at most 100, not 101.0"),
            Refusal("a.png", "b.jpg", "--min-psnr=-1", says: "--min-psnr is a number of decibels"),
            Refusal("a.png", "b.jpg", "--max-difference", "256", says: "--max-difference is 0 to 255, not 256.0"),
            Refusal("a.png", "b.jpg", "--difference", "out.jpg", says: "--difference writes PNG"),
            Refusal(
                "a.png", "turned.png", status: 66,
                says: "can't compare a.png with turned.png: their sizes differ, 60x40 and 40x60"),
            Refusal("a.png", "missing.png", status: 66, says: "missing.png can't be read: No such file"),
            Refusal("text.png", "a.png", status: 66, says: "text.png: "),
            Refusal("a.png", "truncated.png", status: 66, says: "truncated.png: "),
            Refusal("a.png", "truncated.png", "--difference", "out.png", status: 66, says: "truncated.png: "),
            Refusal("a.png", "b.jpg", "--difference", "there.png", status: 66, says: "there.png exists already"),
            Refusal(
                "a.png", "b.jpg", "--difference", "none/out.png", status: 66, says: "none/out.png can't be written"),
            Refusal("a.png", "b.jpg", "--limits", "pixels=10", status: 66, says: "a.png: "),
        ])
    func refusals(_ refusal: Refusal) throws {
        let before = try folder.names()
        let outcome = try Command.run(["compare"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try folder.names() == before)
    }
}
