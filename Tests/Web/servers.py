"""The servers of the tests: nginx, which answers ranges, and one of Python's that can misbehave."""

import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx:
    """nginx with a folder, and a log of its answers."""

    def __init__(self, root, folder):
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        if not program:
            raise SystemExit("skipped: there is no nginx; Scripts/prepare --web installs it")
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = pathlib.Path(folder) / "access.log"
        temporary = "".join(
            f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        types = "".join(f"{kind} {extension[1:]};" for extension, kind in TYPES.items() if extension != ".mjs")
        configuration = f"""
            {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}
            http {{ types {{ {types} image/jpeg jpg jpeg; }} default_type application/octet-stream; {temporary}
              log_format tests '$uri $status $body_bytes_sent "$http_range"'; access_log {self.log} tests;
              gzip on; gzip_types text/javascript application/wasm; gzip_comp_level 6;
              server {{ listen 127.0.0.1:{self.port}; root {root}; }} }}"""
        path = pathlib.Path(folder) / "nginx.conf"
        path.write_text(configuration)
        self.process = subprocess.Popen([program, "-c", path], stderr=subprocess.DEVNULL)
        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit("nginx didn't start")

    def clear(self):
        self.log.write_text("")

    def answers(self, suffix):
        """(status, bytes, ranges) of the answers for paths with a suffix, since the last clear()."""
        time.sleep(0.2)
        lines = [line.split(" ", 3) for line in self.log.read_text().splitlines()]
        return [(int(status), int(count), ranges) for path, status, count, ranges in lines if path.endswith(suffix)]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Plain:
    """Python's server of files, which knows no ranges; `change` gets each path and answer's bytes and headers."""

    def __init__(self, root, change=None, ranges=False):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = pathlib.Path(root) / self.path.split("?")[0].lstrip("/")
                if not path.is_file():
                    self.send_error(404)
                    return
                content, headers, status = path.read_bytes(), {}, 200
                if change:
                    content, headers = change(self.path, content)
                if ranges:
                    headers = {"Accept-Ranges": "bytes"} | headers
                wanted = self.headers.get("Range", "")
                if ranges and wanted.startswith("bytes=") and "," not in wanted:
                    first, last = wanted[6:].split("-")
                    first, last = int(first), min(int(last), len(content) - 1)
                    headers = {"Content-Range": f"bytes {first}-{last}/{len(content)}"} | headers
                    content, status = content[first : last + 1], 206
                self.send_response(status)
                self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream"))
                headers = {"Content-Length": len(content)} | headers
                for name, value in headers.items():
                    self.send_header(name, str(value))
                self.end_headers()
                if self.command == "GET":
                    try:
                        self.wfile.write(content)
                    except OSError:
                        pass
                if int(headers["Content-Length"]) != len(content):
                    self.close_connection = True

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

            def handle(self):
                # A browser that goes away is no error.
                try:
                    super().handle()
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
