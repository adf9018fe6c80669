import TestSupport

/// A server for a folder's files, by Python: it sends half of each, and the rest when it is told to.
final class HalfServer: Sendable {
    let address: String
    private let program: RunningProgram

    init(_ folder: TemporaryFolder) async throws {
        let script = """
            import http.server, os, sys, threading
            go = threading.Event()
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
                        go.wait()
                        self.wfile.write(data[len(data) // 2:])
                    except OSError: pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()
            print(server.server_port, flush=True)
            # A line lets the second halves go, and the end of the input ends the server.
            if sys.stdin.readline(): go.set()
            sys.stdin.read()
            """
        program = try RunningProgram(
            CommandLineTool.python.path!, ["-c", script, folder.path], environment: ["PATH": "/usr/bin:/bin"],
            takesInput: true)
        let port = try await program.firstLine()
        address = "http://127.0.0.1:\(port)"
    }

    func sendRest() throws { try program.send("go") }
}
