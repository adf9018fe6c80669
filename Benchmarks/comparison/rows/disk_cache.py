"""A disk cache of 100 000 small entries, against diskcache, which keeps small ones in an SQLite database."""

import os

import diskcache

from ..figures import Figure, Value
from . import Bench, Call, Measured, row

ENTRIES = 100_000
RUN = 1000
BYTES = 2000
PATTERN = bytes(place % 251 for place in range(BYTES + 251))


def payload(index):
    """What `disk-cache` of the `measure` program stores, too."""
    start = index * 31 % 251
    return PATTERN[start:start + BYTES]


def key(index):
    return f"https://example.org/pictures/{index}.jpg"


@row("disk-cache")
def disk_cache(bench: Bench):
    """100 000 entries of 2000 bytes on disk: opening, a thousand hits, a thousand puts"""
    ours, theirs = bench.folder / "ours", bench.folder / "theirs"
    settings = {"size_limit": 10 << 30}
    peer = diskcache.Cache(str(theirs), **settings)
    with peer.transact():
        for index in range(ENTRIES):
            peer.set(key(index), payload(index))
    wanted = [key(index * 7919 % ENTRIES) for index in range(RUN)]
    puts = [payload(index) for index in range(RUN)]

    def measured(operation):
        return Measured("Tessera", "disk-cache", ours, ENTRIES, operation)

    def opened():
        with diskcache.Cache(str(theirs), **settings) as cache:
            return len(cache)

    def put():
        for index, data in enumerate(puts):
            peer.set(f"put {index}", data)

    def agree(subject, expected):
        def compare():
            path = bench.folder / "entries"
            subject.save(path)
            equal = path.read_bytes() == expected()
            return ("equal" if equal else "other bytes"), equal

        return compare

    opening = bench.times(f"opening {ENTRIES} entries", measured("open"), Call("diskcache, Cache(), len()", opened))
    # Counting every file is more than the peer does: it has its count in the database.
    opening.bound = 1.0
    yield opening

    hit = measured("hit")
    calls = Call("diskcache, get()", lambda: [peer.get(name) for name in wanted])
    files = [entry.path for shelf in os.scandir(ours) if shelf.is_dir() for entry in os.scandir(shelf)][:RUN]
    reading = Call("reading as many files", lambda: [read(path) for path in files])
    hits = bench.times(
        f"{RUN} hits", hit, calls, reading, agreement=agree(hit, lambda: b"".join(calls.output)))
    yield hits
    beyond = hits.ours.median - hits.peers[1].median
    yield Figure(
        bench.name, f"{RUN} hits, beyond reading the files", "ms", Value("Tessera", beyond), bound=RUN * 100e-6)

    putting = measured("put")
    yield bench.times(
        f"{RUN} puts", putting, Call("diskcache, set()", put),
        agreement=agree(putting, lambda: b"".join(peer.get(f"put {index}") for index in range(RUN))))
    peer.close()


def read(path):
    number = os.open(path, os.O_RDONLY)
    try:
        return os.read(number, 1 << 16)
    finally:
        os.close(number)
