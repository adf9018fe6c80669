import Foundation
import TestSupport

/// A server for a folder's files, by Python: it sends half of each, and the rest when it is told to.
final class HalfServer: Sendable {
    let address: String
    private let program: RunningProgram
    private let go: String

    init(_ folder: TemporaryFolder) async throws {
        go = folder.file("go")
        let script = """
            import http.server, os, sys, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *words): pass
                def do_GET(self):
                    path = os.path.join(sys.argv[1], os.path.basename(self.path))
                    if not os.path.exists(path): return self.send_error(404)
                    data = open(path, "rb").read()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    try:
                        self.wfile.write(data[:len(data) // 2])
                        self.wfile.flush()
                        while not os.path.exists(os.path.join(sys.argv[1], "go")): time.sleep(0.02)
                        self.wfile.write(data[len(data) // 2:])
                    except OSError: pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        program = try RunningProgram(
            CommandLineTool.python.path!, ["-c", script, folder.path], environment: ["PATH": "/usr/bin:/bin"])
        var port = ""
        for _ in 0..<1000 where !port.hasSuffix("\n") {
            try await Task.sleep(for: .milliseconds(20))
            port = String(decoding: program.output, as: UTF8.self)
        }
        guard port.hasSuffix("\n") else { throw Display.Failure("the server doesn't begin: \(program.errors)") }
        address = "http://127.0.0.1:\(port.dropLast())"
    }

    func sendRest() throws { try Data().write(to: URL(fileURLWithPath: go)) }
}
