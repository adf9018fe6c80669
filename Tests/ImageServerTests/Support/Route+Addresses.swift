import ImageServer
import Testing

extension Route {
    /// The identifier of an image in a folder of the gallery, as a segment of an address.
    static let nestedImage = "a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht.jpg"

    /// Addresses to ask for of every route, by its pattern.
    private static let addresses: [String: [String]] = [
        "/": ["/", "/?folder=a%20b"], "/view/**": ["/view/photo.png", "/view"], "/effects/**": ["/effects/photo.png"],
        "/jpng/**": ["/jpng", "/jpng/cutout.jpng"], "/docs": ["/docs"], "/assets/*": ["/assets/site.css"],
        "/favicon.ico": ["/favicon.ico"], "/healthz": ["/healthz"], "/readyz": ["/readyz"],
        "/api/pictures": ["/api/pictures", "/api/pictures?search=photo"],
        "/api/picture/*/**": ["/api/picture/photo.png"], "/api/effects": ["/api/effects"],
        "/iiif/**": [
            "/iiif/3/photo.png", "/iiif/3/photo.png/info.json", "/iiif/2/photo.png/full/40,/0/default.jpg",
            "/iiif/3/\(nestedImage)/info.json",
        ],
        "/dzi/**": ["/dzi/photo.png.dzi", "/dzi/photo.png_files/0/0_0.jpg"],
        "/zoomify/**": ["/zoomify/photo.png/ImageProperties.xml", "/zoomify/photo.png/TileGroup0/0-0-0.jpg"],
        "/xyz/**": ["/xyz/photo.png/tilejson.json", "/xyz/photo.png/0/0/0.jpg"], "/image/**": ["/image/photo.png?w=40"],
        "/original/**": ["/original/photo.png"], "/jpng-part/**": ["/jpng-part/cutout.jpng/photo.jpg"],
        "/metrics": ["/metrics"], "/probe/*/**": ["/probe/photo.png"], "/api/purge": ["/api/purge?folder="],
    ]

    /// The routes that anybody may ask for by GET.
    static let readable = table.filter { $0.access != .operator }

    /// Addresses to ask for, of images that the gallery has.
    /// - Throws: Where there are none: a new route needs some here.
    var addresses: [String] {
        get throws { try #require(Self.addresses[pattern.description], "\(pattern) has no address to ask for") }
    }
}
