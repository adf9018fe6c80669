"""The effects page: controls, the address that they write, and the pixels that come of it."""

import base64
import io
import re
import urllib.parse

import numpy
from PIL import Image

from harness import close, difference, encode, test


def opened(session, query="", picture=None, **options):
    page = session.page(f"/effects/{encode((picture or session.photograph)['id'])}{query}", **options)
    done(page)
    return page


def done(page):
    """Until a result is shown that isn't a coarse one, and nothing is on its way."""
    page.wait_for_timeout(450)
    page.wait_for_function(
        """() => document.querySelector('#figures b') && document.querySelector('#failure').hidden
      && !document.querySelector('#progress').classList.contains('running') && !document.querySelector('#stage').classList.contains('coarse')"""
    )


def query(page):
    """The query of the address that is shown."""
    return dict(
        urllib.parse.parse_qsl(
            urllib.parse.urlsplit(page.locator("#address").get_attribute("href")).query, keep_blank_values=True
        )
    )


def result(page, selector="#after"):
    text = page.evaluate(
        """async (selector) => {
      const image = document.querySelector(selector);
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      canvas.getContext('2d').drawImage(image, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      let text = '';
      for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
      return btoa(text);
    }""",
        selector,
    )
    return numpy.asarray(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGBA"))


@test
def every_effect_has_its_controls(session):
    table = session.json("/api/effects")
    page = opened(session)
    for details in page.locator("details").all():
        details.evaluate("(element) => (element.open = true)")
    for item in table["effects"]:
        title = page.locator("#controls").get_by_text(item["title"], exact=True)
        assert title.count() >= 1, f"there is nothing for {item['name']}"
    # Each can be switched on, and then is in the address, unless it lacks another picture.
    for item in table["effects"]:
        is_plain = len(item["parameters"]) == 1 and item["parameters"][0]["kind"] == "number"
        if is_plain or any(parameter["kind"] == "identifier" for parameter in item["parameters"]):
            continue
        switch = page.get_by_role("switch", name=item["title"], exact=True)
        switch.check()
        assert item["name"] in query(page), f"{item['name']} isn't in {query(page)}"
        switch.uncheck()
    page.wait_for_timeout(300)


@test
def sliders_change_the_address_and_the_pixels(session):
    page = opened(session, "?w=500&format=png")
    before = result(page)[..., :3].astype(int)
    slider = page.get_by_label("Saturation, slider")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    done(page)
    assert query(page)["saturation"] == "0", query(page)
    grey = result(page)[..., :3].astype(int)
    assert (grey.max(axis=2) - grey.min(axis=2)).max() <= 3, "not grey"
    assert (before.max(axis=2) - before.min(axis=2)).max() > 20, "the picture has no colour to lose"
    assert page.locator("#controls").get_by_label("Saturation", exact=True).input_value() == "0"
    slider.dblclick()
    done(page)
    assert "saturation" not in query(page)
    assert difference(result(page)[..., :3], before) < 0.1


@test
def dragging_a_slider_shows_coarse_pictures_and_then_a_sharp_one(session):
    page = opened(session, "?w=900&format=png")
    requests = []
    page.on("request", lambda request: "/image/" in request.url and requests.append(request.url))
    slider = page.get_by_label("Brightness, slider")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(12):
        page.mouse.move(box["x"] + box["width"] * (0.5 + step / 60), box["y"] + box["height"] / 2)
        page.wait_for_timeout(40)
    page.mouse.up()
    done(page)
    assert float(query(page)["brightness"]) > 1
    assert any("dpr=0.35" in url for url in requests), requests
    assert "dpr" not in query(page)
    close(result(page).shape[1], 900, 0, "width")


@test
def values_make_what_the_server_makes_of_them(session):
    page = opened(session, "?w=300&format=png")
    page.get_by_role("switch", name="Flip").check()
    done(page)
    assert query(page)["flip"] == "horizontal"
    flipped = result(page)
    plain = numpy.asarray(
        Image.open(io.BytesIO(session.get(f"/image/{encode(session.photograph['id'])}?w=300&format=png"))).convert(
            "RGBA"
        )
    )
    assert difference(flipped, plain[:, ::-1]) < 1.5
    served = numpy.asarray(
        Image.open(io.BytesIO(session.get(page.locator("#address").get_attribute("href")))).convert("RGBA")
    )
    assert difference(flipped, served) == 0


@test
def effects_of_several_values_are_written_as_short_as_can_be(session):
    page = opened(session, "?w=400&format=png")
    page.get_by_role("switch", name="Corner radius").check()
    page.get_by_role("switch", name="Reflection", exact=True).check()
    group = page.locator(".effect", has=page.get_by_role("switch", name="Corner radius"))
    group.get_by_label("Radius", exact=True).fill("30")
    done(page)
    assert query(page)["radius"] == "30", query(page)
    group.get_by_label("Top right", exact=True).fill("0")
    done(page)
    assert query(page)["radius"] == "30,0,30,30", query(page)
    reflection = page.locator(".effect", has=page.get_by_role("switch", name="Reflection", exact=True))
    reflection.get_by_label("Gap", exact=True).fill("0")
    reflection.get_by_label("Alpha", exact=True).fill("1")
    reflection.get_by_label("Scale", exact=True).fill("0.25")
    done(page)
    assert query(page)["reflect"] == "0.25", query(page)
    corner = result(page)
    picture_top = (corner.shape[0] - round(400 * session.photograph["height"] / session.photograph["width"])) // 2
    assert corner[picture_top + 1, 1, 3] < 40, "the corner is round"
    assert corner[picture_top + 1, -2, 3] > 200, "the other isn't"


@test
def the_page_is_restored_from_its_address(session):
    page = opened(session, "?w=400&saturation=1.6&radius=24&shadow=0,6,20,00000080&grayscale&format=png")
    items = query(page)
    assert items == {
        "w": "400",
        "saturation": "1.6",
        "radius": "24",
        "shadow": "0,6,20,00000080",
        "grayscale": "",
        "format": "png",
    }, items
    assert page.get_by_role("switch", name="Shadow").is_checked()
    assert page.get_by_role("switch", name=re.compile("Gr[ea]yscale")).is_checked()
    page.reload()
    done(page)
    assert query(page) == items


@test
def one_size_is_enough(session):
    page = opened(session, "?w=400&format=png")
    page.locator("details", has_text="Size, in other ways").evaluate("(element) => (element.open = true)")
    page.get_by_role("switch", name="Fill", exact=True).check()
    done(page)
    assert "w" not in query(page) and "x" in query(page)["fill"], query(page)
    width, height = map(int, query(page)["fill"].split("x"))
    assert result(page).shape[:2] == (height, width)
    page.locator("details", has_text="Size and format").evaluate("(element) => (element.open = true)")
    page.locator("details", has_text="Size and format").get_by_label("Width", exact=True).fill("200")
    done(page)
    assert "fill" not in query(page) and query(page)["w"] == "200", query(page)
    assert result(page).shape[1] == 200


@test
def before_and_after_are_divided(session):
    page = opened(session, "?w=500&sepia=1&format=png")
    divide = page.get_by_label("Divider between before and after")
    assert page.locator("#before").is_visible() and page.locator("#after").is_visible()
    cut = lambda: page.evaluate("document.querySelector('#after').style.clipPath")
    first = cut()
    divide.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    second = cut()
    assert first != second and first.startswith("inset("), (first, second)
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 200, steps=4)
    page.mouse.up()
    close(float(page.evaluate("document.querySelector('#divide').value")), 30, 2, "divider")
    # What is in both lies over itself.
    places = page.evaluate(
        "['#before', '#after'].map((s) => { const b = document.querySelector(s).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"
    )
    assert places[0] == places[1], places
    session.shot(page, "effects")
    before = result(page, "#before")[..., :3].astype(int)
    assert difference(before, result(page)[..., :3]) > 2


