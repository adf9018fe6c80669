"""The loading pipeline: folders of thumbnails against a Pillow pool and libvips, and what the pipeline itself costs."""

import asyncio
import multiprocessing
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cachetools
import numpy
import pyvips
from PIL import Image

from .. import agreement, inputs
from ..figures import Figure, alternating, value
from . import Bench, Call, Command, Measured, row

WIDTH, HEIGHT, COUNT, SIDE = 2000, 1500, 500, 256
PROCESSORS = 2
# Every so many thumbnails one is compared.
STEP = 25


def photographs(folder):
    """500 JPEG files of 3 megapixels at quality 90: windows of the 24-megapixel photograph, some turned over."""
    with Image.open(inputs.photo_jpeg()) as image:
        photo = image.convert("RGB")
    chance = random.Random(5)
    windows = [
        (chance.randrange(photo.width - WIDTH), chance.randrange(photo.height - HEIGHT), chance.randrange(3))
        for _ in range(COUNT)
    ]

    def save(number, left, top, turn):
        window = photo.crop((left, top, left + WIDTH, top + HEIGHT))
        if turn:
            flips = (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM)
            window = window.transpose(flips[turn - 1])
        window.save(folder / f"{number:03}.jpg", quality=90)

    folder.mkdir()
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(save, range(COUNT), *zip(*windows)))
    return sorted(folder.iterdir())


def shrink(path, destination=None):
    with Image.open(path) as image:
        # Twice the size, as the others: the filter has something to work with.
        image.draft("RGB", (2 * SIDE, 2 * SIDE))
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
        if destination:
            image.save(Path(destination) / path.name)
    return image


def shrink_and_drop(path, destination=None):
    """What a process of the pool does. Pixels stay with it: sending them would cost more than making them."""
    return shrink(path, destination).size


def stacked(pictures):
    """RGB pictures of one size, one below the other."""
    return numpy.concatenate([numpy.asarray(picture) for picture in pictures])


@row("thumbnails")
def thumbnails(bench: Bench):
    """500 JPEG files of 3 megapixels to thumbnails of 256 pixels by Lanczos-3, in memory and as files, on two cores"""
    source, *destinations = (bench.folder / name for name in ("photographs", "ours", "pool", "vips"))
    paths = photographs(source)
    for destination in destinations:
        destination.mkdir()
    ours_folder, pool_folder, vips_folder = destinations
    everything = os.sched_getaffinity(0)
    # Processes that are started and threads that are made take this over.
    os.sched_setaffinity(0, set(sorted(everything)[:PROCESSORS]))
    rounds = min(3, bench.rounds)
    try:
        # Not forked: the libvips in this process has threads.
        with multiprocessing.get_context("spawn").Pool(PROCESSORS) as pool, ThreadPoolExecutor(PROCESSORS) as threads:

            def vips(path):
                return pyvips.Image.thumbnail(str(path), SIDE).numpy()

            ours = Measured("Tessera, ImagePipeline", "thumbnails", source, SIDE)
            in_threads = Call(
                "libvips, thumbnail() in 2 threads", lambda: list(threads.map(vips, paths)))

            def agree():
                mine = agreement.pixels(ours, bench.folder / "pixels")[..., :3]
                said, agrees = agreement.compare(mine, stacked(in_threads.output[::STEP]), mean_at_most=1)
                pillow, pillow_agrees = agreement.compare(
                    mine, stacked(shrink(path) for path in paths[::STEP]), mean_at_most=1)
                return f"{said}; Pillow: {pillow}", agrees and pillow_agrees

            yield bench.times(
                f"{COUNT} thumbnails of 3 MP JPEGs, Lanczos-3", ours,
                Call("Pillow, draft() and thumbnail() in 2 processes", lambda: pool.map(shrink_and_drop, paths)),
                in_threads, goal=1, agreement=agree, rounds=rounds)

            def agree_as_files():
                mine, pillows, vipsthumbnails = (
                    stacked(Image.open(folder / path.name).convert("RGB") for path in paths[::STEP])
                    for folder in destinations)
                said, agrees = agreement.compare(mine, vipsthumbnails, mean_at_most=2)
                pillow, pillow_agrees = agreement.compare(mine, pillows, mean_at_most=2)
                return f"{said}; Pillow: {pillow}", agrees and pillow_agrees

            by_two = 'printf "%s\\0" "$0"/* | xargs -0 -P 2 -n 50 vipsthumbnail -s "$1" -o "$2/%s.jpg"'
            yield bench.times(
                f"the same to {COUNT} JPEG files",
                Measured("Tessera, ImagePipeline", "thumbnails", source, SIDE, ours_folder),
                Call("Pillow, in 2 processes",
                     lambda: pool.starmap(shrink_and_drop, [(path, pool_folder) for path in paths])),
                Command("vipsthumbnail, by xargs -P 2", "sh", "-c", by_two, source, SIDE, vips_folder),
                goal=1, agreement=agree_as_files, rounds=rounds)
    finally:
        os.sched_setaffinity(0, everything)


