"""<tessera-image> in the zoom view: wheel, fingers, keys, tiles, and the pixels that come of it."""

import io
import time

import numpy
from PIL import Image

from harness import Fingers, canvas, check_pixels, close, difference, encode, image_point, settle, stage, test, view

TILES = "**/iiif/3/**/default.*"


def opened(session, picture, fragment="", **options):
    page = session.page(f"/view/{encode(picture['id'])}{fragment}", **options)
    settle(page)
    return page


@test
def shows_all_of_a_photograph(session):
    page = opened(session, session.photograph)
    at = view(page)
    close(at["x"], session.photograph["width"] / 2, 0.01)
    check_pixels(canvas(page), session.pixels(session.photograph["id"]), at)
    session.shot(page, "zoom-fit")


@test
def shows_pixel_for_pixel(session):
    page = opened(session, session.photograph)
    page.keyboard.press("1")
    settle(page)
    close(view(page)["zoom"], 1, 1e-6)
    check_pixels(canvas(page), session.pixels(session.photograph["id"]), view(page), tolerance=6)


@test
def is_sharp_on_dense_screens(session):
    page = opened(session, session.photograph, ratio=2)
    size = page.evaluate(
        "() => { const c = document.querySelector('tessera-image').shadowRoot.querySelector('canvas'); return [c.width, c.height] }"
    )
    box = stage(page)
    assert size == [round(box["width"] * 2), round(box["height"] * 2)], size
    page.keyboard.press("1")
    settle(page)
    close(view(page)["zoom"], 0.5, 1e-6)
    check_pixels(canvas(page), session.pixels(session.photograph["id"]), view(page), ratio=2, tolerance=6)


@test
def wheel_zooms_about_the_pointer(session):
    page = opened(session, session.large)
    page.mouse.move(620, 420)
    # Far enough in that no edge is near.
    for _ in range(6):
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(30)
    settle(page)
    before, zoom = image_point(page, 620, 420), view(page)["zoom"]
    for _ in range(4):
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(30)
    settle(page)
    after = image_point(page, 620, 420)
    assert view(page)["zoom"] > zoom * 2
    close(after[0], before[0], 2 / zoom, "x under the pointer")
    close(after[1], before[1], 2 / zoom, "y under the pointer")


@test
def shows_the_right_part_of_a_large_picture(session):
    large = session.large
    x, y = large["width"] * 3 // 4, large["height"] * 2 // 3
    page = opened(session, large, f"#{x},{y},1,0")
    at = view(page)
    close(at["x"], x, 0.01)
    shown = canvas(page)
    left, top = round(at["x"] - shown.shape[1] / 2), round(at["y"] - shown.shape[0] / 2)
    width, height = shown.shape[1], shown.shape[0]
    data = session.get(f"/iiif/3/{encode(large['id'])}/{left},{top},{width},{height}/max/0/default.png")
    source = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    check_pixels(shown, source, {"x": at["x"] - left, "y": at["y"] - top, "zoom": 1}, tolerance=6)


@test
def double_click_zooms_in_and_at_last_out(session):
    page = opened(session, session.large)
    fit = view(page)["zoom"]
    zooms = [fit]
    for _ in range(8):
        page.mouse.dblclick(640, 400)
        settle(page)
        zooms.append(view(page)["zoom"])
        if zooms[-1] <= fit * 1.001:
            break
    assert zooms[1] > fit * 1.5, zooms
    close(max(zooms), 1, 1e-3, "the picture's own pixels")
    close(zooms[-1], fit, 1e-3, "and back")


@test
def keys_zoom_move_and_turn(session):
    page = opened(session, session.large)
    fit = view(page)["zoom"]
    for key in "+++":
        page.keyboard.press(key)
    settle(page)
    close(view(page)["zoom"], fit * 1.5**3, fit * 0.01, "zoom")
    x = view(page)["x"]
    page.keyboard.press("ArrowRight")
    settle(page)
    assert view(page)["x"] > x + 1
    y = view(page)["y"]
    page.keyboard.press("ArrowUp")
    settle(page)
    assert view(page)["y"] < y - 1
    page.keyboard.press("-")
    settle(page)
    close(view(page)["zoom"], fit * 1.5**2, fit * 0.01, "zoom")
    page.keyboard.press("r")
    settle(page)
    assert view(page)["rotation"] == 90
    page.keyboard.press("Shift+R")
    settle(page)
    assert view(page)["rotation"] == 0
    page.keyboard.press("0")
    settle(page)
    close(view(page)["zoom"], fit, 1e-6, "fit")


