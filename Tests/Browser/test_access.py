"""Signed links: what a server with keys shows by one, and what it says without."""

import urllib.parse

from harness import Skip, settle, test


@test
def a_signed_link_opens_the_gallery_the_viewer_and_the_effects(session):
    if not session.signed:
        raise Skip("no link was given with --signed")
    base = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(session.signed))
    page = session.page(allows=["403"])
    page.goto(base + "/")
    page.get_by_role("heading", name="This needs a signed link").wait_for()
    assert "tessera sign --prefix" in page.locator("pre").inner_text()
    page.goto(session.signed)
    assert "/signed/" not in page.url, "the signature is left behind"
    page.wait_for_function(
        "() => document.querySelectorAll('#pictures .frame.shown').length > 0", timeout=60000
    )
    cookies = page.context.cookies()
    assert len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Lax", cookies
    assert page.evaluate("document.cookie") == ""
    page.locator("#pictures .card").first.click()
    page.wait_for_url("**/view/**")
    settle(page)
    page.get_by_role("link", name="Effects").first.click()
    page.wait_for_function("() => document.querySelector('#figures b')")
    # To another browser the address says nothing.
    other = session.page(allows=["403"])
    other.goto(page.url)
    other.get_by_role("heading", name="This needs a signed link").wait_for()
