"""The gallery: folders, pictures, search, order, keys, and what is in its address."""

import io
import urllib.parse

from PIL import Image

from harness import Skip, encode, test


def ready(page):
    page.wait_for_function(
        "() => document.querySelector('#count').textContent !== '' && !document.querySelector('#pictures').hasAttribute('aria-busy')"
    )


def shown(page):
    return page.locator("#pictures .caption b").all_inner_texts()


def names(pictures):
    return [picture["name"] for picture in pictures]


def opened(session, path="/", **options):
    page = session.page(path, **options)
    ready(page)
    return page


def full(session):
    """The address of the folder with most pictures."""
    return "/" + (f"?folder={urllib.parse.quote(session.fullest)}" if session.fullest else "")


@test
def shows_folders_and_pictures(session):
    answer = session.listing(limit=60)
    page = opened(session)
    assert shown(page) == names(answer["pictures"])
    assert page.locator("#folders .caption b").all_inner_texts() == names(answer["folders"])
    if answer["total"]:
        assert str(answer["total"]) in page.locator("#count").inner_text()


@test
def thumbnails_appear_without_moving_anything(session):
    page = session.page()
    page.add_init_script(
        """window.moved = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) moved += entry.value; }).observe({ type: 'layout-shift', buffered: true });"""
    )
    page.goto(session.base + full(session))
    ready(page)
    page.wait_for_function(
        """() => {
      const seen = [...document.querySelectorAll('#pictures .frame')].filter((frame) => frame.getBoundingClientRect().top < innerHeight);
      return seen.length > 0 && seen.every((frame) => frame.classList.contains('shown'));
    }""",
        timeout=60000,
    )
    assert page.evaluate("moved") < 0.02, page.evaluate("moved")
    sizes = page.evaluate(
        "[...document.querySelectorAll('#pictures .frame.shown img')].map((image) => [image.naturalWidth, image.naturalHeight])"
    )
    assert sizes and all(
        width > 20 and height > 20 and width <= 640 and height <= 640 for width, height in sizes
    ), sizes
    page.wait_for_timeout(600)
    session.shot(page, "gallery")


@test
def thumbnails_out_of_sight_wait(session):
    page = opened(session, full(session), height=300, width=420)
    page.wait_for_timeout(500)
    far = page.evaluate(
        "[...document.querySelectorAll('#pictures .frame')].filter((frame) => frame.getBoundingClientRect().top > innerHeight + 400)"
    )
    if not far:
        raise Skip("there are too few pictures")
    assert page.evaluate(
        "[...document.querySelectorAll('#pictures .frame')].filter((f) => f.getBoundingClientRect().top > innerHeight + 400).every((f) => !f.querySelector('img'))"
    )
    page.locator("#pictures .card").last.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => [...document.querySelectorAll('#pictures .frame')].at(-1).querySelector('img')?.complete", timeout=60000
    )


@test
def searches_by_name_as_one_types(session):
    word = session.jpng["name"].rsplit(".", 1)[0][:4]
    answer = session.listing(search=word, limit=60)
    page = opened(session)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type(word, delay=40)
    page.wait_for_function("(text) => document.querySelector('h1').textContent.includes(text)", arg=word)
    ready(page)
    assert shown(page) == names(answer["pictures"])
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)["search"] == [word]
    page.reload()
    ready(page)
    assert shown(page) == names(answer["pictures"])
    assert page.locator("#search").input_value() == word
    page.locator("#search").focus()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('search')")
    ready(page)
    assert shown(page) == names(session.listing(limit=60)["pictures"])


@test
def enter_in_the_search_goes_to_the_first_find(session):
    page = opened(session)
    page.keyboard.press("/")
    page.keyboard.type(session.jpng["name"])
    page.keyboard.press("Enter")
    page.wait_for_function("(id) => document.activeElement.dataset?.id === id", arg=session.jpng["id"])


@test
def says_when_nothing_is_found(session):
    page = opened(session, "/?search=zzz-nothing-has-this-name")
    assert page.get_by_text("Nothing is called that").is_visible()
    page.get_by_role("button", name="Clear the search").click()
    page.wait_for_function(
        "() => document.querySelectorAll('#pictures .card').length > 0 || document.querySelectorAll('#folders .card').length > 0"
    )
    assert not page.get_by_text("Nothing is called that").is_visible()


