#if Server
import Foundation
import ImageFormats
import TestSupport
import Testing

/// Which images `tessera serve` decodes in workers, seen by a worker that ends at once.
@Suite(
    "tessera serve --isolate",
    .needsLinux("nothing else keeps a worker from what it may not do (seccomp)"),
    .needsNoSanitizer("a sanitizer's workers do what they may not"))
struct ServeIsolationTests {
    @Test(
        "JPEG 2000 is isolated unless that is turned off",
        .needs(CommandLineTool("curl")), .enabled(if: CodecRegistry.default.canDecode(.jpeg2000)),
        arguments: [("", false, true), ("--no-isolate", true, true), ("--isolate", false, false)])
    func isolates(_ options: String, decodesJPEG2000: Bool, decodesPNG: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write(Pictures.flat().file(.png), to: "pictures/a.png")
        #expect(try Command.run("convert", "pictures/a.png", "pictures/b.jp2", in: folder).status == 0)
        let outcome = try Command.run(
            [
                "-c",
                """
                TESSERA_DECODE_WORKER=/bin/true "$0" serve pictures --port 0 \(options) >output 2>errors & pid=$!
                trap 'kill $pid' EXIT
                until link=$(grep -m 1 ^http output); do sleep 0.05; done
                for name in a.png b.jp2; do curl -s -o answer -w '%{http_code}\\n' "${link}image/$name?w=4"; done
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        let isDecoded = outcome.text.split(separator: "\n").map { $0 == "200" }
        #expect(isDecoded == [decodesPNG, decodesJPEG2000], "\(outcome.text) \(outcome.errors)")
    }
}
#endif
