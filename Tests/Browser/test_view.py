"""The zoom view around the picture: paging, the position in the address, details, sharing."""

import re
import urllib.parse

from harness import Fingers, Skip, close, encode, settle, test, view


def folder_of(session):
    """The identifiers of a folder with three pictures or more, in order."""
    found = session.listing(folder=session.fullest, limit=500)["pictures"]
    if len(found) < 3:
        raise Skip("there is no folder with three pictures")
    return [picture["id"] for picture in found]


def name(identifier):
    return identifier.split("/")[-1]


def heading(page):
    return page.locator("h1").inner_text()


def shows(page, identifier):
    page.wait_for_function("(name) => document.querySelector('h1').textContent === name", arg=name(identifier))
    assert page.url.split("#")[0].endswith(f"/view/{encode(identifier)}"), page.url
    settle(page)


@test
def pages_by_links_and_keys_and_back(session):
    first, second, third = folder_of(session)[:3]
    page = session.page(f"/view/{encode(first)}")
    shows(page, first)
    page.wait_for_function("() => document.querySelector('#position').textContent.startsWith('1 of ')")
    assert not page.locator("#previous").is_visible(), "there is none before the first"
    page.get_by_role("link", name="Next picture").click()
    shows(page, second)
    page.keyboard.press("ArrowRight")
    shows(page, third)
    page.keyboard.press("p")
    shows(page, second)
    page.keyboard.press("PageDown")
    shows(page, third)
    assert page.title().startswith(name(third))
    for identifier in (second, third, second, first):
        page.go_back()
        shows(page, identifier)


@test
def says_to_screen_readers_what_is_shown(session):
    first, second = folder_of(session)[:2]
    page = session.page(f"/view/{encode(first)}")
    shows(page, first)
    page.wait_for_function("() => !document.querySelector('#next').hidden")
    stage = page.get_by_role("application")
    assert name(first) in stage.get_attribute("aria-label")
    page.keyboard.press("n")
    shows(page, second)
    page.wait_for_function(
        "(name) => document.querySelector('#announcements').textContent.includes(name)", arg=name(second)
    )
    facts = session.facts(second)
    assert f"{facts['width']} by {facts['height']} pixels" in stage.get_attribute("aria-label")


