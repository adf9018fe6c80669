"""jpng.js in pages of any kind, and the JPNG page."""

import base64
import io
import re
import struct

import numpy
from PIL import Image

from harness import close, difference, encode, test


def parts(session, picture):
    """The photo's pixels and the mask's, by Pillow."""
    identifier = encode(picture["id"])
    photo = Image.open(io.BytesIO(session.get(f"/jpng-part/{identifier}/photo.jpg"))).convert("RGB")
    mask = Image.open(io.BytesIO(session.get(f"/jpng-part/{identifier}/mask.png"))).convert("L")
    return numpy.asarray(photo), numpy.asarray(mask.resize(photo.size))


def joined(photo, mask, version=1, orientation=None):
    """A JPNG of two images."""
    colour, grey = io.BytesIO(), io.BytesIO()
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    photo.save(colour, "JPEG", quality=95, subsampling=0, exif=exif)
    mask.save(grey, "PNG" if version == 1 else "JPEG")
    sizes = struct.pack("<IIHBB", len(colour.getvalue()), len(grey.getvalue()), 16, version, 0)
    return colour.getvalue() + grey.getvalue() + sizes + b"GNPJ"


def read(page, selector="img"):
    """An image's pixels as the browser paints them, RGBA."""
    width, height, text = page.evaluate(
        """(selector) => {
      const image = document.querySelector(selector);
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let text = '';
      for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
      return [canvas.width, canvas.height, btoa(text)];
    }""",
        selector,
    )
    return numpy.frombuffer(base64.b64decode(text), numpy.uint8).reshape(height, width, 4)


def converted(page, selector="img"):
    page.wait_for_function(
        "(selector) => { const i = document.querySelector(selector); return i && i.complete && i.currentSrc.startsWith('blob:') && i.naturalWidth > 0 }",
        arg=selector,
    )


def check(pixels, photo, mask):
    assert difference(pixels[..., 3], mask) < 0.01, "the mask is the alpha"
    assert (pixels[mask == 0, 3] == 0).all(), "transparent where the mask is 0"
    opaque = mask == 255
    assert difference(pixels[opaque][:, :3], photo[opaque]) < 2, "the colours are the photo's"
    soft = (mask > 60) & (mask < 255)
    if soft.any():
        assert difference(pixels[soft][:, :3], photo[soft]) < 4, "and at soft edges"


PAGE = '<script src="/assets/jpng.js"></script>'


@test
def images_show_their_transparency(session):
    photo, mask = parts(session, session.jpng)
    page = session.blank(
        f'{PAGE}<img src="/original/{encode(session.jpng["id"])}" width="123" height="77" alt="A thing">'
    )
    converted(page)
    check(read(page), photo, mask)
    assert page.evaluate("(({ width, height, alt }) => [width, height, alt])(document.images[0])") == [
        123,
        77,
        "A thing",
    ]


@test
def images_that_come_later_do_too(session):
    photo, mask = parts(session, session.jpng)
    address = f"/original/{encode(session.jpng['id'])}"
    page = session.blank(PAGE)
    page.evaluate("(src) => document.body.append(Object.assign(new Image(), { src, id: 'later' }))", address)
    converted(page, "#later")
    check(read(page, "#later"), photo, mask)
    # Another picture in the same element, and back.
    page.evaluate("document.querySelector('#later').src = '/assets/icon.svg'")
    page.wait_for_function("() => document.querySelector('#later').currentSrc.endsWith('.svg')")
    page.wait_for_timeout(200)
    assert page.evaluate("document.querySelector('#later').currentSrc").endswith(".svg")
    page.evaluate("(src) => document.querySelector('#later').src = src", address)
    converted(page, "#later")
    # A copy of the element.
    page.evaluate("document.body.append(Object.assign(document.querySelector('#later').cloneNode(), { id: 'copy' }))")
    page.wait_for_function(
        "() => document.querySelector('#copy').complete && document.querySelector('#copy').naturalWidth > 0"
    )
    converted(page, "#copy")
    check(read(page, "#copy"), photo, mask)


@test
def works_when_the_script_comes_last(session):
    page = session.blank(f'<img src="/original/{encode(session.jpng["id"])}" alt="">')
    page.wait_for_function("() => document.images[0].complete")
    page.add_script_tag(url="/assets/jpng.js")
    converted(page)
    assert read(page)[..., 3].min() == 0


