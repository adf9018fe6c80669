"""What is measured: a Python call, a whole command, or a subcommand of the `measure` program.

A contender has a name, says what it calls, and its `run` does the work once and returns a Sample.
"""

import contextlib
import ctypes
import functools
import gc
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
MEASURE = BENCHMARKS / ".build" / "release" / "measure"
LIBRARY_ALONE = BENCHMARKS / ".build" / "release" / "library-alone"
TESSERA = BENCHMARKS.parent / ".build" / "release" / "tessera"


@functools.cache
def imagemagick():
    """ImageMagick's `convert`: the first in PATH that says so, as other programs have that name too."""
    for folder in os.get_exec_path():
        program = shutil.which("convert", path=folder)
        if program is None:
            continue
        said = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if "ImageMagick" in said.stdout:
            return program
    raise FileNotFoundError("no `convert` in PATH is ImageMagick's: run Scripts/prepare --benchmarks")


@contextlib.contextmanager
def one_processor():
    """Contenders that are made and run within have one processor, the last of those that there are."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@dataclass(frozen=True)
class Sample:
    seconds: float
    peak_bytes: int | None = None


class Call:
    """A Python call, timed in this process. The last result is kept in `output`.

    Every run has fresh memory unless `keeps_memory` is true: then the C library may use that of the last result again, as in a
    program that decodes one image after the other."""

    libc = ctypes.CDLL(None)

    def __init__(self, name, function, keeps_memory=False):
        self.name = name
        self.function = function
        self.keeps_memory = keeps_memory
        self.output = None

    def run(self):
        # Without the second step the C library keeps the last result's memory, whose pages are there already.
        self.output = None
        gc.collect()
        if not self.keeps_memory:
            self.libc.malloc_trim(0)
        gc.disable()
        start = time.perf_counter()
        output = self.function()
        seconds = time.perf_counter() - start
        gc.enable()
        self.output = output
        return Sample(seconds)

    def close(self):
        self.output = None


class Measured:
    """A subcommand of the `measure` program: a process that does the work once for each line it is sent, and times it
    itself, so that calls into Swift and calls into Python alternate in one run."""

    def __init__(self, name, *arguments, environment=None, program=MEASURE):
        self.name = name
        self.process = subprocess.Popen(
            [str(program), *[str(argument) for argument in arguments]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, **(environment or {})})
        self.ready = self.ask(None)

    def ask(self, line):
        if line is not None:
            self.process.stdin.write(line + "\n")
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError(f"{self.name}: measure ended with status {self.process.wait()}")
        reply = json.loads(reply)
        if "error" in reply:
            raise RuntimeError(f"{self.name}: {reply['error']}")
        return reply

    def run(self):
        reply = self.ask("run")
        return Sample(reply["seconds"], reply.get("peak"))

    def save(self, path):
        """Writes what the last run made: an encoder's file, or rows of RGBA bytes. Returns what it is."""
        return self.ask(f"save {path}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class LibraryAlone(Measured):
    """A C library alone: its own calls and nothing else. Its version is in the name."""

    def __init__(self, *arguments):
        super().__init__("a library", *arguments, program=LIBRARY_ALONE)
        self.name = f"{self.ready['name']}, alone"


class Command(Measured):
    """A whole command, from its start to its end, with the peak of its resident memory. `output` is a file that it
    writes, and that is removed before each run."""

    def __init__(self, name, *arguments, output=None):
        super().__init__(name, "command", *arguments)
        self.output = output

    def run(self):
        if self.output is not None:
            Path(self.output).unlink(missing_ok=True)
        return super().run()
