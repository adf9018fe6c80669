"""thumbor from PyPI, an origin that both servers fetch from, and the memory of a server's processes."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from .contenders import Sample
from .image_servers import Load, free_port

BENCHMARKS = Path(__file__).resolve().parent.parent
ENVIRONMENT = BENCHMARKS / ".venv-thumbor"


def install():
    """Sets thumbor up in its environment, once for each version of its requirements."""
    wanted = (BENCHMARKS / "thumbor.txt").read_text()
    installed = ENVIRONMENT / "installed.txt"
    if installed.exists() and installed.read_text() == wanted:
        return
    print("Setting up thumbor in Benchmarks/.venv-thumbor ...", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
    subprocess.run(
        [ENVIRONMENT / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
         BENCHMARKS / "thumbor.txt"], check=True, stdout=sys.stderr)
    installed.write_text(wanted)


def wait_for(process, address):
    deadline = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(address, timeout=1).read()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no server starts at {address}")
            time.sleep(0.05)


class Origin:
    """nginx with a folder of photographs. Each has any number of addresses, /NUMBER/NAME, so that none is asked for twice."""

    def __init__(self, photographs, folder):
        port = free_port()
        configuration = folder / "origin.conf"
        configuration.write_text(f"""
            daemon off; worker_processes 1; pid {folder}/origin.pid; error_log {folder}/origin.log;
            events {{ worker_connections 1024; }}
            http {{
                types {{ image/jpeg jpg; }} access_log off; sendfile on; open_file_cache max=1000;
                client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; uwsgi_temp_path {folder}/uwsgi;
                fastcgi_temp_path {folder}/fastcgi; scgi_temp_path {folder}/scgi;
                server {{
                    listen 127.0.0.1:{port}; root {photographs}; rewrite ^/[0-9]+/(.*)$ /$1 break;
                }}
            }}""")
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(folder), "-c", str(configuration), *user],
            stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        wait_for(self.process, self.address)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Thumbor:
    """thumbor with a process for each processor, which keeps neither what it fetches nor what it makes."""

    def __init__(self, folder):
        port = free_port()
        configuration = folder / "thumbor.conf"
        configuration.write_text(
            "STORAGE = 'thumbor.storages.no_storage'\nRESULT_STORAGE = None\nQUALITY = 80\nALLOW_UNSAFE_URL = True\n"
            "HTTP_LOADER_MAX_CLIENTS = 100\nLOG_CONFIG = None\n")
        self.process = subprocess.Popen(
            [ENVIRONMENT / "bin/thumbor", "-i", "127.0.0.1", "-p", str(port), "-c", str(configuration), "-l", "error",
             "--processes", str(os.cpu_count())], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        wait_for(self.process, self.address + "/healthcheck")

    def close(self):
        # The first process doesn't end the others.
        for pid in processes(self.process.pid):
            os.kill(pid, signal.SIGTERM)
        self.process.wait()


def processes(pid):
    """The process and all that it has started, and those have."""
    found, waiting = [], [pid]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            pass
    return found


def proportional_bytes(pid):
    """Resident memory of a process and its children, with each shared page counted once: in all, and without pages of files,
    as of programs, which the system drops where memory is short.
    """
    totals = {"Pss": 0, "Pss_Anon": 0}
    for each in processes(pid):
        try:
            for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in totals:
                    totals[name] += int(value.split()[0]) * 1024
        except OSError:
            pass
    return tuple(totals.values())


class Watched(Load):
    """A load during which the server's memory is watched. Each address is a template: NUMBER becomes another one each time.

    There is a wrk for each processor, and they begin one after the other. Of connections made at once, all may belong to one of
    thumbor's processes: whichever is idle accepts them.
    """

    def __init__(self, name, server, paths, folder, seconds=10, connections=4):
        super().__init__(name, server, paths, folder, seconds, connections)
        self.process, self.peak, self.anonymous_peak = server.process, 0, 0
        self.script.write_text(self.script.read_text().replace(
            "wrk.format(\"GET\", paths[math.random(#paths)])",
            "wrk.format(\"GET\", (paths[math.random(#paths)]:gsub(\"NUMBER\", math.random(1000000000))))"))

    def run(self):
        isOver = threading.Event()

        def watch():
            while not isOver.wait(0.1):
                total, anonymous = proportional_bytes(self.process.pid)
                self.peak, self.anonymous_peak = max(self.peak, total), max(self.anonymous_peak, anonymous)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            running = []
            for seed in range(os.cpu_count()):
                running.append(self.start(seed))
                time.sleep(0.2)
            return Sample(1 / sum(self.rate(each) for each in running))
        finally:
            isOver.set()
            watcher.join()
