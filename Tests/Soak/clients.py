"""Clients of a picture server: well-behaved ones, curious ones, and such as hang up."""

import base64
import collections
import hashlib
import hmac
import http.client
import random
import socket
import struct
import time
import urllib.parse


def signed(target, key):
    """`target` with the signature that `tessera sign` gives it."""
    path, _, query = target.partition("?")
    items = sorted(filter(None, query.split("&")))
    message = path + ("?" + "&".join(items) if items else "")
    code = base64.urlsafe_b64encode(hmac.digest(key, message.encode(), hashlib.sha256)).decode().rstrip("=")
    return f"{path}?{query + '&' if query else ''}sig={code}"


class Client:
    """One client of one server: it asks for one thing after the other, and counts what came of it."""

    # What may be answered beside what is asked for: too many at a time.
    BUSY = 503

    def __init__(self, port, key, names, origin, seed):
        self.port, self.key, self.names, self.origin = port, key, names, origin
        self.random = random.Random(seed)
        self.connection = None
        self.done = collections.Counter()
        self.wrong = collections.Counter()
        self.tags = collections.OrderedDict()

    # What a request is made of.

    def name(self, *folders):
        return self.random.choice([name for name in self.names if not folders or name.split("/")[0] in folders])

    def identifier(self, *folders):
        return urllib.parse.quote(self.name(*folders), safe="")

    def size(self):
        # Few that are asked for again and again, and many that aren't.
        return self.random.choice((64, 100, 150)) if self.random.random() < 0.5 else self.random.randint(20, 250)

    def iiif(self):
        region = self.random.choice(("full", "square", "0,0,64,64", "pct:10,10,50,50"))
        rotation = self.random.choice(("0", "0", "90", "!180", "22.5"))
        quality = self.random.choice(("default", "default", "color", "gray", "bitonal"))
        form = self.random.choice(("jpg", "jpg", "png", "webp", "gif", "tif", "jpng"))
        version = self.random.choice("23")
        return f"/iiif/{version}/{self.identifier()}/{region}/!{self.size()},{self.size()}/{rotation}/{quality}.{form}"

    def tile(self):
        identifier = self.identifier("large")
        return self.random.choice((
            f"/dzi/{identifier}_files/{self.random.randint(0, 9)}/0_0.jpg",
            f"/xyz/{identifier}/{self.random.randint(0, 2)}/0/0.jpg",
            f"/zoomify/{identifier}/TileGroup0/{self.random.randint(0, 2)}-0-0.jpg",
            f"/iiif/3/{identifier}/0,0,256,256/256,256/0/default.jpg",
            f"/iiif/3/{identifier}/256,256,256,256/256,256/0/default.jpg",
            f"/dzi/{identifier}.dzi", f"/iiif/3/{identifier}/info.json", f"/iiif/2/{identifier}/info.json",
            f"/zoomify/{identifier}/ImageProperties.xml"))

    def effects(self, identifier=None):
        chain = self.random.choice((
            "radius=12", "blur=3", "rotate=30", "shadow=3,3,6", "circle", "grayscale", "reflect=0.3", "flip=horizontal",
            "radius=9&shadow=2,2,4&border=3,c03", "tint=c03", "sharpen=1"))
        form = self.random.choice(("", "&format=auto", "&format=png", "&format=webp", "&format=jpg"))
        return f"/image/{identifier or self.identifier()}?w={self.size()}&{chain}{form}"

    def page(self):
        return self.random.choice((
            "/", "/docs", "/healthz", "/metrics", "/api/pictures", "/api/effects", "/api/pictures?search=pic&sort=size",
            f"/api/picture/{self.identifier()}", f"/view/{self.identifier()}"))

    # Asking.

    def ask(self, kind, target, expected, method="GET", fields=None, signs=True):
        """Asks on the connection that is open, reads the answer, and notes whether it was one of `expected`."""
        if signs:
            target = signed(target, self.key)
        for attempt in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                self.connection.request(method, target, headers=fields or {})
                response = self.connection.getresponse()
                body = response.read()
                break
            except (http.client.HTTPException, OSError) as error:
                # A connection that was closed between two requests is opened anew, once.
                self.leave()
                if attempt:
                    self.wrong[f"{kind}: {type(error).__name__}"] += 1
                    return None
        self.done[kind] += 1
        if response.status not in expected and response.status != self.BUSY:
            self.wrong[f"{kind}: {response.status} for {method} {target.split('sig=')[0]}: {body[:80]!r}"] += 1
        if response.will_close:
            self.leave()
        return response

    def leave(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def ask_conditionally(self):
        target = signed(self.iiif(), self.key)
        if self.tags and self.random.random() < 0.7:
            target = self.random.choice(list(self.tags))
            self.ask("conditional", target, {200, 304}, fields={"If-None-Match": self.tags[target]}, signs=False)
            return
        response = self.ask("conditional", target, {200, 400}, signs=False)
        if response and response.status == 200:
            self.tags[target] = response.getheader("ETag")
            if len(self.tags) > 30:
                self.tags.popitem(last=False)

    def ask_for_file(self):
        start = self.random.randint(0, 500)
        fields = self.random.choice(({}, {"Range": f"bytes={start}-{start + 400}"}, {"Range": "bytes=99999999-"}))
        self.ask("original", f"/original/{self.identifier('small')}", {200, 206, 416}, fields=fields)

    def ask_remotely(self):
        kind = self.random.choice(("whole", "whole", "whole", "cut", "slow", "other"))
        address = f"{self.origin}/{kind}/{self.name('small').split('/')[1]}"
        if kind == "other":
            address = self.random.choice(("http://127.0.0.1:1/a.jpg", "http://192.0.2.1/a.png", "ftp://a/b"))
        expected = {200} if kind in ("whole", "slow") else {200, 400, 403, 404, 422, 500, 502, 504}
        self.ask("remote", self.effects(urllib.parse.quote(address, safe="")), expected)

    def ask_badly(self):
        target, expected = self.random.choice((
            ("/iiif/3/nothing.jpg/full/max/0/default.jpg", {404}),
            (f"/iiif/3/{self.identifier()}/full/0,0/0/default.jpg", {400}),
            (f"/iiif/3/{self.identifier()}/9,9/max/0/default.jpg", {400}),
            (f"/image/{self.identifier()}?w=99999999999999999999", {400}),
            (f"/image/{self.identifier()}?what=1", {400}), ("/original/..%2F..%2Fetc%2Fpasswd", {400, 404}),
            ("/image/%00", {400, 404}), ("/image/" + "a" * 5000, {414}), ("/image/%ff%fe", {400, 404})))
        self.ask("bad address", target, expected)
        self.ask("unsigned", self.effects(), {403}, signs=False)
        self.ask("unsigned", self.page(), {200, 403}, signs=False)

    def send(self, text, take, abruptly):
        """Sends as it is, takes a few bytes, and goes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=0.3) as connection:
            if abruptly:
                # A reset, not an end.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                connection.sendall(text)
                while take > 0 and (piece := connection.recv(take)):
                    take -= len(piece)
            except OSError:
                pass

    def hang_up(self):
        target = self.random.choice((self.iiif, self.effects, self.tile, lambda: "/original/large%2Frows.png"))()
        text = f"GET {signed(target, self.key)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        text = self.random.choice((text, text * 20, text[: len(text) // 2], b"\0" * 50, text + b"GET / HT", b""))
        self.send(text, self.random.choice((0, 0, 1, 100, 5000)), self.random.random() < 0.5)
        self.done["hung up"] += 1

    def act(self):
        choice = self.random.random()
        if choice < 0.30:
            self.ask("IIIF", self.iiif(), {200, 400})
        elif choice < 0.45:
            self.ask("tile", self.tile(), {200, 404, 400})
        elif choice < 0.60:
            fields = {"Accept": self.random.choice(("image/avif,image/webp,*/*", "image/webp", "image/png", "*/*"))}
            self.ask("effects", self.effects(), {200}, fields=fields)
        elif choice < 0.68:
            self.ask("page", self.page(), {200})
        elif choice < 0.76:
            self.ask_conditionally()
        elif choice < 0.81:
            self.ask_for_file()
        elif choice < 0.84:
            self.ask("HEAD", self.iiif(), {200, 400}, method="HEAD")
        elif choice < 0.88:
            self.ask_remotely()
        elif choice < 0.92:
            self.ask_badly()
        elif choice < 0.94:
            self.ask("another method", "/", {405, 413}, method=self.random.choice(("DELETE", "PUT", "TRACE")))
        else:
            self.hang_up()


def run(port, key, names, origin, seed, end, count, results):
    """A client until the clock says `end`. `count` is raised by what was done; `results` gets it all at the end."""
    client = Client(port, key, names, origin, seed)
    while time.monotonic() < end:
        before = client.done.total()
        try:
            client.act()
        except OSError as error:
            client.wrong[f"{type(error).__name__}: {error}"] += 1
            time.sleep(0.2)
        with count.get_lock():
            count.value += client.done.total() - before
    client.leave()
    results.put((client.done, client.wrong))
