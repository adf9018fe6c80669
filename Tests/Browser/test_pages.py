"""What every page must hold: its policy, names for everything, the keyboard, contrast, and room on a phone."""

from harness import encode, settle, test


def pages(session):
    photograph, jpng = encode(session.photograph["id"]), encode(session.jpng["id"])
    return {
        "gallery": "/",
        "folder": f"/?folder={session.folder['path']}",
        "view": f"/view/{photograph}",
        "effects": f"/effects/{photograph}?w=300&radius=20",
        "jpng": f"/jpng/{jpng}",
        "docs": "/docs",
    }


READY = {
    "gallery": "() => document.querySelector('#count').textContent !== ''",
    "folder": "() => document.querySelector('#count').textContent !== ''",
    "view": "() => document.querySelector('tessera-image').isSettled",
    "effects": "() => document.querySelector('#figures b')",
    "jpng": "() => /than the PNG/.test(document.querySelector('#verdict').textContent)",
    "docs": "() => document.querySelectorAll('#effects-rows tr').length > 3",
}


def each(session, **options):
    for name, path in pages(session).items():
        page = session.page(path, **options)
        page.wait_for_function(READY[name])
        page.wait_for_timeout(300)
        yield name, page


@test
def policies_are_strict_and_kept(session):
    """A violation would be a complaint in the console, which fails any test."""
    for name, path in pages(session).items():
        policy = session.headers(path).get("Content-Security-Policy")
        assert policy, f"{name} has no policy"
        parts = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
        scripts = parts.get("script-src", parts.get("default-src"))
        styles = parts.get("style-src", parts.get("default-src"))
        for sources in (scripts, styles):
            assert sources and not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(sources), policy
    for _, page in each(session):
        page.wait_for_timeout(200)


@test
def nothing_comes_from_elsewhere(session):
    asked = []
    for name, path in pages(session).items():
        page = session.page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(session.base + path)
        page.wait_for_function(READY[name])
    foreign = [url for url in asked if not url.startswith((session.base, "blob:", "data:"))]
    assert not foreign, foreign


@test
def everything_has_a_name(session):
    for name, page in each(session):
        protocol = page.context.new_cdp_session(page)
        tree = protocol.send("Accessibility.getFullAXTree")["nodes"]
        wanted = {
            "button",
            "link",
            "textbox",
            "searchbox",
            "slider",
            "spinbutton",
            "combobox",
            "checkbox",
            "switch",
            "radio",
            "application",
            "dialog",
            "ColorWell",
        }
        for node in tree:
            role = node.get("role", {}).get("value")
            if role in wanted and not node.get("ignored"):
                assert node.get("name", {}).get("value", "").strip(), f"{name}: a {role} has no name"
        facts = page.evaluate("""() => ({
          language: document.documentElement.lang,
          title: document.title,
          headings: [...document.querySelectorAll('h1')].filter((e) => e.offsetParent !== null || e.getClientRects().length).length,
          mains: document.querySelectorAll('main').length,
          unnamed: [...document.images].filter((image) => !image.hasAttribute('alt')).map((image) => image.outerHTML),
          twice: [...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, index, all) => all.indexOf(id) !== index),
          dangling: [...document.querySelectorAll('[aria-labelledby], [aria-controls], label[for]')]
            .flatMap((e) => ['aria-labelledby', 'aria-controls', 'for'].map((a) => e.getAttribute(a)).filter(Boolean))
            .filter((id) => !document.getElementById(id)),
          ahead: [...document.querySelectorAll('[tabindex]')].filter((e) => e.tabIndex > 0).length,
          levels: [...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.getClientRects().length).map((e) => Number(e.localName[1])),
        })""")
        assert facts["language"] == "en" and facts["title"], (name, facts)
        assert facts["headings"] == 1 and facts["mains"] == 1, (name, facts)
        assert not facts["unnamed"] and not facts["twice"] and not facts["dangling"] and facts["ahead"] == 0, (
            name,
            facts,
        )
        levels = facts["levels"]
        assert all(b <= a + 1 for a, b in zip(levels, levels[1:])), (name, levels)


FOCUS = """() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getBoundingClientRect();
  const shows = (style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const around = [element, element.nextElementSibling, element.parentElement, element.nextElementSibling?.firstElementChild].filter(Boolean);
  const isRinged = around.some((e) => shows(getComputedStyle(e))) || getComputedStyle(element, '::after').borderTopWidth === '3px';
  return { what: element.outerHTML.slice(0, 120), isSeen: isRinged, isInside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth, isSmall: box.width < 1 };
}"""


