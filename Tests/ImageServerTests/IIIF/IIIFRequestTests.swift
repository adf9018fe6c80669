import ImageFormats
import ImageServer
import Testing

@Suite("Requests of the IIIF Image API")
struct IIIFRequestTests {
    private func parse(_ path: String, _ version: IIIFVersion) throws(RequestFailure) -> IIIFRequest {
        try IIIFRequest(URLPath("/" + path).rawSegments, version: version)
    }

    @Test("Requests are parsed", arguments: IIIFVersion.allCases)
    func kinds(version: IIIFVersion) throws {
        for (path, identifier) in [
            ("a.jpg", "a.jpg"), ("a.jpg/", "a.jpg"), ("a%2Fb.jpg", "a/b.jpg"), ("67352ccc%2Dd1b0", "67352ccc-d1b0"),
            ("%252F", "%2F"),
        ] {
            let request = try parse(path, version)
            #expect(request.kind == .base)
            #expect(request.identifier == identifier)
        }
        let information = try parse("a%2Fb%20c.jpg/info.json", version)
        #expect(information.kind == .information)
        #expect(information.identifier == "a/b c.jpg")
        #expect(information.encodedIdentifier == "a%2Fb%20c.jpg")
        guard case .image(let image) = try parse("a/10,20,30,40/5,/!90/gray.png", version).kind else {
            Issue.record("no picture")
            return
        }
        #expect(image.region == .pixels(x: 10, y: 20, width: 30, height: 40))
        #expect(image.size.form == .width(5))
        #expect(image.rotation.isMirrored)
        #expect(image.rotation.degrees.value == 90)
        #expect(image.quality == .gray)
        #expect(image.format == .png)
    }