@test
def media_type_attribute_and_query_count(session):
    content = session.get(f"/original/{encode(session.jpng['id'])}")
    body = f"""<!doctype html><title>T</title><script src="{session.base}/assets/jpng.js"></script>
      <img id="type" src="/typed"><img id="attribute" src="/plain" data-jpng><img id="untold" src="/plain?2"><img id="query" src="/plain?format=jpng">"""
    site = session.elsewhere(
        {
            "/": ("text/html", body.encode()),
            "/typed": ("image/x-jpng", content),
            "/plain": ("image/jpeg", content),
            "/favicon.ico": ("image/png", b""),
        }
    )
    page = session.page()
    page.goto(site + "/")
    for selector in ("#type", "#attribute", "#query"):
        converted(page, selector)
        assert read(page, selector)[..., 3].min() == 0, selector
    assert page.evaluate("document.querySelector('#untold').currentSrc").endswith(
        "?2"
    ), "nothing says that this one is a JPNG"


@test
def density_and_pictures_keep_their_size(session):
    address = f"/original/{encode(session.jpng['id'])}"
    page = session.blank(f"""{PAGE}<img id="set" srcset="{address} 2x" alt="">
      <picture><source srcset="{address}"><img id="inner" src="/assets/icon.svg" alt=""></picture>""")
    for selector, density in (("#set", 2), ("#inner", 1)):
        converted(page, selector)
        width = page.evaluate("(selector) => document.querySelector(selector).naturalWidth", selector)
        close(width, session.jpng["width"] / density, 1, "width")


@test
def what_is_no_jpng_stays_as_it_is(session):
    jpeg = io.BytesIO()
    Image.new("RGB", (40, 30), "orange").save(jpeg, "JPEG")
    whole = joined(Image.new("RGB", (40, 30), "orange"), Image.new("L", (40, 30), 90))
    broken = {
        "/plain.jpng": jpeg.getvalue(),
        "/cut.jpng": whole[:-5],
        "/sizes.jpng": whole[:-16] + struct.pack("<IIHBB", 4_000_000_000, 4_000_000_000, 16, 1, 0) + b"GNPJ",
        "/version.jpng": whole[:-6] + b"\x09" + whole[-5:],
        "/mask.jpng": joined(Image.new("RGB", (40, 30), "orange"), Image.new("L", (40, 30), 90)).replace(
            b"IHDR", b"XXXX"
        ),
    }
    page = session.blank(PAGE)
    page.route(
        "**/*.jpng",
        lambda route: route.fulfill(body=broken["/" + route.request.url.split("/")[-1]], content_type="image/jpeg"),
    )
    for path in broken:
        page.evaluate("(src) => document.body.append(Object.assign(new Image(), { src }))", path)
    page.wait_for_function("() => [...document.images].every((image) => image.complete)")
    page.wait_for_timeout(400)
    for index, path in enumerate(broken):
        assert page.evaluate("(index) => document.images[index].currentSrc", index).endswith(path)
        assert page.evaluate("(index) => document.images[index].naturalWidth", index) == 40, path