@test
def help_lists_keys_and_gives_the_focus_back(session):
    page = opened(session, session.photograph)
    page.keyboard.press("Tab")
    page.evaluate("document.querySelector('tessera-image').focus()")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    assert dialog.get_by_text("Overview map").is_visible()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.localName") == "tessera-image"
    assert "/view/" in page.url, "Escape closes the help only"


@test
def turned_pictures_show_turned_pixels(session):
    page = opened(session, session.photograph)
    source = session.pixels(session.photograph["id"])
    for turns in (1, 2, 3):
        page.keyboard.press("r")
        settle(page)
        at = view(page)
        assert at["rotation"] == turns * 90
        turned = numpy.rot90(source, -turns)
        check_pixels(canvas(page), turned, {"x": turned.shape[1] / 2, "y": turned.shape[0] / 2, "zoom": at["zoom"]})


@test
def dragging_moves_by_as_much(session):
    page = opened(session, session.large, f"#{session.large['width'] // 2},{session.large['height'] // 2},0.5,0")
    before = view(page)
    page.mouse.move(700, 500)
    page.mouse.down()
    page.mouse.move(560, 430, steps=10)
    page.wait_for_timeout(250)  # held still, so that it isn't thrown
    page.mouse.up()
    settle(page)
    after = view(page)
    close(after["x"] - before["x"], 140 / 0.5, 12, "x")
    close(after["y"] - before["y"], 70 / 0.5, 12, "y")
    assert after["zoom"] == before["zoom"]


@test
def a_thrown_picture_goes_on_and_stops(session):
    x, y = session.large["width"] // 2, session.large["height"] // 2
    page = opened(session, session.large, f"#{x},{y},0.5,0")

    def throw():
        page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 0.5}})")
        page.mouse.move(900, 400)
        page.mouse.down()
        for step in range(8):
            page.mouse.move(900 - step * 30, 400)
        page.mouse.up()
        released = view(page)["x"]
        page.wait_for_timeout(400)
        return view(page)["x"] - released

    # A machine that is busy may hold the pointer still for a moment before it lets go.
    assert any(throw() > 60 for _ in range(4)), "it stops where it is let go"
    settle(page)
    rest = view(page)["x"]
    page.wait_for_timeout(200)
    assert view(page)["x"] == rest


@test
def a_picture_stays_in_its_bounds(session):
    page = opened(session, session.large, "#1,1,0.5,0")
    box = stage(page)
    at = view(page)
    close(at["x"], box["width"], 1, "x at the left edge")
    close(at["y"], box["height"], 1, "y at the upper edge")
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(700, 600, steps=5)
    page.wait_for_timeout(200)
    assert view(page)["x"] < at["x"] - 50, "it gives a little"
    page.mouse.up()
    settle(page)
    close(view(page)["x"], box["width"], 1, "x after letting go")


@test
def pinching_zooms_about_the_fingers(session):
    page = opened(
        session, session.large, f"#{session.large['width'] // 2},{session.large['height'] // 2},0.1,0", is_phone=True
    )
    fingers = Fingers(page)
    before = image_point(page, 195, 420)
    fingers.move([(165, 420), (225, 420)], [(75, 420), (315, 420)], hold=150)
    settle(page)
    close(view(page)["zoom"], 0.4, 0.06, "zoom")
    after = image_point(page, 195, 420)
    close(after[0], before[0], 60, "x between the fingers")
    close(after[1], before[1], 60, "y between the fingers")
    fingers.move([(75, 300), (315, 540)], [(175, 400), (215, 440)], hold=150)
    settle(page)
    assert view(page)["zoom"] < 0.2, "and out again"