    /// What a request of each version is refused with; nil where it is taken.
    static let parameters: [(path: String, v2: Int?, v3: Int?)] = [
        // Regions.
        ("full/max/0/default.jpg", nil, nil), ("square/max/0/default.jpg", nil, nil),
        ("0,0,1,1/max/0/default.jpg", nil, nil), ("pct:0,0,100,100/max/0/default.jpg", nil, nil),
        ("pct:41.6,7.5,40,70/max/0/default.jpg", nil, nil), ("pct:.5,5.,1,1/max/0/default.jpg", nil, nil),
        ("pct%3A1,1,9,9/max/0/default.jpg", nil, nil), ("0,0,999999999999999,1/max/0/default.jpg", nil, nil),
        ("pct:0,0,150,100/max/0/default.jpg", nil, nil),
        ("Full/max/0/default.jpg", 400, 400), ("/max/0/default.jpg", 400, 400), ("max/max/0/default.jpg", 400, 400),
        ("0,0,1/max/0/default.jpg", 400, 400), ("0,0,1,1,1/max/0/default.jpg", 400, 400),
        ("0,0,0,1/max/0/default.jpg", 400, 400), ("0,0,1,0/max/0/default.jpg", 400, 400),
        ("-1,0,1,1/max/0/default.jpg", 400, 400), ("0,0,+1,1/max/0/default.jpg", 400, 400),
        ("0.5,0,1,1/max/0/default.jpg", 400, 400), ("0,0,1e3,1/max/0/default.jpg", 400, 400),
        ("0,%200,1,1/max/0/default.jpg", 400, 400), (",,,/max/0/default.jpg", 400, 400),
        ("a,b,c,d/max/0/default.jpg", 400, 400), ("0,0,1000000000000000,1/max/0/default.jpg", 400, 400),
        ("0,0,99999999999999999999,1/max/0/default.jpg", 400, 400), ("pct:0,0,0,1/max/0/default.jpg", 400, 400),
        ("pct:0,0,1,0.0/max/0/default.jpg", 400, 400), ("pct:1,1,1/max/0/default.jpg", 400, 400),
        ("pct:-1,0,1,1/max/0/default.jpg", 400, 400), ("pct:0,0,1e1,1/max/0/default.jpg", 400, 400),
        ("pct:nan,0,1,1/max/0/default.jpg", 400, 400), ("pct:/max/0/default.jpg", 400, 400),
        ("PCT:0,0,1,1/max/0/default.jpg", 400, 400), ("pct:%CC%810,0,1,1/max/0/default.jpg", 400, 400),
        ("[frob]/max/0/default.jpg", 400, 400), ("<^>\\`/max/0/default.jpg", 400, 400),
        ("0%2F0,1,1/max/0/default.jpg", 400, 400),
        // Sizes.
        ("full/full/0/default.jpg", nil, 400), ("full/^max/0/default.jpg", 400, nil),
        ("full/10,/0/default.jpg", nil, nil),
        ("full/,10/0/default.jpg", nil, nil), ("full/10,10/0/default.jpg", nil, nil),
        ("full/!10,10/0/default.jpg", nil, nil), ("full/pct:50/0/default.jpg", nil, nil),
        ("full/pct:0.5/0/default.jpg", nil, nil), ("full/^10,/0/default.jpg", 400, nil),
        ("full/^,10/0/default.jpg", 400, nil), ("full/^10,10/0/default.jpg", 400, nil),
        ("full/^!10,10/0/default.jpg", 400, nil), ("full/^pct:150/0/default.jpg", 400, nil),
        ("full/%5Emax/0/default.jpg", 400, nil), ("full/pct:150/0/default.jpg", nil, nil),
        ("full/^full/0/default.jpg", 400, 400), ("full/^^max/0/default.jpg", 400, 400),
        ("full/^/0/default.jpg", 400, 400), ("full//0/default.jpg", 400, 400), ("full/,/0/default.jpg", 400, 400),
        ("full/10/0/default.jpg", 400, 400), ("full/!10,/0/default.jpg", 400, 400),
        ("full/!,10/0/default.jpg", 400, 400), ("full/!^10,10/0/default.jpg", 400, 400),
        ("full/!max/0/default.jpg", 400, 400), ("full/0,/0/default.jpg", 400, 400), ("full/,0/0/default.jpg", 400, 400),
        ("full/0,10/0/default.jpg", 400, 400), ("full/10,0/0/default.jpg", 400, 400),
        ("full/!0,10/0/default.jpg", 400, 400), ("full/-10,/0/default.jpg", 400, 400),
        ("full/10.5,/0/default.jpg", 400, 400), ("full/1e2,/0/default.jpg", 400, 400),
        ("full/10,10,10/0/default.jpg", 400, 400), ("full/pct:/0/default.jpg", 400, 400),
        ("full/pct:-5/0/default.jpg", 400, 400), ("full/pct:5,5/0/default.jpg", 400, 400),
        ("full/pct:1.2.3/0/default.jpg", 400, 400), ("full/MAX/0/default.jpg", 400, 400),
        ("full/99999999999999999999,/0/default.jpg", 400, 400), ("full/!%CC%8110,10/0/default.jpg", 400, 400),
        // Rotations.
        ("full/max/90/default.jpg", nil, nil), ("full/max/22.5/default.png", nil, nil),
        ("full/max/!180/default.jpg", nil, nil), ("full/max/360/default.jpg", nil, nil),
        ("full/max/%210/default.jpg", nil, nil), ("full/max/.5/default.jpg", nil, nil),
        ("full/max/361/default.jpg", 400, 400), ("full/max/360.1/default.jpg", 400, 400),
        ("full/max/-90/default.jpg", 400, 400), ("full/max/+90/default.jpg", 400, 400),
        ("full/max//default.jpg", 400, 400), ("full/max/!/default.jpg", 400, 400),
        ("full/max/!!0/default.jpg", 400, 400), ("full/max/90!/default.jpg", 400, 400),
        ("full/max/1e1/default.jpg", 400, 400), ("full/max/nan/default.jpg", 400, 400),
        ("full/max/ninety/default.jpg", 400, 400), ("full/max/90,/default.jpg", 400, 400),
        ("full/max/!%CC%810/default.jpg", 400, 400), ("full/max/0000000000000000/default.jpg", 400, 400),
        // Qualities and formats.
        ("full/max/0/color.jpg", nil, nil), ("full/max/0/gray.png", nil, nil), ("full/max/0/bitonal.jpg", nil, nil),
        ("full/max/0/default.gif", nil, nil), ("full/max/0/default.jpng", nil, nil),
        ("full/max/0/default.jp2", nil, nil),
        ("full/max/0/default%2Ejpg", nil, nil),
        ("full/max/0/grey.jpg", 400, 400), ("full/max/0/native.jpg", 400, 400), ("full/max/0/Default.jpg", 400, 400),
        ("full/max/0/.jpg", 400, 400), ("full/max/0/default", 400, 400), ("full/max/0/default.", 400, 400),
        ("full/max/0/default.jpeg", 400, 400), ("full/max/0/default.JPG", 400, 400),
        ("full/max/0/default.j2k", 400, 400), ("full/max/0/default.pdf", 400, 400),
        ("full/max/0/default.bmp", 400, 400), ("full/max/0/default.svg", 400, 400),
        ("full/max/0/default.heic", 400, 400), ("full/max/0/default.tiff", 400, 400),
        ("full/max/0/default.<>^", 400, 400), ("full/max/0/default.[a]", 400, 400), ("full/max/0/a.b.jpg", 400, 400),
        ("full/max/0/", 400, 400), ("full/max/0/info.json", 400, 400),
        // Numbers of segments.
        ("full/max/0/default.jpg/", 404, 404), ("b/full/max/0/default.jpg", 404, 404), ("full/max/0", 404, 404),
        ("full/max", 404, 404), ("full", 404, 404), ("info.xml", 404, 404), ("INFO.json", 404, 404),
        ("info.json/", 404, 404), ("b/info.json", 404, 404),
    ]

    @Test("Malformed requests are refused", arguments: IIIFVersion.allCases)
    func wellFormed(version: IIIFVersion) {
        for (path, v2, v3) in Self.parameters {
            #expect(
                failureStatus { () throws(RequestFailure) in try parse("id/" + path, version) }
                    == (version == .v2 ? v2 : v3), "\(path)")
        }
    }

    @Test("An address without an identifier is refused", arguments: ["", "/full/max/0/default.jpg", "/info.json", "/"])
    func empty(path: String) {
        #expect(failureStatus { () throws(RequestFailure) in try parse(path, .v3) } == 404)
    }

    @Test("An identifier is decoded once, or not at all", arguments: ["%C0%AF", "%FF", "%ED%A0%80"])
    func undecodable(identifier: String) {
        for rest in ["", "/info.json", "/full/max/0/default.jpg"] {
            #expect(failureStatus { () throws(RequestFailure) in try parse(identifier + rest, .v3) } == 400)
        }
    }
}
