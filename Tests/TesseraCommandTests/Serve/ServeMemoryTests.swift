#if Server
import ImageFormats
import TestSupport
import Testing

/// What `tessera serve` holds in memory.
@Suite("tessera serve: memory", .needsLinux("only there a process's mappings are a file"))
struct ServeMemoryTests {
    @Test("Libraries of formats that no request needs aren't loaded", .needs(CommandLineTool("curl")))
    func libraries() throws {
        let folder = try TemporaryFolder()
        try folder.write(Pictures.flat().file(.png), to: "pictures/a.png")
        let outcome = try Command.run(
            [
                "-c",
                """
                "$0" serve pictures --port 0 >output 2>errors & pid=$!
                trap 'kill $pid' EXIT
                until link=$(grep -m 1 ^http output); do sleep 0.05; done
                curl -s -o answer -w '%{http_code}\\n' "${link}image/a.png?w=4&format=jpeg"
                grep -o -E 'lib(heif|avif|jxl|openjp2|OpenEXRCore)[^/]*$' /proc/$pid/maps | sort -u
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        #expect(outcome.text == "200\n", "\(outcome.text) \(outcome.errors)")
    }
}
#endif