@test
def size_and_time_are_said(session):
    page = opened(session, "?w=400&format=png")
    data = session.get(page.locator("#address").get_attribute("href"))
    text = page.locator("#figures").inner_text()
    said = float(re.match(r"([\d.,]+) (k?B|MB)", text).group(1).replace(",", "."))
    unit = {"B": 1, "kB": 1e3, "MB": 1e6}[re.match(r"([\d.,]+) (k?B|MB)", text).group(2)]
    close(said * unit, len(data), len(data) * 0.06, "size")
    assert "PNG" in text and re.search(r"[\d.]+ ms", text), text


@test
def the_address_is_copied(session):
    page = opened(session, "?w=400&radius=9", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy address").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{session.base}/image/{encode(session.photograph['id'])}?w=400&radius=9", copied


@test
def reset_takes_everything_back(session):
    page = opened(session, "?w=400&radius=9&sepia=0.5")
    page.get_by_role("button", name="Reset").click()
    done(page)
    assert set(query(page)) == {"w", "format"}, query(page)
    assert not page.locator("#before").is_visible()


@test
def what_the_server_refuses_is_said_in_its_words(session):
    page = session.page(f"/effects/{encode(session.photograph['id'])}?w=400&h=300&fit=pad", allows=["400"])
    done(page)
    page.route("**/image/**", lambda route: route.fulfill(status=400, body="radius is a number from 0 to 65535\n"))
    page.get_by_role("switch", name="Corner radius").check()
    page.get_by_role("alert").get_by_text("radius is a number from 0 to 65535").wait_for()
    page.unroute("**/image/**")
    page.get_by_role("switch", name="Circle").check()
    done(page)
    assert not page.get_by_role("alert").is_visible()


@test
def masks_by_identifier_are_offered(session):
    page = opened(session, "?w=300&format=png")
    page.locator("details", has_text="Other pictures").evaluate("(element) => (element.open = true)")
    page.get_by_role("switch", name="Mask", exact=True).check()
    assert "mask" not in query(page), "it lacks its picture"
    page.wait_for_function("() => document.querySelectorAll('#identifiers option').length > 0")
    option = page.evaluate("document.querySelector('#identifiers option').value")
    field = page.locator(".effect", has=page.get_by_role("switch", name="Mask", exact=True)).get_by_role("combobox")
    field.fill(option)
    field.press("Enter")
    field.blur()
    page.wait_for_function("() => document.querySelector('#address').href.includes('mask=')")
    assert query(page)["mask"] == option
    page.wait_for_timeout(400)


@test
def a_phone_held_sideways_has_room_for_the_picture_and_the_controls(session):
    page = opened(session, "?w=600&radius=40", width=844, height=390, is_mobile=True, has_touch=True)
    box = lambda selector: page.locator(selector).bounding_box()
    stage, controls, copy = box("#stage"), box("#controls"), box("#copy")
    assert stage["height"] >= 240 and stage["width"] >= 400, stage
    assert controls["height"] >= 300 and controls["width"] >= 240, controls
    assert controls["x"] >= stage["x"] + stage["width"] - 1, "they stand side by side"
    assert copy["y"] + copy["height"] <= 390 and copy["x"] + copy["width"] <= controls["x"] + 1, copy
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 844
    shown = box("#after")
    assert shown["height"] >= 200, shown
    session.shot(page, "effects-sideways")
