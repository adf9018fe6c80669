"""The README's chart: a few figures of a stored run as bars, in SVG."""

import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

# The title of a figure, and what the chart calls it.
JOBS = {
    "thumbnail, as a command, Lanczos-3": "Thumbnail of a 24 MP JPEG, file to file",
    "500 thumbnails of 3 MP JPEGs, Lanczos-3": "500 thumbnails of 3 MP JPEGs",
    "decoding a 24 MP PNG": "Decode a 24 MP PNG",
    "encoding a 24 MP PNG": "Encode a 24 MP PNG",
    "24 MP JPEG to PNG, as a command": "24 MP JPEG to PNG, file to file",
    "peak memory, 201 MP JPEG to PNG": "Peak memory, 201 MP JPEG to PNG",
}
PEERS = {"vips": "libvips", "libvips": "libvips", "Pillow": "Pillow", "convert": "ImageMagick", "tessera": "Tessera"}
UNITS = {
    "ms": lambda number: f"{number:.2f} s" if number >= 1 else f"{number * 1000:.0f} ms",
    "MB": lambda number: f"{number / 1e6:.0f} MB",
}
WIDTH, LABELS, BARS, BAR, GAP = 760, 130, 520, 15, 22


def program(name):
    """The name of a contender as the chart prints it."""
    for start, short in PEERS.items():
        if name.startswith(start):
            return short
    return "Tessera" if name.startswith("Tessera") else name


def chart(report):
    """The SVG of a report that `Benchmarks/compare --json` wrote. Shorter bars are better; each job has its own scale."""
    figures = {figure["title"]: figure for figure in report["figures"]}
    missing = [title for title in JOBS if title not in figures]
    if missing:
        raise ValueError(f"the run lacks {', '.join(missing)}")
    body, y = [], 24
    for title, label in JOBS.items():
        figure = figures[title]
        values = [figure["ours"], *figure["peers"]]
        longest = max(value["median"] for value in values)
        body.append(f'<text x="16" y="{y + 12}" class="job">{escape(label)}</text>')
        y += 20
        for place, value in enumerate(values):
            width = max(2, BARS * value["median"] / longest)
            kind = "ours" if place == 0 else "peer"
            shown = UNITS[figure["unit"]](value["median"])
            body.append(f'<text x="{LABELS - 8}" y="{y + 12}" class="name {kind}">{escape(program(value["name"]))}</text>')
            body.append(f'<rect x="{LABELS}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2" class="{kind}"/>')
            body.append(f'<text x="{LABELS + width + 6:.1f}" y="{y + 12}" class="value">{shown}</text>')
            y += BAR + 4
        y += GAP - 8
    around = report["surroundings"]
    versions = f'libvips {around["libvips in process"]} and {around["vipsthumbnail"]}, Pillow {around["Pillow"].split()[0]}'
    body.append(f'<text x="16" y="{y + 10}" class="note">Shorter is better. {escape(around["machine"])}; {escape(versions)}.</text>')
    height = y + 26
    style = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#24292f}"
        ".job{font-weight:600;font-size:13px}.name{text-anchor:end}.name.ours{font-weight:600}"
        ".note{font-size:11px;fill:#57606a}rect.ours{fill:#c2410c}rect.peer{fill:#afb8c1}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="Tessera compared with libvips, Pillow and ImageMagick">\n<style>{style}</style>\n'
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>\n' + "\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: Benchmarks/compare --chart RUN.json CHART.svg")
    try:
        drawn = chart(json.loads(Path(sys.argv[1]).read_text()))
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    Path(sys.argv[2]).write_text(drawn)
