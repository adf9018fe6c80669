#if Server
import Foundation
import ImageFormats
import TestSupport
import Testing

/// Unix sockets, and sockets that a process manager has opened.
@Suite("tessera serve at sockets")
struct ServeSocketTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.flat().file(.png), to: "pictures/a.png")
    }

    /// Runs a script of bash in which $0 is the program.
    private func run(_ script: String) throws -> Command.Outcome {
        try Command.run(
            ["-c", "wait_for() { until \"$@\"; do sleep 0.05; done; }\n" + script, Command.program], in: folder,
            program: "/bin/bash")
    }

    @Test("A Unix socket has its permissions, answers, and is gone at the end", .needs(CommandLineTool("curl")))
    func socket() throws {
        let outcome = try run(
            """
            "$0" serve pictures --socket serve.sock --socket-mode 600 --access-log combined --trusted-proxy unix \
                --base-path /images >output 2>errors & pid=$!
            trap 'kill $pid' EXIT
            wait_for grep -q serve.sock output
            stat -c %A serve.sock
            curl -s --unix-socket serve.sock -o answer -w '%{http_code}\\n' -H 'X-Forwarded-For: 192.0.2.7' \
                'http://any.example/images/image/a.png?w=4'
            curl -s --unix-socket serve.sock -H 'X-Forwarded-Proto: https' 'http://any.example/iiif/3/a.png/info.json' |
                grep -o '"id":"[^"]*"'
            wait_for grep -q 192.0.2.7 output
            trap - EXIT
            kill $pid
            wait $pid
            echo $?
            [[ -e serve.sock ]] || echo gone
            ls
            """)
        #expect(
            outcome.text
                == "srw-------\n200\n\"id\":\"https://any.example/images/iiif/3/a.png\"\n0\ngone\nanswer\nerrors\noutput\npictures\n",
            "\(outcome.text) \(outcome.errors)")
    }

    @Test("A dead socket is replaced; a live one and other files aren't", .needs(CommandLineTool("curl")))
    func occupied() throws {
        let outcome = try run(
            """
            "$0" serve pictures --socket serve.sock >output 2>errors & pid=$!
            wait_for grep -q serve.sock output
            "$0" serve pictures --socket serve.sock 2>&1
            echo $?
            kill -9 $pid
            wait $pid
            [[ -S serve.sock ]] && echo left
            "$0" serve pictures --socket serve.sock >output 2>errors & pid=$!
            trap 'kill $pid' EXIT
            wait_for grep -q serve.sock output
            curl -s --unix-socket serve.sock http://a/healthz
            echo text >file
            "$0" serve pictures --socket file 2>&1
            echo $? $(cat file)
            "$0" serve pictures --socket "$(printf 'a%.0s' {1..120})" 2>&1
            "$0" serve pictures --socket nowhere/a.sock 2>&1
            """)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        for part in [
            "another program listens at serve.sock", "file exists and isn't a socket", "has 120 bytes",
            "nowhere/a.sock can't be listened at",
        ] { #expect(lines.contains { $0.contains(part) }, "\(part): \(outcome.text)") }
        for line in ["1", "left", "ok", "1 text"] { #expect(lines.contains(line), "\(line): \(outcome.text)") }
    }

    @Test(
        "Sockets of systemd are used, of both kinds at once", .needs(CommandLineTool("curl")),
        .needs(CommandLineTool.python))
    func activated() throws {
        try Data(
            """
            import os, socket, sys
            tcp = socket.socket()
            tcp.bind(("127.0.0.1", 0))
            unix = socket.socket(socket.AF_UNIX)
            unix.bind("unix.sock")
            for listener, number in (tcp, 30), (unix, 31):
                listener.listen()
                os.dup2(listener.fileno(), number)
            open("port", "w").write(str(tcp.getsockname()[1]))
            for number in 0, 1: os.dup2(30 + number, 3 + number)
            os.environ.update(LISTEN_FDS="2", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[1], [sys.argv[1], "serve", "pictures", "--port", "1"])
            """.utf8
        ).write(to: URL(fileURLWithPath: folder.file("activate.py")))
        let outcome = try run(
            """
            python3 activate.py "$0" >output 2>errors & pid=$!
            trap 'kill $pid' EXIT
            wait_for grep -q LISTEN_FDS output
            curl -s http://127.0.0.1:$(<port)/healthz
            curl -s --unix-socket unix.sock http://localhost/readyz
            curl -s -H 'Host: evil.example' http://127.0.0.1:$(<port)/healthz
            trap - EXIT
            kill $pid
            wait $pid
            echo $?
            LISTEN_PID=1 LISTEN_FDS=1 timeout 10 "$0" serve pictures --print-configuration >ignored && echo ignored
            """)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(
            lines.count == 5 && lines.prefix(2) == ["ok", "ok"] && lines.suffix(2) == ["0", "ignored"],
            "\(outcome.text)\(outcome.errors)")
        #expect(lines.contains { $0.contains("isn't known as \"evil.example\"") })
    }
}
#endif