@test
def the_focus_is_seen_wherever_it_goes(session):
    for name, page in each(session):
        seen = []
        for _ in range(28):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            if focus is None:
                break
            seen.append(focus["what"])
            assert focus["isSeen"], f"{name}: no ring around {focus['what']}"
            assert focus["isInside"], f"{name}: {focus['what']} is out of sight"
        assert len(seen) >= 3, (name, seen)


CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const parse = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => sum + k * (c[i] <= 0.04045 ? c[i] / 12.92 : ((c[i] + 0.055) / 1.055) ** 2.4), 0);
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== 'none') return null;
      layers.push(parse(style.backgroundColor));
    }
    return layers.reverse().reduce((under, top) => over(top, under), parse('#fff'));
  };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    if (element.closest('.unseen, .skip, [disabled], [aria-disabled=true], noscript, datalist, option') || style.clipPath !== 'none') continue;
    const behind = ground(element);
    if (!behind) continue;
    const ink = over(parse(style.color), behind);
    const [light, dark] = [luminance(ink), luminance(behind)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    if (ratio < least) poor.push(`${element.textContent.trim().slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


@test
def text_is_legible_in_light_and_dark(session):
    for scheme in ("light", "dark"):
        for name, page in each(session, color_scheme=scheme):
            poor = page.evaluate(CONTRAST)
            assert not poor, f"{name}, {scheme}: {poor[:5]}"
            session.shot(page, f"{name}-{scheme}")


@test
def dark_is_dark_and_light_is_light(session):
    for scheme, check in (("light", lambda value: value > 200), ("dark", lambda value: value < 60)):
        for name, page in each(session, color_scheme=scheme):
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            values = [int(value) for value in colour[4:-1].split(",")[:3]]
            assert all(check(value) for value in values), (name, scheme, colour)


@test
def everything_has_room_on_a_phone(session):
    for name, page in each(session, is_phone=True):
        overflow = page.evaluate("document.scrollingElement.scrollWidth") - 390
        assert overflow <= 0, f"{name} is {overflow} pixels too wide"
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, a.button, select, input:not([type=range]):not(.unseen):not([type=radio])')]
          .filter((e) => e.checkVisibility() && !e.closest('.grid')).map((e) => [e.id || e.className, e.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && (Math.min(box.width, box.height) < 20)).map(([name, box]) => `${name} ${box.width}x${box.height}`)"""
        )
        assert not small, (name, small)
        session.shot(page, f"{name}-phone")


@test
def the_documentation_works_as_written(session):
    page = session.page("/docs")
    page.wait_for_function(READY["docs"])
    table = session.json("/api/effects")
    assert page.locator("#effects-rows tr").count() == len(table["effects"])
    assert page.locator("#settings-rows tr").count() == len(table.get("settings", []))
    failed = []
    paths = {link.get_attribute("href") for link in page.locator("td a").all()}
    for path in sorted(path for path in paths if path.startswith("/") and not path.startswith("/image/")):
        try:
            session.get(path, {"Range": "bytes=0-99"})
        except Exception as error:
            failed.append(f"{path}: {error}")
    assert not failed, failed
    page.locator("#demo").scroll_into_view_if_needed()
    settle(page, "#demo")


@test
def examples_of_effects_work(session):
    page = session.page("/docs")
    page.wait_for_function(READY["docs"])
    failed = []
    for link in page.locator("#settings-rows a, #effects-rows a").all():
        path = link.get_attribute("href")
        try:
            assert session.get(path)
        except Exception as error:
            failed.append(f"{path}: {error}")
    assert not failed, failed


BROKEN_WORDS = """() => {
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (!node.parentElement.checkVisibility()) continue;
    for (const match of node.data.matchAll(/[A-Za-z0-9]{2,}/g)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(match[0]);
    }
  }
  return broken;
}"""


@test
def the_documentation_breaks_no_word(session):
    for width, height in ((390, 844), (844, 390), (700, 800), (1000, 800), (1280, 800)):
        page = session.page("/docs", width=width, height=height)
        page.wait_for_function(READY["docs"])
        page.wait_for_timeout(300)
        broken = page.evaluate(BROKEN_WORDS)
        assert not broken, f"at {width}: {broken}"
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width


@test
def what_isnt_there_has_a_page(session):
    for scheme in ("light", "dark"):
        for path in ("/nothing", f"/original/nothing-{scheme}.jpg"):
            page = session.page(path, allows=["404"], color_scheme=scheme, is_phone=True)
            assert page.get_by_role("heading", name="Not found").is_visible()
            assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
            assert not page.evaluate(CONTRAST)
            session.shot(page, f"not-found-{scheme}")
            page.get_by_role("link", name="Pictures", exact=True).click()
            page.wait_for_function(READY["gallery"])
