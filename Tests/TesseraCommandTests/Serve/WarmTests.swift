#if Server
import Foundation
import ImageFormats
import TestSupport
import Testing

@Suite("tessera warm")
struct WarmTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data("the key of this month".utf8).write(to: URL(fileURLWithPath: folder.file("key")))
        for name in ["a", "b c"] { try folder.write(Pictures.flat().file(.png), to: "pictures/\(name).png") }
    }

    /// Runs a script of bash beside a server, at $link, in which $0 is the program.
    private func run(_ options: String, _ script: String) throws -> Command.Outcome {
        try Command.run(
            [
                "-c",
                """
                "$0" serve pictures --port 0 --no-access-log \(options) >output 2>errors & pid=$!
                trap 'kill $pid' EXIT
                until link=$(grep -m 1 ^http output); do sleep 0.05; done
                link=${link%/}
                cached() { curl -s "$link/metrics" | grep ^tessera_cached_responses\\ ; }
                \(script)
                """, Command.program,
            ], in: folder, program: "/bin/bash")
    }

    @Test("Each address of a list is requested once, and what fails is named", .needs(CommandLineTool("curl")))
    func list() throws {
        let outcome = try run(
            "",
            """
            printf '%s\\n' '# popular' '' '/image/a.png?w=4' "  $link/image/b%20c.png?w=4 " '/image/a.png?w=4' >list
            "$0" warm list --server "$link/"
            echo $?
            cached
            printf '/image/a.png?w=5\\n/image/missing.png\\n/image/a.png?w=x\\n' | "$0" warm - --server "$link" --jobs 2 --json 2>errors
            echo $?
            sort errors
            cached
            """)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(
            lines[0].hasPrefix("2 addresses, 0 failed; ") && lines[0].contains(" bytes in "),
            "\(outcome.text) \(outcome.errors)")
        #expect(lines[1...2] == ["0", "tessera_cached_responses 2"])
        let objects = try lines[3...5].map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(Set(objects.map { $0["status"] as? Int }) == [200, 404, 400])
        #expect(objects.count { $0["reason"] != nil } == 2 && objects.allSatisfy { $0["seconds"] != nil })
        #expect(
            lines[6] == "1" && lines[7].hasPrefix("/image/a.png?w=x: 400 ")
                && lines[8].hasPrefix("/image/missing.png: 404 "))
        #expect(lines[9] == "tessera_cached_responses 3")
    }

    @Test("Addresses are signed, below a base path too", .needs(CommandLineTool("curl")))
    func signed() throws {
        let outcome = try run(
            "--key-file key --base-path /images",
            """
            printf '/image/a.png?w=4\\n' | "$0" warm - --server "$link" --key-file key --quiet
            echo $?
            printf '/image/a.png?w=4\\n' | "$0" warm - --server "$link" 2>&1
            """)
        #expect(outcome.text.hasPrefix("0\n/image/a.png?w=4: 403 "), "\(outcome.text) \(outcome.errors)")
    }

    @Test(
        "Invalid lists and options are refused",
        arguments: [
            ("--server http://localhost:1 empty", 1, "there are no addresses"),
            ("--server http://localhost:1 other", 1, "is no address of http://localhost:1"),
            ("--server localhost:1 empty", 64, "--server is a URL"),
            ("--server http://localhost:1 --jobs 0 empty", 64, "--jobs is 1 to 256"),
            ("--server http://localhost:1 nowhere", 1, "nowhere"),
            ("--server http://127.0.0.1:1 one", 1, "/image/a.png: "),
        ])
    func invalid(_ arguments: String, _ status: Int32, _ message: String) throws {
        for (name, text) in [
            ("empty", "# nothing\n"), ("other", "https://example.org/a.png\n"), ("one", "/image/a.png\n"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        let outcome = try Command.run(["warm"] + arguments.split(separator: " ").map(String.init), in: folder)
        #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    }
}
#endif
