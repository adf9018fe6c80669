"""A server on loopback that sends a file no faster than it is told to, as networks do."""

import http.server
import threading
import time


class ThrottledServer:
    """Serves one file, by any name, at `rate` bytes a second and connection, in pieces of 64 KiB."""

    PIECE = 1 << 16

    def __init__(self, path, rate):
        data = path.read_bytes()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "image/jpeg")
                self.send_header("Content-Length", str(len(data)))
                # Each way of opening shall wait for the same bytes.
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                start = time.monotonic()
                for first in range(0, len(data), ThrottledServer.PIECE):
                    piece = data[first:first + ThrottledServer.PIECE]
                    time.sleep(max(0, start + (first + len(piece)) / rate - time.monotonic()))
                    self.wfile.write(piece)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