@row("memory-cache")
def memory_cache(bench: Bench):
    """A hit in the memory cache on one thread, from a request to its response; the peers only look a key up"""
    pictures, lookups = 100, 1_000_000
    keys = [(f"https://example.com/pictures/{number}.jpg", SIDE) for number in range(pictures)]
    plain = {key: object() for key in keys}
    recent = cachetools.LRUCache(pictures)
    recent.update(plain)
    lock = threading.Lock()

    def of_cachetools():
        for _ in range(lookups // pictures):
            for key in keys:
                with lock:
                    recent[key]

    def of_dict():
        for _ in range(lookups // pictures):
            for key in keys:
                plain[key]

    contenders = [
        Measured("Tessera, cachedResponse(for:)", "memory-cache", pictures, lookups),
        Call("cachetools, LRUCache[key] under a lock", of_cachetools),
        Call("dict[key] (the floor in Python)", of_dict),
    ]
    samples = alternating(contenders, bench.rounds)
    for contender in contenders:
        contender.close()
    ours, *peers = (
        value(who, them, lambda sample: sample.seconds / lookups) for who, them in zip(contenders, samples))
    return [
        Figure(bench.name, "a hit in the memory cache", "ns", ours, bound=1e-6),
        Figure(bench.name, "the same beside Python's look-ups", "ns", ours, peers),
    ]


async def coalesced(keys):
    """The least that a loader must do in asyncio: requests that are under way for one key share one future."""
    underway = {}
    loads = 0

    async def load(key):
        nonlocal loads
        loads += 1
        await asyncio.sleep(0)
        return bytes(64)

    async def decode(data):
        return data

    async def make(key):
        return await decode(await load(key))

    async def request(key):
        task = underway.get(key)
        if task is None:
            task = underway[key] = asyncio.create_task(make(key))
            task.add_done_callback(lambda _: underway.pop(key))
        return await task

    answers = await asyncio.gather(*(request(key) for key in keys))
    return len(answers), loads


@row("requests")
def requests(bench: Bench):
    """5 000 requests begun and answered, with a loader and a decoder that have the answer at hand"""
    count = 5000
    for pictures in (count, count // 10):
        keys = [f"https://example.com/pictures/{number % pictures}.jpg" for number in range(count)]
        ours = Measured("Tessera, imageTask(with:)", "requests", count, pictures)
        theirs = Call("asyncio, a dict of tasks as coalescer", lambda keys=keys: asyncio.run(coalesced(keys)))

        def agree(theirs=theirs, pictures=pictures):
            # Tessera's subject counts its loads itself.
            answers, loads = theirs.output
            return f"{loads} loads", (answers, loads) == (count, pictures)

        yield bench.times(f"{count} requests for {pictures} pictures", ours, theirs, agreement=agree)