@test
def every_orientation_turns_colour_and_mask_alike(session):
    """Four quarters of different colours, one of them transparent: it is the same one however the file is stored."""
    from PIL import ImageOps

    upright = Image.new("RGB", (64, 32))
    for index, colour in enumerate(("red", "lime", "blue", "yellow")):
        upright.paste(colour, (index % 2 * 32, index // 2 * 16, index % 2 * 32 + 32, index // 2 * 16 + 16))
    mask = Image.new("L", (64, 32), 255)
    mask.paste(0, (32, 0, 64, 16))
    # What has to be stored, so that the orientation makes it upright.
    inverse = {
        1: lambda image: image,
        2: ImageOps.mirror,
        3: lambda image: image.transpose(Image.Transpose.ROTATE_180),
        4: ImageOps.flip,
        5: lambda image: image.transpose(Image.Transpose.TRANSPOSE),
        6: lambda image: image.transpose(Image.Transpose.ROTATE_90),
        7: lambda image: image.transpose(Image.Transpose.TRANSVERSE),
        8: lambda image: image.transpose(Image.Transpose.ROTATE_270),
    }
    page = session.blank(PAGE)
    files = {f"/turned-{n}.jpng": joined(turn(upright), turn(mask), orientation=n) for n, turn in inverse.items()}
    page.route(
        "**/turned-*.jpng",
        lambda route: route.fulfill(body=files["/" + route.request.url.split("/")[-1]], content_type="image/jpeg"),
    )
    for number in inverse:
        page.evaluate(
            "([src, id]) => document.body.append(Object.assign(new Image(), { src, id }))",
            [f"/turned-{number}.jpng", f"turned{number}"],
        )
        converted(page, f"#turned{number}")
        pixels = read(page, f"#turned{number}")
        assert pixels.shape == (32, 64, 4), (number, pixels.shape)
        assert pixels[4:12, 36:60, 3].max() == 0, f"orientation {number}: the transparent quarter is elsewhere"
        assert pixels[4:12, 4:28, 3].min() == 255
        assert difference(pixels[4:12, 4:28, :3], numpy.full((8, 24, 3), (255, 0, 0))) < 12, number


@test
def masks_that_are_jpegs_are_read(session):
    gradient = Image.linear_gradient("L").resize((64, 64))
    content = joined(Image.new("RGB", (64, 64), "#3366cc"), gradient, version=2)
    page = session.blank(PAGE)
    page.route("**/two.jpng", lambda route: route.fulfill(body=content, content_type="image/jpeg"))
    page.evaluate("document.body.append(Object.assign(new Image(), { src: '/two.jpng' }))")
    converted(page)
    assert difference(read(page)[..., 3], numpy.asarray(gradient)) < 6


@test
def other_sites_pictures_stay_opaque_unless_they_may_be_read(session):
    content = session.get(f"/original/{encode(session.jpng['id'])}")
    closed = session.elsewhere({"/a.jpng": ("image/jpeg", content)})
    public = session.elsewhere({"/a.jpng": ("image/jpeg", content)}, {"Access-Control-Allow-Origin": "*"})
    page = session.page(allows=["CORS", "ERR_FAILED"])
    own = session.elsewhere(
        {
            "/": (
                "text/html",
                f"<!doctype html><title>T</title><script src='{session.base}/assets/jpng.js'></script><img id=closed src='{closed}/a.jpng'><img id=public src='{public}/a.jpng'>".encode(),
            ),
            "/favicon.ico": ("image/png", b""),
        }
    )
    page.goto(own + "/")
    converted(page, "#public")
    page.wait_for_timeout(300)
    assert page.evaluate("document.querySelector('#closed').naturalWidth") == session.jpng["width"]
    assert page.evaluate("document.querySelector('#closed').currentSrc").endswith("/a.jpng")


@test
def programs_can_decode(session):
    photo, mask = parts(session, session.jpng)
    page = session.blank(PAGE)
    answer = page.evaluate(
        """async (address) => {
      const bytes = await (await fetch(address)).arrayBuffer();
      const { photo, mask, version } = JPNG.split(bytes);
      const data = await JPNG.decode(bytes);
      let refused = '';
      try { await JPNG.decode(new Uint8Array(100)); } catch (error) { refused = error.name; }
      return [JPNG.isJPNG(bytes), JPNG.isJPNG(bytes.slice(-16)), JPNG.isJPNG(new Uint8Array(3)), photo.length, mask.length, version,
        data.constructor.name, data.width, data.height, refused, JPNG.split(new Uint8Array(40))];
    }""",
        f"/original/{encode(session.jpng['id'])}",
    )
    facts = session.jpng
    assert answer == [
        True,
        True,
        False,
        facts["jpng"]["photoBytes"],
        facts["jpng"]["maskBytes"],
        "1.0",
        "ImageData",
        facts["width"],
        facts["height"],
        "TypeError",
        None,
    ], answer


# The page


def compared(page):
    page.wait_for_function(
        "() => /PNG/.test(document.querySelector('#verdict').textContent) && !/on its way/.test(document.querySelector('#verdict').textContent)"
    )


@test
def the_page_compares_and_takes_apart(session):
    facts = session.jpng
    page = session.page(f"/jpng/{encode(facts['id'])}")
    compared(page)
    text = page.locator("#jpng-size").inner_text()
    close(
        float(re.search(r"[\d.]+", text).group()) * (1000 if "kB" in text else 1),
        facts["bytes"],
        facts["bytes"] * 0.06,
        "bytes",
    )
    factor = len(session.get(f"/image/{encode(facts['id'])}?format=png")) / facts["bytes"]
    if factor > 1.05:
        assert (
            str(round(factor) if factor >= 10 else round(factor, 1)).removesuffix(".0")
            in page.locator("#verdict").inner_text()
        )
    page.wait_for_function(
        "() => ['#png', '#jpng', '#photo', '#mask', '#joined'].every((s) => document.querySelector(s).complete && document.querySelector(s).naturalWidth > 0)"
    )
    photo, mask = parts(session, facts)
    check(read(page, "#jpng"), photo, mask)
    assert difference(read(page, "#mask")[..., 0], mask) < 1
    assert read(page, "#photo")[..., 3].min() == 255
    page.get_by_role("radio", name="Black").check(force=True)
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#jpng').parentElement).backgroundColor")
        == "rgb(10, 10, 11)"
    )
    page.wait_for_timeout(700)
    session.shot(page, "jpng")


@test
def the_page_offers_what_there_is(session):
    page = session.page("/jpng")
    compared(page)
    links = page.locator("#picker a")
    assert links.count() >= 1
    name = links.last.inner_text()
    links.last.click()
    page.wait_for_function("(name) => document.title.startsWith(name)", arg=name)
    assert "/jpng/" in page.url


@test
def ones_own_picture_becomes_a_jpng(session):
    """Made in the browser, read by Pillow: the alpha is exact, the colours are near, and it is smaller."""
    rows, columns = numpy.mgrid[0:300, 0:400]
    noise = numpy.random.default_rng(1).integers(0, 40, (300, 400))
    pixels = (
        numpy.stack(
            [columns // 2 + noise, rows // 2 + noise, 60 + noise, numpy.clip((columns - 80) * 3, 0, 255)], axis=2
        )
        .clip(0, 255)
        .astype(numpy.uint8)
    )
    own = io.BytesIO()
    Image.fromarray(pixels).save(own, "PNG")
    page = session.page("/jpng")
    compared(page)
    page.locator("#file").set_input_files({"name": "mine.png", "mimeType": "image/png", "buffer": own.getvalue()})
    save = page.get_by_role("link", name="Save the JPNG")
    save.wait_for()
    with page.expect_download() as download:
        save.click()
    assert download.value.suggested_filename == "mine.jpng"
    content = open(download.value.path(), "rb").read()
    photo_size, mask_size, length, major, minor = struct.unpack("<IIHBB", content[-16:-4])
    assert (content[-4:], length, major, minor) == (b"GNPJ", 16, 1, 0)
    assert photo_size + mask_size + 16 == len(content) < len(own.getvalue()) / 3
    photo = numpy.asarray(Image.open(io.BytesIO(content[:photo_size])).convert("RGB"))
    mask = Image.open(io.BytesIO(content[photo_size : photo_size + mask_size]))
    assert mask.mode == "L"
    assert (numpy.asarray(mask) == pixels[..., 3]).all()
    opaque = pixels[..., 3] == 255
    assert difference(photo[opaque], pixels[opaque][:, :3]) < 12
    close(
        len(content),
        int(re.sub(r"\D", "", page.locator("#jpng-size").inner_text().replace(".", "").replace("kB", "")))
        * (100 if "." in page.locator("#jpng-size").inner_text() else 1000),
        1100,
        "bytes",
    )
    # And a JPNG is taken apart.
    page.locator("#file").set_input_files({"name": "again.jpng", "mimeType": "", "buffer": content})
    page.get_by_text("again.jpng is shown above").wait_for()


@test
def the_page_says_what_it_cant_read(session):
    page = session.page("/jpng")
    compared(page)
    page.locator("#file").set_input_files(
        {"name": "notes.png", "mimeType": "image/png", "buffer": b"this is no picture"}
    )
    page.get_by_text("notes.png is no picture").wait_for()


@test
def without_a_jpng_the_page_says_what_to_do(session):
    page = session.page()
    answer = {"folder": "", "folders": [], "pictures": [], "total": 0, "complete": True}
    page.route("**/api/pictures*", lambda route: route.fulfill(json=answer))
    page.goto(session.base + "/jpng")
    page.get_by_role("heading", name="There is no JPNG here yet").wait_for()
    frames = page.locator(".show")
    assert not any(frame.is_visible() for frame in frames.all()), "there are empty frames"
    picture = Image.new("RGBA", (60, 40), (200, 40, 40, 90))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    page.locator("#file").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
    page.get_by_text("a.png is shown above").wait_for()
    assert all(frame.is_visible() for frame in frames.all())
    assert not page.get_by_text("There is no JPNG here yet").is_visible()


@test
def a_jpng_that_cant_be_had_leaves_no_empty_frames(session):
    page = session.page(allows=["422"])
    page.route(
        "**/api/picture/**",
        lambda route: route.fulfill(status=422, content_type="text/plain", body="this image is damaged: no end\n"),
    )
    page.goto(f"{session.base}/jpng/{encode(session.jpng['id'])}")
    page.get_by_text("This image is damaged: no end.").wait_for()
    assert not any(frame.is_visible() for frame in page.locator(".show").all())
