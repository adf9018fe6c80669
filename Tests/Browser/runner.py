"""Runs the browser tests against a server: a line a test."""

import argparse
import importlib
import pathlib
import shutil
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import harness

here = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url", help="the server's, as in http://127.0.0.1:8080")
parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="tests whose names contain this")
parser.add_argument("--shots", type=pathlib.Path, metavar="FOLDER", help="where to put pictures of the pages")
parser.add_argument(
    "--signed", metavar="LINK", help="a signed link to the gallery of another server, one that has keys and pictures"
)
arguments = parser.parse_args()

if not shutil.which(harness.CHROMIUM):
    print(f"skipped: there is no Chromium at {harness.CHROMIUM}; install it, or name another with CHROMIUM")
    sys.exit(0)

for path in sorted(here.glob("test_*.py")):
    importlib.import_module(path.stem)

failures = 0
with sync_playwright() as playwright:
    with harness.Session(playwright, arguments.url.rstrip("/"), arguments.shots, arguments.signed) as session:
        for name, test in harness.tests.items():
            if arguments.only and not any(text in name for text in arguments.only):
                continue
            start = time.monotonic()
            try:
                test(session)
                session.check_console()
                outcome, reason = "ok", ""
            except harness.Skip as skip:
                outcome, reason = "skipped", str(skip)
            except Exception as error:  # a test may fail in any way
                failures += 1
                outcome, reason = "FAILED", f"{type(error).__name__}: {error}"
                frames = [frame for frame in traceback.extract_tb(error.__traceback__) if str(here) in frame.filename]
                if frames:
                    reason += f" ({pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno})"
            session.close_contexts()
            line = f"{outcome:8}{time.monotonic() - start:6.1f} s  {name}"
            print(line + (f": {' '.join(reason.split())[:400]}" if reason else ""), flush=True)

print(f"{failures} failed" if failures else "all passed")
sys.exit(1 if failures else 0)