@test
def sorts_by_name_date_and_size_both_ways(session):
    page = opened(session, full(session))
    for sort in ("size", "date", "name"):
        page.get_by_label("Sort by").select_option(sort)
        for order in ("desc", "asc"):
            page.get_by_role("button", name="Descending").click()
            expected = names(session.listing(folder=session.fullest, sort=sort, order=order, limit=60)["pictures"])
            page.wait_for_function(
                "(order) => document.querySelector('#order').getAttribute('aria-pressed') === String(order === 'desc')",
                arg=order,
            )
            ready(page)
            page.wait_for_function(
                "(names) => JSON.stringify([...document.querySelectorAll('#pictures .caption b')].map((e) => e.textContent)) === JSON.stringify(names)",
                arg=expected,
            )


@test
def folders_open_and_the_back_button_leads_out(session):
    folder = session.folder
    inside = session.listing(folder=folder["path"], limit=60)
    page = opened(session)
    top = shown(page)
    page.locator("#folders .card").first.click()
    page.wait_for_function("(name) => document.querySelector('h1').textContent === name", arg=folder["name"])
    ready(page)
    assert shown(page) == names(inside["pictures"])
    assert page.title().startswith(folder["name"])
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)["folder"] == [folder["path"]]
    page.go_back()
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Pictures'")
    ready(page)
    assert shown(page) == top
    page.go_forward()
    page.wait_for_function("(name) => document.querySelector('h1').textContent === name", arg=folder["name"])
    ready(page)
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="Pictures").click()
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Pictures'")
    page.go_back()
    page.wait_for_function("(name) => document.querySelector('h1').textContent === name", arg=folder["name"])
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Pictures'")


@test
def arrows_go_from_picture_to_picture(session):
    page = opened(session, full(session), width=700)
    cards = page.locator(".card")
    if cards.count() < 4:
        raise Skip("there are fewer than four cards")
    focused = lambda: page.evaluate("[...document.querySelectorAll('.card')].indexOf(document.activeElement)")
    page.keyboard.press("ArrowRight")
    assert focused() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert focused() == 1
    top = page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY")
    page.keyboard.press("ArrowDown")
    below = page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY")
    assert below > top
    page.keyboard.press("ArrowUp")
    assert focused() == 1
    page.keyboard.press("End")
    assert focused() == cards.count() - 1
    page.keyboard.press("Home")
    assert focused() == 0
    # One stop for the Tab key, however many pictures there are.
    assert page.evaluate("[...document.querySelectorAll('.card')].filter((card) => card.tabIndex === 0).length") == 1
    page.locator("#pictures .card").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/view/**")


@test
def more_pictures_come_as_one_scrolls(session):
    """With pages of two, so that few pictures are enough."""
    answer = session.listing(folder=session.fullest, limit=500)
    if answer["total"] < 4:
        raise Skip("there are too few pictures")
    page = session.page(height=300)
    page.route(
        "**/api/pictures?*limit=60*",
        lambda route: route.continue_(url=route.request.url.replace("limit=60", "limit=2")),
    )
    page.goto(session.base + full(session))
    ready(page)
    for _ in range(60):
        page.mouse.wheel(0, 2000)
        page.wait_for_timeout(60)
        if page.locator("#pictures .card").count() == answer["total"]:
            break
    assert shown(page) == names(answer["pictures"])
    assert page.locator("#end").inner_text() == ""


@test
def one_comes_back_to_where_one_was(session):
    page = opened(session, full(session), width=600, height=420)
    if page.evaluate("document.documentElement.scrollHeight") < 900:
        raise Skip("there are too few pictures")
    card = page.locator("#pictures .card").last
    card.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    scroll = page.evaluate("scrollY")
    assert scroll > 100
    card.click()
    page.wait_for_url("**/view/**")
    page.go_back()
    ready(page)
    page.wait_for_function("(scroll) => Math.abs(scrollY - scroll) < 40", arg=scroll)


@test
def help_lists_the_keys(session):
    page = opened(session)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.is_visible()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


@test
def a_failure_can_be_tried_again(session):
    page = session.page(allows=["500"])
    page.route("**/api/pictures*", lambda route: route.fulfill(status=500, body="Out of order.\n"))
    page.goto(session.base + "/")
    page.get_by_text("Out of order.").wait_for()
    page.unroute("**/api/pictures*")
    page.get_by_role("button", name="Try again").click()
    ready(page)
    assert shown(page) == names(session.listing(limit=60)["pictures"])
    assert not page.get_by_text("Out of order.").is_visible()


def listed(page, *names):
    """Has the list be of these pictures, whose files the test makes."""
    pictures = [{"id": name, "name": name, "bytes": 1, "format": name.rsplit(".", 1)[1]} for name in names]
    answer = {"folder": "", "folders": [], "pictures": pictures, "total": len(pictures), "complete": True}
    page.route("**/api/pictures*", lambda route: route.fulfill(json=answer))


def file(image, kind="PNG"):
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


