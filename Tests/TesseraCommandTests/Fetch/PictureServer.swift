import Foundation
import TestSupport

/// A server of files, by Python, that ends with the test.
final class PictureServer {
    /// The files that it serves, and `requests.log` with a line for each request.
    let folder: TemporaryFolder
    /// Where it is, without a slash at the end.
    let address: String
    private let process: Int32

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        let words = String(
            decoding: try CommandLineTool.python.output(["-c", Self.program, folder.path]) ?? [], as: UTF8.self
        ).split(separator: " ")
        guard words.count == 2, let process = Int32(words[1]) else { throw CocoaError(.executableLoad) }
        address = "http://127.0.0.1:\(words[0])"
        self.process = process
    }

    deinit { kill(process, SIGKILL) }

    /// What was asked for, and with what in the field `X-Test`.
    func requests() throws -> [Substring] {
        String(decoding: try folder.read("requests.log"), as: UTF8.self).split(separator: "\n")
    }

    /// What is below `/named/` is the file `content`, by any name.
    ///
    /// `/held/photo.jpg?cuts=100,2000&until=/a/b%25d.png` sends the first 100 bytes, goes on when there is a file
    /// `/a/b1.png`, and so on.
    ///
    /// Says its port and its process, which is one of its own: while a child of Foundation's runs that was started later
    /// than another, the other's end may not be seen. It ends by itself after five minutes.
    private static let program = """
        import http.server, os, sys, threading, time, urllib.parse
        root = sys.argv[1]
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=root)
            def do_GET(self):
                with open(root + "/requests.log", "a") as log:
                    log.write(self.path + " " + self.headers.get("X-Test", "-") + "\\n")
                url = urllib.parse.urlsplit(self.path)
                if url.path.startswith("/named/"):
                    self.path = "/content"
                if not url.path.startswith("/held/"):
                    return super().do_GET()
                query = dict(urllib.parse.parse_qsl(url.query))
                with open(root + "/" + os.path.basename(url.path), "rb") as file:
                    data = file.read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                start = 0
                for number, cut in enumerate(map(int, query["cuts"].split(",")), 1):
                    self.wfile.write(data[start:cut])
                    start = cut
                    # Nothing announces another process's file; this server ends sooner than the loop.
                    for _ in range(6000):
                        if os.path.exists(query["until"].replace("%d", str(number))):
                            break
                        time.sleep(0.05)
                self.wfile.write(data[start:])
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        child = os.fork()
        if child:
            print(server.server_address[1], child, end="", flush=True)
            os._exit(0)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.closerange(3, server.fileno())
        os.closerange(server.fileno() + 1, 65536)
        threading.Timer(300, os._exit, [1]).start()
        server.serve_forever()
        """
}
