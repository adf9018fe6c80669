"""Asks a running program `tessera serve` all that the IIIF validator asks, and says whether the answers are as they should be.

usage: validate.py TESSERA

Two tests of version 3.0 contradict the specification: size_noup wants an error for !2000,3000 of a picture of 1000 x 1000,
where the specification says that !w,h gives the largest picture that isn't scaled up (IIIF/image-validator, issue 100);
size_up, of level 3, wants ^max to be the picture's own size, where the specification says that it is the server's limit.
"""

import logging
import pathlib
import subprocess
import sys
import tempfile

from iiif_validator.validator import ImageAPI, TestSuite, ValidationInfo
from PIL import Image, ImageDraw

IDENTIFIER = "67352ccc-d1b0-11e1-89ae-279075081939"
EXPECTED_FAILURES = {("3.0", "size_noup"), ("3.0", "size_up")}
# Version and its prefix; of level 3, those tests of which the validator's own code works.
RUNS = [
    ("2.0", "iiif/2", ["linkheader_profile", "linkheader_canonical", "rot_full_non90", "rot_region_non90", "rot_mirror",
                       "rot_mirror_180", "size_up", "format_gif", "format_tif"]),
    ("3.0", "iiif/3", ["linkheader_profile", "linkheader_canonical", "rot_full_non90", "rot_region_non90", "rot_mirror",
                       "rot_mirror_180", "size_up", "format_gif", "format_tif"]),
]


def test_picture(path):
    """The validator's picture: ten by ten squares of the colours in its table."""
    picture = Image.new("RGB", (1000, 1000))
    draw = ImageDraw.Draw(picture)
    for x, column in enumerate(ValidationInfo().colorInfo):
        for y, colour in enumerate(column):
            draw.rectangle([x * 100, y * 100, x * 100 + 99, y * 100 + 99], fill=colour)
    picture.save(path)


def run(server, version, prefix, level_3):
    """Returns how many tests there were, and the names of those that failed and shouldn't have."""
    known = TestSuite(ValidationInfo()).list_tests(version)
    names = [name for name, test in known.items() if test["level"] <= 2 or name in level_3]
    failures = []
    for name in names:
        result = ImageAPI(IDENTIFIER, server, prefix, "http", "", version, debug=False)
        try:
            TestSuite(ValidationInfo()).run_test(name, result)
            error = result.exception
        except Exception as exception:  # The validator's tests raise whatever comes.
            error = exception
        if error and (version, name) not in EXPECTED_FAILURES:
            print(f"IIIF {version} {name}: {error} (got {getattr(error, 'got', '')}, "
                  f"expected {getattr(error, 'expected', '')}) {result.urls}")
            failures.append(name)
        if not error and (version, name) in EXPECTED_FAILURES:
            print(f"IIIF {version} {name} passes: the validator has been mended, so expect it to")
            failures.append(name)
    print(f"IIIF {version}: {len(names)} tests, {len(failures)} unexpected")
    return failures


def main():
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        test_picture(pathlib.Path(folder, IDENTIFIER + ".png"))
        # On loopback pages of other sites are shut out; the validator wants them let in, as on a public server.
        command = [sys.argv[1], "serve", folder, "--port", "0", "--no-access-log", "--allow-origin", "*"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                address = ""
                while not address.startswith("http://"):
                    address = process.stdout.readline().strip()
                    if process.poll() is not None:
                        sys.exit("the server ended before it began")
                server = address.removeprefix("http://").rstrip("/")
                failures = [name for each in RUNS for name in run(server, *each)]
            finally:
                process.terminate()
    sys.exit(1 if failures else 0)


main()
