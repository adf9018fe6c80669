"""High dynamic range: the zoom page shows gain maps by images above the canvas, on displays that have the range."""

import io

import numpy
from PIL import Image

from harness import difference, encode, settle, test

# The browser's display has the standard range.
BRIGHT = """
const plain = window.matchMedia.bind(window);
window.matchMedia = (query) =>
  query === '(dynamic-range: high)' ? { matches: true, addEventListener() {}, removeEventListener() {} } : plain(query);
"""

LAYER = "document.querySelector('tessera-image').shadowRoot.querySelector('.range')"


def bright(session):
    return session.find("picture with a gain map", lambda facts: "gainMap" in facts)


def shown(session, identifier, script=None):
    page = session.page()
    if script:
        page.add_init_script(script)
    page.goto(f"{session.base}/view/{encode(identifier)}")
    settle(page)
    return page


def images(page):
    page.wait_for_function(
        f"() => {{ const all = [...({LAYER}?.children ?? [])]; return all.length > 0 && all.every((i) => i.complete); }}"
    )
    # Those of an earlier level go once the new ones have been decoded.
    page.wait_for_timeout(300)
    return page.evaluate(f"() => [...{LAYER}.children].map((image) => image.src)")


def pixels(page):
    return numpy.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))


@test
def shows_tiles_with_their_maps_in_place(session):
    facts = bright(session)
    page = shown(session, facts["id"], BRIGHT)
    for view in [None, {"zoom": 1, "x": facts["width"] / 3, "y": facts["height"] / 2, "rotation": 0},
                 {"zoom": 0.7, "x": facts["width"] / 2, "y": facts["height"] / 3, "rotation": 90}]:
        if view:
            page.evaluate("(view) => document.querySelector('tessera-image').setView(view)", view)
            settle(page)
        sources = images(page)
        assert all(b"hdr-gain-map" in session.get(source.removeprefix(session.base)) for source in sources), sources
        above = pixels(page)
        page.evaluate(f"() => {{ {LAYER}.style.visibility = 'hidden'; }}")
        below = pixels(page)
        page.evaluate(f"() => {{ {LAYER}.style.visibility = ''; }}")
        # A display in standard range shows the base, so an image beside its place would differ.
        assert difference(above, below) < 0.5, (view, difference(above, below))
    session.shot(page, "bright")


@test
def has_a_switch_where_the_display_has_the_range(session):
    facts = bright(session)
    page = shown(session, facts["id"], BRIGHT)
    images(page)
    button = page.get_by_role("button", name="HDR")
    limit = "() => getComputedStyle(document.querySelector('tessera-image')).getPropertyValue('dynamic-range-limit')"
    assert button.get_attribute("aria-pressed") == "true" and page.evaluate(limit) == "no-limit", page.evaluate(limit)
    button.click()
    assert button.get_attribute("aria-pressed") == "false" and page.evaluate(limit) == "standard"
    assert page.evaluate(f"() => getComputedStyle({LAYER}).getPropertyValue('dynamic-range-limit')") == "standard"
    page.keyboard.press("i")
    text = page.locator("#facts").inner_text()
    assert "times white" in text and "this display" not in text, text
    session.shot(page, "bright-details")


@test
def has_none_elsewhere(session):
    facts = bright(session)
    page = shown(session, facts["id"])
    assert not page.get_by_role("button", name="HDR").is_visible()
    assert page.evaluate(f"() => {LAYER} === null")
    page.keyboard.press("i")
    page.get_by_text("this display shows standard range").wait_for()
    plain = session.find("picture without a gain map", lambda facts: "gainMap" not in facts)
    page = shown(session, plain["id"], BRIGHT)
    assert not page.get_by_role("button", name="HDR").is_visible()
    assert page.evaluate(f"() => {LAYER} === null")
    assert "Dynamic range" not in page.locator("#facts").inner_text()