@test
def broken_thumbnails_ask_once_and_say_why(session):
    page = session.page(height=300, allows=["422", "500", "404"])
    listed(page, *(f"{status}.jpg" for status in (422, 500, 404)), *(f"{number}.jpg" for number in range(30)))
    asked = []

    def answer(route):
        name = route.request.url.split("/image/")[1].split("?")[0]
        asked.append(name)
        status = name.split(".")[0]
        if len(status) < 3:
            return route.fulfill(body=file(Image.new("RGB", (320, 240), "teal")), content_type="image/png")
        route.fulfill(status=int(status), content_type="text/plain; charset=utf-8", body=f"the reason of {status}\n")

    page.route("**/image/**", answer)
    page.goto(session.base + "/")
    page.get_by_text("The reason of 404.").wait_for()
    for status in ("422", "500"):
        assert page.get_by_text(f"The reason of {status}.").is_visible()
    # Nor when they come into sight again.
    page.mouse.wheel(0, 20000)
    page.wait_for_function("() => [...document.querySelectorAll('.frame')].at(-1).classList.contains('shown')")
    page.mouse.wheel(0, -20000)
    page.clock.install()
    page.clock.run_for(30000)
    page.get_by_text("The reason of 404.").wait_for()
    assert all(asked.count(f"{status}.jpg") == 1 for status in (422, 500, 404)), asked


@test
def a_busy_server_is_asked_for_thumbnails_again(session):
    page = session.page(allows=["503"])
    listed(page, "a.jpg")
    asked = []

    def answer(route):
        asked.append(route.request.url)
        if len(asked) < 3:
            return route.fulfill(status=503, headers={"Retry-After": "1"}, body="busy\n")
        route.fulfill(body=file(Image.new("RGB", (320, 240), "teal")), content_type="image/png")

    page.route("**/image/**", answer)
    page.goto(session.base + "/")
    page.locator("#pictures .frame.shown").wait_for()
    assert len(asked) == 3


@test
def cards_are_filled_alike_whatever_the_format(session):
    """What is transparent is shown whole, on a mat; so are drawings. Everything else fills its card."""
    clear = Image.new("RGBA", (320, 107), (0, 0, 0, 0))
    clear.paste((200, 30, 30, 255), (20, 20, 300, 90))
    made = {
        "a.jpg": (file(Image.new("RGB", (320, 240), "teal")), False),
        "b.png": (file(Image.new("RGB", (320, 213), "navy")), False),
        "c.webp": (file(Image.new("RGB", (320, 213), "olive")), False),
        "d.gif": (file(Image.new("RGB", (320, 213), "purple")), False),
        "e.jpng": (file(clear), True),
        "f.webp": (file(clear), True),
        "g.svg": (file(Image.new("RGB", (240, 240), "white")), True),
    }
    page = session.page()
    listed(page, *made)
    page.route(
        "**/image/**",
        lambda route: route.fulfill(
            body=made[route.request.url.split("/image/")[1].split("?")[0]][0], content_type="image/png"
        ),
    )
    page.goto(session.base + "/")
    page.wait_for_function("(count) => document.querySelectorAll('.frame.shown').length === count", arg=len(made))
    fits = page.evaluate(
        "[...document.querySelectorAll('.frame img')].map((image) => getComputedStyle(image).objectFit)"
    )
    assert fits == ["contain" if isWhole else "cover" for _, isWhole in made.values()], fits
    boxes = page.evaluate(
        "[...document.querySelectorAll('.frame img')].map((i) => { const b = i.parentElement.getBoundingClientRect(); return `${b.width}x${b.height}`; })"
    )
    assert len(set(boxes)) == 1, boxes


@test
def strips_are_asked_for_as_large_as_their_cards(session):
    page = session.page()
    listed(page, "strip.png")
    modes = []

    def answer(route):
        modes.append(urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query)["fit"][0])
        size = (45, 240) if modes[-1] == "fit" else (320, 240)
        route.fulfill(body=file(Image.new("RGB", size, "teal")), content_type="image/png")

    page.route("**/image/**", answer)
    page.goto(session.base + "/")
    page.locator("#pictures .frame.shown").wait_for()
    assert modes == ["fit", "fill"], modes


@test
def loading_is_shown_once_it_takes_a_while(session):
    page = session.page()
    page.clock.install(time=0)
    page.clock.pause_at(1)
    with session.holding(page, "**/api/pictures*") as held:
        page.goto(session.base + "/")
        sign = page.locator("#loading")
        page.clock.run_for(290)
        assert held and not sign.is_visible()
        page.clock.run_for(20)
        assert sign.is_visible()
    sign.wait_for(state="hidden")
