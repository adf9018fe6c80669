"""OpenStack Swift with its S3 interface on one node (swift-node), and a relay before it, for scripts that test with a bucket."""

import collections
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse


def free_ports(count):
    """The first of `count` free ports in a row."""
    while True:
        first = random.randrange(20000, 50000)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue


def wait_until(condition, problem, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {problem}")


def request(port, method, path, headers=None, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, body=body, headers=headers or {})
    response = connection.getresponse()
    return response.status, dict((k.lower(), v) for k, v in response.getheaders()), response.read()


Exchange = collections.namedtuple("Exchange", "method path range status count")


class Relay(http.server.ThreadingHTTPServer):
    """Passes requests on to the store after `delay` seconds, and notes them. `fault` is a function of a request's number that says
    how it fails: busy, gone, short, or silent (it has no answer until `fault` is another). `owner` is a Store that writes what is
    only to be written if there is no such object, which Swift's S3 interface can't."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, store, host="127.0.0.1"):
        self.store, self.exchanges, self.fault, self.number, self.delay, self.owner = store, [], None, 0, 0, None
        self.lock = threading.Lock()
        super().__init__((host, port), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        # The store is ended before its clients.
        pass

    def take(self):
        with self.lock:
            taken, self.exchanges = self.exchanges, []
            return taken


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def pass_on(self):
        relay = self.server
        with relay.lock:
            relay.number += 1
            fault = relay.fault(relay.number) if relay.fault else None
        time.sleep(relay.delay)
        silence = relay.fault
        while fault == "silent" and relay.fault is silence:
            time.sleep(0.1)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        if fault == "busy":
            text = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
            return self.answer(503, [("Content-Type", "application/xml")], text, len(text))
        if fault in ("gone", "silent"):
            self.close_connection = True
            return
        if relay.owner and self.command == "PUT" and self.headers.get("If-None-Match"):
            status = relay.owner.put_new(urllib.parse.unquote(self.path), body, self.headers)
            self.note(status, 0)
            return self.answer(status, [("ETag", '"new"')], b"", 0)
        connection = http.client.HTTPConnection("127.0.0.1", relay.store, timeout=120)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() != "connection":
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        data = response.read()
        fields = [(k, v) for k, v in response.getheaders() if k.lower() not in ("content-length", "connection", "transfer-encoding")]
        announced = int(response.getheader("Content-Length") or len(data)) if self.command == "HEAD" else len(data)
        self.note(response.status, len(data))
        if fault == "short" and len(data) > 100:
            data = data[:len(data) // 2]
            self.close_connection = True
        self.answer(response.status, fields, data, announced)
        connection.close()

    def note(self, status, count):
        with self.server.lock:
            self.server.exchanges.append(Exchange(self.command, self.path, self.headers.get("Range"), status, count))

    def answer(self, status, fields, data, announced):
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on


class Store:
    """Swift's own interface, which tessera doesn't speak."""

    def __init__(self, port):
        self.port = port
        _, fields, _ = request(port, "GET", "/auth/v1.0", {"X-Auth-User": "test:tester", "X-Auth-Key": "testing"})
        self.token, self.base = fields["x-auth-token"], urllib.parse.urlsplit(fields["x-storage-url"]).path

    def ask(self, method, path, body=None, fields={}):
        return request(self.port, method, self.base + urllib.parse.quote(path), {"X-Auth-Token": self.token, **fields}, body)

    def put_new(self, path, body, fields):
        """Writes an object unless there is one, with metadata as S3 has it; returns S3's status."""
        if self.ask("HEAD", path)[0] == 200:
            return 412
        start = "x-amz-meta-"
        own = {"X-Object-Meta-" + name[len(start):]: value for name, value in fields.items() if name.lower().startswith(start)}
        return 200 if self.ask("PUT", path, body, own)[0] == 201 else 500

    def get(self, path):
        status, _, body = self.ask("GET", path)
        return body if status == 200 else None

    def names(self, bucket):
        _, _, body = self.ask("GET", "/" + bucket)
        return body.decode().splitlines()

    def digests(self, bucket, prefix):
        """The MD5 of each object below a prefix, by its name there."""
        found, marker = {}, ""
        while True:
            query = urllib.parse.urlencode({"format": "json", "prefix": prefix, "marker": marker})
            page = json.loads(request(self.port, "GET", f"{self.base}/{bucket}?{query}", {"X-Auth-Token": self.token})[2])
            if not page:
                return found
            found |= {entry["name"][len(prefix):]: entry["hash"] for entry in page}
            marker = page[-1]["name"]


class Node:
    """A store in a folder, with empty buckets and a relay before it."""

    def __init__(self, folder, buckets, host="127.0.0.1"):
        for tool in ("swift-proxy-server", "swift-object-server", "memcached"):
            if not shutil.which(tool):
                print(f"{pathlib.Path(sys.argv[0]).name}: {tool} is missing: Scripts/prepare --store", file=sys.stderr)
                sys.exit(2)
        self.port = free_ports(6)
        self.process = subprocess.Popen([pathlib.Path(__file__).parent / "swift-node", folder, str(self.port)])
        try:
            wait_until(lambda: request(self.port, "GET", "/healthcheck")[0] == 200, "the store doesn't start")
            self.relay, self.store = Relay(self.port + 5, self.port, host), Store(self.port)
            for bucket in buckets:
                # The proxy is up before the other parts.
                wait_until(lambda: self.store.ask("PUT", "/" + bucket)[0] in (201, 202), f"there is no bucket {bucket}")
        except BaseException:
            self.end()
            raise

    def environment(self, host="127.0.0.1", relayed=True):
        """The variables of a program whose store this is."""
        return {k: v for k, v in os.environ.items() if not k.startswith("AWS_")} | {
            "AWS_ENDPOINT_URL": f"http://{host}:{self.port + (5 if relayed else 0)}", "AWS_ACCESS_KEY_ID": "test:tester",
            "AWS_SECRET_ACCESS_KEY": "testing", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}

    def end(self):
        self.process.terminate()
        self.process.wait()
