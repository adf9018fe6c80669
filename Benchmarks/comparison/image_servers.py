"""Image servers on loopback, each in a process of its own: ours, iipsrv behind nginx, and nginx with files."""

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from .contenders import TESSERA, Sample

IIPSRV = "/usr/lib/iipimage-server/iipsrv.fcgi"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident_bytes(pid):
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Tessera:
    """`tessera serve` of a folder. Without a cache, every response is made anew."""

    def __init__(self, folder, caches=True, options=()):
        arguments = [str(TESSERA), "serve", str(folder), "--port", "0", "--no-access-log", *options]
        if not caches:
            arguments += ["--memory", "1"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.address = ""
        while not self.address.startswith("http"):
            self.address = self.process.stdout.readline().strip()
            if self.process.poll() is not None:
                raise RuntimeError("tessera serve ended before it began")
        self.address = self.address.rstrip("/")

    def close(self):
        self.process.terminate()
        self.process.wait()


class Nginx:
    """nginx with one worker for each processor, serving a folder, and iipsrv (IIIF) below /iiif/."""

    def __init__(self, folder, pictures=None, caches=True):
        self.folder = Path(folder)
        port, backend = free_port(), free_port()
        self.backend = None
        location = ""
        if pictures:
            environment = os.environ | {
                "FILESYSTEM_PREFIX": f"{pictures}/", "FILENAME_PATTERN": "", "MAX_CVT": "5000", "JPEG_QUALITY": "75",
                "MAX_IMAGE_CACHE_SIZE": "100" if caches else "0", "VERBOSITY": "0", "LOGFILE": "/dev/null",
                "URI_MAP": "iiif=>IIIF"}
            self.backend = subprocess.Popen(
                ["spawn-fcgi", "-n", "-a", "127.0.0.1", "-p", str(backend), "--", IIPSRV], env=environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            location = f"""
            location /iiif/ {{
                fastcgi_pass 127.0.0.1:{backend};
                fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method;
                fastcgi_param REQUEST_URI $request_uri; fastcgi_param SERVER_PROTOCOL $server_protocol;
                fastcgi_param HTTP_HOST $http_host;
            }}"""
        configuration = self.folder / "nginx.conf"
        configuration.write_text(f"""
            daemon off; worker_processes auto; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
            events {{ worker_connections 1024; }}
            http {{
                types {{ image/jpeg jpg; }} access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
                open_file_cache max=10000; client_body_temp_path {self.folder}/body;
                proxy_temp_path {self.folder}/proxy; fastcgi_temp_path {self.folder}/fastcgi;
                uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
                server {{ listen 127.0.0.1:{port}; root {self.folder}; {location} }}
            }}""")
        # Who runs nginx as root has its workers run as somebody else, who must be able to read the files.
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [nginx, "-p", str(self.folder), "-c", str(configuration), *user], stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 10
        while True:
            try:
                urllib.request.urlopen(self.address + "/", timeout=1)
            except urllib.error.HTTPError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def close(self):
        for process in filter(None, (self.process, self.backend)):
            process.terminate()
            process.wait()


class Load:
    """wrk asking a server for addresses drawn at random, by so many connections. A sample's seconds are those of one
    request."""

    def __init__(self, name, server, paths, folder, seconds=3, connections=16):
        self.name = name
        self.address = server.address
        self.seconds, self.connections = seconds, connections
        self.p99, self.errors = [], 0
        Path(folder).mkdir(exist_ok=True)
        self.script = Path(folder) / f"{re.sub('[^a-z]', '', name.lower())}.lua"
        quoted = ", ".join(f'"{path}"' for path in paths)
        self.script.write_text(f"""
            local paths = {{ {quoted} }}
            init = function(arguments) math.randomseed(os.time() * 64 + arguments[1]) end
            request = function() return wrk.format("GET", paths[math.random(#paths)]) end
            """)

    def start(self, seed=0):
        """wrk as it begins; of several in the same second, each needs another seed."""
        return subprocess.Popen(
            ["wrk", "-t1", f"-c{self.connections}", f"-d{self.seconds}s", "--latency", "-s", str(self.script),
             self.address, "--", str(seed)], stdout=subprocess.PIPE, text=True)

    def rate(self, process):
        """Requests a second, when wrk has ended."""
        text = process.communicate()[0]
        slowest = re.search(r"99%\s+([0-9]\S*)", text)
        if not slowest:
            raise RuntimeError(f"{self.name} answered nothing in {self.seconds} s:\n{text}")
        self.p99.append(duration(slowest[1]))
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        self.errors += int(failed[1]) if failed else 0
        return float(re.search(r"Requests/sec:\s+(\S+)", text)[1])

    def run(self):
        return Sample(1 / self.rate(self.start()))

    def close(self):
        pass


def duration(text):
    """Seconds of a time with its unit: 1.20ms as wrk writes it, 12.7 s as our commands do."""
    number, unit = re.match(r"([0-9.]+) ?(\w+)", text).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[unit]


def fetch(server, path):
    with urllib.request.urlopen(server.address + path, timeout=60) as response:
        return response.read()
