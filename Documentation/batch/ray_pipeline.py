#!/usr/bin/env python3
"""ray_pipeline.py LIST TEMPLATE [OPTIONS]   converts a list of images with Ray Data

Ray gives each task a part of the list. The task passes it to `tessera batch`, whose report becomes the rows that the next
step of a pipeline reads: input, output, status, error. A task that Ray runs again finds what is done.
Needs PyPI's ray[data], and tessera in PATH on every node.
"""

import json
import subprocess
import sys

import numpy
import ray


def convert(rows, template, options):
    """Converts the images of some rows; returns a row for each."""
    paths = list(rows["path"])
    # Ray has divided the list: environment variables of a scheduler around it don't count.
    command = ["tessera", "batch", "-", "--out", template, "--report", "-", "--quiet", "--jobs", "1", "--shard", "0/1"]
    run = subprocess.run(command + options, input="\n".join(paths), stdout=subprocess.PIPE, text=True)
    # Status 1: some images failed, and the report has them. Otherwise Ray runs the task again.
    if run.returncode not in (0, 1):
        raise RuntimeError(f"tessera ended with status {run.returncode}")
    results = {row["input"]: row for row in map(json.loads, run.stdout.splitlines())}
    if set(results) != set(paths):
        raise RuntimeError("tessera stopped before the end")
    return {
        "path": numpy.array(paths),
        **{
            name: numpy.array([results[path].get(name, "") for path in paths])
            for name in ("output", "status", "error")
        },
    }


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        paths = [line for line in file.read().splitlines() if line]
    images = ray.data.from_items([{"path": path} for path in paths], override_num_blocks=16)
    done = images.map_batches(
        convert, batch_size=None, fn_kwargs={"template": sys.argv[2], "options": sys.argv[3:]})
    counts = {"written": 0, "current": 0, "failed": 0}
    for row in done.iter_rows():
        counts[row["status"]] += 1
        if row["status"] == "failed":
            print(f"{row['path']}: {row['error']}", file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