@test
def arrows_move_when_there_is_more_to_see(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    settle(page)
    page.keyboard.press("1")
    settle(page)
    before = view(page)["x"]
    page.keyboard.press("ArrowRight")
    settle(page)
    assert view(page)["x"] > before
    assert heading(page) == session.large["name"]


@test
def swipes_to_the_next(session):
    identifiers = folder_of(session)
    page = session.page(f"/view/{encode(identifiers[0])}", is_phone=True)
    shows(page, identifiers[0])
    page.wait_for_function("() => !document.querySelector('#next').hidden")
    fingers = Fingers(page)
    fingers.move([(320, 420)], [(90, 425)], steps=6)
    shows(page, identifiers[1])
    fingers.move([(90, 420)], [(320, 425)], steps=6)
    shows(page, identifiers[0])


@test
def the_order_of_the_gallery_is_kept(session):
    found = session.listing(folder=session.fullest, sort="size", order="desc", limit=500)["pictures"]
    if len(found) < 2:
        raise Skip("there are fewer than two pictures")
    path = (
        "/?" + urllib.parse.urlencode({"folder": session.fullest} if session.fullest else {}) + "&sort=size&order=desc"
    )
    page = session.page(path.replace("?&", "?"))
    page.locator("#pictures .card").first.click()
    page.wait_for_url("**/view/**")
    page.get_by_role("link", name="Next picture").click()
    page.wait_for_function("(name) => document.querySelector('h1').textContent === name", arg=found[1]["name"])
    page.keyboard.press("Escape")
    page.wait_for_function(
        "(path) => location.pathname === path && document.querySelector('#count').textContent !== ''",
        arg=session.base_path + "/",
    )
    assert page.locator("#pictures .caption b").all_inner_texts()[:2] == [picture["name"] for picture in found[:2]]


@test
def the_position_is_in_the_address(session):
    page = session.page(f"/view/{encode(session.large['id'])}")
    settle(page)
    assert "#" not in page.url
    page.mouse.move(400, 300)
    for _ in range(8):
        page.mouse.wheel(0, -120)
    page.keyboard.press("r")
    settle(page)
    page.wait_for_function("() => /^#\\d+(\\.\\d+)?,\\d+(\\.\\d+)?,[\\d.]+,90$/.test(location.hash)")
    page.wait_for_timeout(300)
    before, address = view(page), page.url
    other = session.page()
    other.goto(address)
    settle(other)
    after = view(other)
    close(after["x"], before["x"], 1, "x")
    close(after["y"], before["y"], 1, "y")
    close(after["zoom"], before["zoom"], before["zoom"] * 0.001, "zoom")
    assert after["rotation"] == 90
    other.keyboard.press("Shift+R")
    other.keyboard.press("0")
    settle(other)
    other.wait_for_function("() => location.hash === ''")
    # A link on the page to another position.
    other.evaluate("location.hash = '#2000,1500,0.5,0'")
    other.wait_for_function("() => document.querySelector('tessera-image').getView().zoom === 0.5")
    close(view(other)["x"], 2000, 1)


@test
def details_say_what_the_picture_is(session):
    facts = session.large
    page = session.page(f"/view/{encode(facts['id'])}")
    button = page.get_by_role("button", name="Details", exact=True)
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    panel = page.get_by_role("complementary")
    panel.get_by_text("megapixels", exact=False).and_(panel.locator("dd")).last.wait_for()
    text = re.sub(r"[  ,.]", "", panel.inner_text())
    assert str(facts["width"]) in text and str(facts["height"]) in text
    assert button.get_attribute("aria-expanded") == "true"
    for link in panel.get_by_role("link").all():
        path = link.get_attribute("href")
        assert session.get(path, {"Range": "bytes=0-99"}), path
    session.shot(page, "view-details")
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert page.evaluate("document.activeElement.id") == "info"


@test
def the_address_can_be_shared(session):
    page = session.page(
        f"/view/{encode(session.large['id'])}#3000,2000,0.5,0", permissions=["clipboard-read", "clipboard-write"]
    )
    settle(page)
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert "#3000,2000,0.5,0" in page.url


@test
def a_picture_that_isnt_there_is_said_to_be_so(session):
    page = session.page("/view/there-is-no-such-picture.jpg", allows=["404"])
    page.get_by_role("alert").get_by_text("There is no such image.").wait_for()
    assert page.get_by_role("button", name="Try again").is_visible()


@test
def no_such_picture_is_said_only_where_there_is_none(session):
    answers = {
        404: ("text/plain", "there is no such image\n", "There is no such image."),
        422: ("text/plain", "this image is damaged: file is truncated\n", "This image is damaged: file is truncated."),
        403: ("text/plain", "this address must be signed\n", "This address must be signed."),
        413: ("text/html", "<p>Too large</p>", "The server answered with status 413."),
        500: ("text/plain", "the decoder of this image failed\n", "The decoder of this image failed."),
    }
    for status, (kind, body, text) in answers.items():
        page = session.page(allows=[str(status)])
        page.route("**/iiif/**", lambda route: route.fulfill(status=status, content_type=kind, body=body))
        page.goto(f"{session.base}/view/{encode(session.photograph['id'])}")
        page.get_by_role("alert").get_by_text(text).wait_for()
        assert (status == 404) == page.get_by_text("no such image").first.is_visible(), status


@test
def a_picture_that_breaks_off_says_why(session):
    page = session.page(allows=["422"])
    asked = []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(status=422, content_type="text/plain", body="this image is damaged: data ends early\n")

    page.route("**/iiif/**/default.*", answer)
    page.goto(f"{session.base}/view/{encode(session.photograph['id'])}")
    page.get_by_text("A part could not be loaded. This image is damaged: data ends early.").wait_for()
    settle(page)
    assert len(asked) == len(set(asked)), "a damaged tile is asked for once"
    box = page.evaluate(
        "(() => { const b = document.querySelector('tessera-image').shadowRoot.querySelector('.chip').getBoundingClientRect(); return [b.left, b.right]; })()"
    )
    assert box[0] >= 0 and box[1] <= 1280, box


@test
def a_sign_stays_until_something_is_to_be_seen(session):
    page = session.page()
    spinner = page.locator("tessera-image .spinner")
    with session.holding(page, "**/iiif/**/default.*") as held:
        page.goto(f"{session.base}/view/{encode(session.photograph['id'])}")
        page.wait_for_function("() => document.querySelector('tessera-image').naturalWidth > 0")
        while not held:
            page.wait_for_timeout(20)
        assert spinner.count() == 1
        delays = spinner.evaluate("(element) => getComputedStyle(element).animationDelay")
        assert "0.3s" in delays, delays
    settle(page)
    assert spinner.count() == 0
