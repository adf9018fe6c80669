"""A server of pictures that others fetch from: mostly well, sometimes slowly, sometimes less than it announced."""

import functools
import http.server
import time


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kind, _, name = self.path.lstrip("/").partition("/")
        if kind == "whole":
            self.path = "/" + name
            return super().do_GET()
        try:
            data = open(self.translate_path("/" + name), "rb").read()
        except OSError:
            return self.send_error(404)
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        if kind == "cut":
            self.wfile.write(data[: len(data) // 2])
        elif kind == "slow":
            for start in range(0, len(data), len(data) // 4 + 1):
                self.wfile.write(data[start : start + len(data) // 4 + 1])
                time.sleep(0.05)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Clients go away, which is what they are for."""


def serve(folder, port):
    """Serves `folder` for ever, and says at which port by the queue `port`."""
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    port.put(server.server_address[1])
    server.serve_forever()