@test
def double_tap_zooms(session):
    page = opened(session, session.large, is_phone=True)
    zoom = view(page)["zoom"]
    fingers = Fingers(page)
    fingers.tap(200, 430)
    page.wait_for_timeout(60)
    fingers.tap(202, 431)
    settle(page)
    close(view(page)["zoom"], zoom * 3, zoom * 0.05, "zoom")


@test
def a_finger_drags_and_throws(session):
    page = opened(
        session, session.large, f"#{session.large['width'] // 2},{session.large['height'] // 2},0.25,0", is_phone=True
    )
    before = view(page)["x"]
    Fingers(page).move([(300, 400)], [(120, 400)], steps=8, pause=10)
    page.wait_for_timeout(50)
    assert view(page)["x"] > before + 100 / 0.25
    settle(page)


@test
def the_coarse_level_stays_until_tiles_arrive(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    settle(page)
    x, y = session.large["width"] // 2, session.large["height"] // 2
    with session.holding(page, TILES) as held:
        page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 0.5}})")
        page.wait_for_timeout(400)
        assert held, "no tile was asked for"
        shown = canvas(page)
    assert shown[..., 3].min() == 255, "there are holes"
    coarse = shown[..., :3]
    settle(page)
    fine = canvas(page)[..., :3]
    assert 0.2 < difference(coarse, fine) < 40, difference(coarse, fine)
    # What was blurred has more detail now.
    detail = lambda pixels: difference(pixels[:, 1:], pixels[:, :-1])
    assert detail(fine) > detail(coarse) * 1.2, (detail(fine), detail(coarse))


@test
def requests_for_tiles_out_of_view_are_aborted(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    settle(page)
    aborted = []
    page.on("requestfailed", lambda request: aborted.append(request.url))
    with session.holding(page, TILES) as held:
        page.evaluate("document.querySelector('tessera-image').setView({x: 2000, y: 2000, zoom: 1})")
        page.wait_for_timeout(300)
        first = [route.request.url for route in held]
        assert first, "no tile was asked for"
        x, y = session.large["width"] - 2000, session.large["height"] - 2000
        page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 1}})")
        page.wait_for_timeout(300)
        assert set(first) <= set(aborted), f"{len(aborted)} of {len(first)} were aborted"
        # Those that are wanted now go on.
        assert {route.request.url for route in held} - set(aborted)
    settle(page)


@test
def tiles_in_the_middle_come_first(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    settle(page)
    asked = []
    page.route(TILES, lambda route: (asked.append(route.request.url), route.continue_()))
    x, y = session.large["width"] // 2, session.large["height"] // 2
    page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 1}})")
    settle(page)

    def distance(url):
        left, top, width, height = map(int, url.split("/")[-4].replace("%2C", ",").split(","))
        return max(abs(left + width / 2 - x), abs(top + height / 2 - y))

    distances = [distance(url) for url in asked]
    third = len(distances) // 3
    assert third >= 1 and sum(distances[:third]) / third < sum(distances[-third:]) / third, distances


@test
def a_busy_server_is_waited_for(session):
    page = session.page(allows=["503"])
    busy = []

    def answer(route):
        if len(busy) < 3:
            busy.append(time.monotonic())
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="busy")
        else:
            route.continue_()

    page.route("**/iiif/3/**", answer)
    page.goto(f"{session.base}/view/{encode(session.photograph['id'])}")
    page.get_by_text("The server is busy").wait_for()
    settle(page)
    assert len(busy) == 3
    assert busy[2] - busy[0] >= 1.8, "Retry-After was not waited for"
    assert canvas(page)[..., 3].any()


@test
def an_error_is_shown_and_can_be_tried_again(session):
    page = session.page(allows=["404", "503", "500"])
    page.route("**/iiif/3/**", lambda route: route.fulfill(status=500, content_type="text/html", body="<p>no</p>"))
    page.goto(f"{session.base}/view/{encode(session.photograph['id'])}")
    page.evaluate("document.querySelector('tessera-image').addEventListener('error', (e) => (window.said = e.detail))")
    page.get_by_role("alert").get_by_text("status 500").wait_for()
    page.unroute("**/iiif/3/**")
    page.get_by_role("button", name="Try again").click()
    settle(page)
    check_pixels(canvas(page), session.pixels(session.photograph["id"]), view(page))


@test
def tiles_that_fail_leave_a_word_and_the_rest(session):
    page = session.page(allows=["500"])
    page.goto(f"{session.base}/view/{encode(session.large['id'])}")
    settle(page)
    page.route(TILES, lambda route: route.fulfill(status=500, body="no"))
    page.evaluate("document.querySelector('tessera-image').setView({x: 3000, y: 3000, zoom: 1})")
    page.get_by_text("A part could not be loaded.").wait_for()
    assert canvas(page)[..., 3].min() == 255, "there are holes"
    page.unroute(TILES)
    page.get_by_role("button", name="Try again").click()
    settle(page)
    page.get_by_text("A part could not be loaded.").wait_for(state="detached")


@test
def memory_for_tiles_is_bounded(session):
    page = opened(session, session.large, is_phone=True)
    most = 0
    for row in range(3):
        for column in range(8):
            x = session.large["width"] * (column + 0.5) / 8
            y = session.large["height"] * (row + 0.5) / 3
            page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 0.5}})")
            settle(page)
            most = max(most, page.evaluate("document.querySelector('tessera-image').tileBytes"))
    assert 50e6 < most < 125e6, most


@test
def the_map_appears_and_moves_the_view(session):
    page = opened(session, session.large)
    shown = "document.querySelector('tessera-image').shadowRoot.querySelector('.minimap').classList.contains('shown')"
    assert not page.evaluate(shown)
    x, y = session.large["width"] // 2, session.large["height"] // 2
    page.evaluate(f"document.querySelector('tessera-image').setView({{x: {x}, y: {y}, zoom: 0.5}})")
    settle(page)
    assert page.evaluate(shown)
    box = page.locator("tessera-image .minimap canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.75)
    settle(page)
    close(view(page)["x"], session.large["width"] * 0.25, session.large["width"] * 0.02, "x")
    close(view(page)["y"], session.large["height"] * 0.75, session.large["height"] * 0.02, "y")
    session.shot(page, "zoom-map")
    page.keyboard.press("m")
    page.wait_for_timeout(100)
    assert not page.evaluate(shown)


@test
def pixels_become_squares_when_very_large(session):
    page = opened(
        session, session.photograph, f"#{session.photograph['width'] // 2},{session.photograph['height'] // 2},16,0"
    )
    shown = canvas(page)[..., :3]
    steps = (shown[:, 1:] != shown[:, :-1]).any(axis=2).any(axis=0)
    assert 0 < steps.sum() <= shown.shape[1] / 16 + 2, f"{steps.sum()} columns differ from their neighbour"


@test
def less_motion_is_respected(session):
    page = opened(session, session.large, reduced_motion="reduce")
    fit = view(page)["zoom"]
    page.keyboard.press("+")
    close(view(page)["zoom"], fit * 1.5, 1e-6, "zoom at once")


ELEMENT = """<style>body {{ margin: 0 }} tessera-image {{ height: 500px }}</style>
<script type="module" src="{base}/assets/tessera-image.js"></script>
<script>
  window.events = [];
  addEventListener("DOMContentLoaded", () => {{
    const element = document.querySelector("tessera-image");
    for (const name of ["load", "view-change", "settle", "error"]) element.addEventListener(name, (e) => events.push([name, e.detail]));
  }});
</script>
<tessera-image src="{source}" alt="Something" {attributes}></tessera-image>"""


def embedded(session, source, attributes=""):
    page = session.blank(ELEMENT.format(base=session.base, source=source, attributes=attributes), width=900, height=600)
    settle(page)
    return page


@test
def opens_iiif_2_deep_zoom_and_plain_pictures(session):
    identifier = encode(session.photograph["id"])
    source = session.pixels(session.photograph["id"])
    kinds = {
        f"/iiif/2/{identifier}/info.json": "iiif",
        f"/iiif/3/{identifier}": "iiif",
        f"/dzi/{identifier}.dzi": "dzi",
        f"/dzi/{identifier}.dzi?tile=300&overlap=2": "dzi",
        f"/original/{identifier}": "iiif",
        f"/image/{identifier}?format=png": "picture",
    }
    for address, kind in kinds.items():
        page = embedded(session, session.base + address)
        assert page.evaluate("events.find(([name]) => name === 'load')[1].kind") == kind, address
        check_pixels(canvas(page), source, view(page))
        page.evaluate("document.querySelector('tessera-image').setView({zoom: 1})")
        settle(page)
        check_pixels(canvas(page), source, view(page), tolerance=8)


@test
def can_be_embedded_in_pages_of_other_sites(session):
    source = f"{session.base}/iiif/3/{encode(session.photograph['id'])}/info.json"
    body = ELEMENT.format(base=session.base, source=source, attributes="")
    other = session.elsewhere(
        {"/": ("text/html", f"<!doctype html><title>Other</title>{body}".encode()), "/favicon.ico": ("image/png", b"")}
    )
    page = session.page()
    page.goto(other + "/")
    settle(page)
    check_pixels(canvas(page), session.pixels(session.photograph["id"]), view(page))


@test
def tells_of_what_happens_and_does_what_it_is_told(session):
    page = embedded(
        session,
        f"{session.base}/iiif/3/{encode(session.large['id'])}/info.json",
        attributes='view="5000,4000,0.5,90" controls="none"',
    )
    at = view(page)
    close(at["zoom"], 0.5, 1e-9)
    close(at["x"], 5000, 1e-6)
    assert at["rotation"] == 90
    names = page.evaluate("events.map(([name]) => name)")
    assert names.index("load") < names.index("settle") and "view-change" in names, names
    assert page.evaluate(
        "[document.querySelector('tessera-image').naturalWidth, document.querySelector('tessera-image').naturalHeight]"
    ) == [session.large["width"], session.large["height"]]
    assert not page.locator("tessera-image .controls").is_visible()
    page.evaluate("document.querySelector('tessera-image').rotateBy(-90, {animate: false})")
    page.evaluate("document.querySelector('tessera-image').zoomTo(0.8, {x: 5000, y: 4000, animate: false})")
    settle(page)
    assert view(page)["rotation"] == 0
    close(view(page)["zoom"], 0.8, 1e-9)
    page.evaluate("document.querySelector('tessera-image').fit({animate: false})")
    settle(page)
    close(view(page)["x"], session.large["width"] / 2, 1e-6)
    page.evaluate("document.querySelector('tessera-image').remove()")


@test
def transparency_lies_on_a_checkerboard(session):
    jpng = session.jpng
    page = embedded(session, f"{session.base}/iiif/3/{encode(jpng['id'])}/info.json", attributes='format="png"')
    shown = canvas(page)
    inner = shown[
        shown.shape[0] // 2 - 20 : shown.shape[0] // 2 + 20, shown.shape[1] // 2 - 20 : shown.shape[1] // 2 + 20
    ]
    assert inner[..., 3].min() == 255, "the checkerboard has holes"
    page.evaluate("document.querySelector('tessera-image').setAttribute('transparent', '')")
    page.evaluate("document.querySelector('tessera-image').fit()")
    settle(page)
    alpha = canvas(page)[..., 3]
    at = view(page)
    width, height = round(jpng["width"] * at["zoom"]), round(jpng["height"] * at["zoom"])
    left, top = (alpha.shape[1] - width) // 2, (alpha.shape[0] - height) // 2
    assert alpha[top : top + height, left : left + width].min() == 0, "nothing shines through"


@test
def leaves_nothing_behind_when_it_is_removed(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    page.wait_for_function("() => document.querySelector('tessera-image')?.naturalWidth > 0")
    aborted = []
    page.on("requestfailed", lambda request: aborted.append(request.url))
    with session.holding(page, TILES) as held:
        page.evaluate("document.querySelector('tessera-image').setView({x: 3000, y: 3000, zoom: 1})")
        page.wait_for_timeout(200)
        page.evaluate("document.querySelector('tessera-image').remove()")
        page.wait_for_timeout(200)
        assert held and {route.request.url for route in held} <= set(aborted), "requests go on"
