import ImageEffects
import ImageFormats
import ImageServer
import Raster

extension FuzzTarget {
    /// What the server reads out of an address, up to what is to be made of pictures of many sizes: within them, within
    /// the limits, and the same again by the canonical address.
    static let serverAddress = FuzzTarget(
        name: "server-address", seedExtensions: [], seeds: { ServerAddress.seeds.map { Array($0.utf8) } }
    ) { input in
        let parts = String(decoding: input, as: UTF8.self)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if let path = try? URLPath(parts.first ?? "") {
            let query = try? URLQuery(parts.dropFirst().first ?? "")
            ServerAddress.identifiers(path)
            let rest = Array(path.rawSegments.dropFirst())
            switch path.rawSegments.first {
            case "iiif": ServerAddress.iiif(rest)
            case "image": if let query { ServerAddress.effects(query) }
            default: ServerAddress.tiles(rest, query)
            }
        }
        ServerAddress.remote(parts.first ?? "")
    }
}

enum ServerAddress {
    static let seeds = [
        "/iiif/3/photo.png/full/max/0/default.jpg", "/iiif/3/a%2Fb.png/square/^!300,200/!22.5/gray.webp",
        "/iiif/3/p/0,0,10,10/pct:50/90/color.png", "/iiif/3/p/pct:0.5,1,50,25/,40/180/bitonal.png",
        "/iiif/2/p/full/full/0/default.jpg", "/iiif/2/p/10,20,300,400/!50,60/359.999/color.jpg",
        "/iiif/2/p/full/600,/0/default.jpg", "/iiif/3/p/full/^pct:150/0/default.jpg", "/iiif/3/p/info.json",
        "/dzi/a%20b/c.png.dzi?tile=512&overlap=1", "/dzi/photo_files/11/3_2.jpg", "/zoomify/p/ImageProperties.xml",
        "/zoomify/p/TileGroup1/4-12-7.jpg", "/xyz/p/3/1/2.webp", "/xyz/p/tilejson.json",
        "/image/p?w=400&h=300&fit=fill&dpr=2&format=auto&q=0.7", "/image/p?smart-crop=400,300&radius=20&gray",
        "/image/p?crop=10,20,300,200&shadow=2,4,8&border=3,red&reflection=0.4,0.3,2&blur=2.5&rotate=30,white",
        "/image/p?mask=cutout.png&overlay=badge.png,0.5&tint=%23ff8800&opacity=0.5&sig=abc&expires=99",
        "/original/p", "/jpng-part/p/mask.png", "http://[::1]:80/a/../b?c#d", "https://user@example.org:443/%61/./b",
        "private+http://10.0.0.1/",
    ]

    private static let sizes = [
        PixelSize(width: 1, height: 1), PixelSize(width: 600, height: 400), PixelSize(width: 3, height: 70_001),
        PixelSize(width: 65_500, height: 48_000),
    ]
    private static let limits: [RenderingLimits] = {
        var strict = RenderingLimits.standard
        (strict.maximumWidth, strict.maximumUpscaling, strict.maximumArea) = (900, 1, 500_000)
        return [.standard, strict]
    }()

    /// A segment is a path of names below a folder, or no picture; what it is written as is read as the same.
    static func identifiers(_ path: URLPath) {
        for segment in path.rawSegments {
            guard let text = try? URLPath.decode(segment) else { continue }
            precondition(URLPath.encode(text).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
            guard let identifier = try? PictureIdentifier(decoded: text) else { continue }
            let names = identifier.path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
            precondition(names.allSatisfy { !$0.isEmpty && $0.first != 0x2E && !$0.contains(0) })
            let again = try? URLPath.decode(identifier.encoded)
            precondition(again?.utf8.elementsEqual(identifier.path.utf8) == true)
        }
    }

    static func iiif(_ segments: [String]) {
        for version in IIIFVersion.allCases {
            guard let asked = try? IIIFRequest(Array(segments.dropFirst()), version: version),
                case .image(let image) = asked.kind
            else { continue }
            for size in sizes {
                for limits in limits { iiif(image, size, limits) }
            }
        }
    }

    private static func iiif(_ image: IIIFImageRequest, _ size: PixelSize, _ limits: RenderingLimits) {
        guard let rendering = try? image.rendering(of: size, limits: limits) else { return }
        let (region, result) = (rendering.region, rendering.size)
        precondition(!region.isEmpty && !result.isEmpty)
        precondition(region.x >= 0 && region.width <= size.width - region.x)
        precondition(region.y >= 0 && region.height <= size.height - region.y)
        precondition(result.width <= limits.maximumWidth && result.height <= limits.maximumHeight)
        precondition(result.pixelCount <= limits.maximumArea)
        precondition(0..<360 ~= rendering.rotation)
        guard let text = try? image.canonical(of: size, limits: limits) else {
            preconditionFailure("a picture that can be made has no canonical address")
        }
        let parts = text.split(separator: "/").map(String.init)
        guard
            let canonical = try? IIIFImageRequest(
                region: parts[0], size: parts[1], rotation: parts[2], file: parts[3], version: image.version),
            let again = try? canonical.rendering(of: size, limits: limits)
        else { preconditionFailure("the canonical address \(text) isn't taken") }
        precondition(again == rendering, "\(text) is another picture")
        precondition((try? canonical.canonical(of: size, limits: limits)) == text, "\(text) isn't canonical")
    }

    static func tiles(_ segments: [String], _ query: URLQuery?) {
        for size in sizes {
            if let query, let asked = try? DeepZoomRequest(segments, query: query) {
                _ = try? asked.document(of: size, format: .jpeg)
                check(try? asked.tile(of: size), size)
            }
            if let asked = try? ZoomifyRequest(segments) {
                _ = try? asked.document(of: size)
                check(try? asked.tile(of: size), size)
            }
            if let asked = try? XYZRequest(segments) {
                _ = try? asked.document(of: size, address: "http://localhost/xyz/a", format: .png)
                check(try? asked.tile(of: size), size)
            }
        }
    }

    private static func check(_ tile: TileRequest??, _ size: PixelSize) {
        guard let tile = tile ?? nil else { return }
        precondition(!tile.rect.isEmpty && !tile.size.isEmpty)
        precondition(tile.rect.x >= 0 && tile.rect.width <= size.width - tile.rect.x)
        precondition(tile.rect.y >= 0 && tile.rect.height <= size.height - tile.rect.y)
        precondition(tile.canvas.width >= tile.size.width && tile.canvas.height >= tile.size.height)
    }

    static func effects(_ query: URLQuery) {
        guard let asked = try? EffectQuery(query) else { return }
        guard let canonical = try? URLQuery(asked.canonical), let again = try? EffectQuery(canonical) else {
            preconditionFailure("the canonical query \(asked.canonical) isn't taken")
        }
        precondition(again.canonical == asked.canonical, "\(asked.canonical) isn't canonical")
        var pictures: [String: EffectPicture] = [:]
        for name in asked.pictures { pictures[name] = EffectPicture(Fixtures.mask, reference: name) }
        for size in sizes {
            for limits in limits {
                guard let plan = try? asked.plan(for: size, pictures: pictures, limits: limits) else { continue }
                precondition(plan.resultSize.pixelCount <= limits.maximumArea && !plan.resultSize.isEmpty)
                guard let region = plan.decoding.region else { continue }
                precondition(region.x >= 0 && region.width <= size.width - region.x)
                precondition(region.y >= 0 && region.height <= size.height - region.y)
            }
        }
    }

    /// The same server and path whatever way the address is written; no path leads above an origin.
    static func remote(_ text: Substring) {
        _ = NetworkAddress(text)?.isPublic
        guard let address = try? RemoteAddress(text) else { return }
        guard let again = try? RemoteAddress(address.text) else {
            preconditionFailure("\(address.text) isn't taken")
        }
        precondition(again == address, "\(address.text) is another address")
        let names = address.path.split(separator: "/")
        precondition(!names.contains("..") && !names.contains("."), "\(address.path) leads elsewhere")
        precondition((try? Origin(address.server + "/"))?.allows(address) == true)
    }
}

extension Fixtures {
    /// A picture for a mask or an overlay.
    static let mask: Image = {
        let info = BitmapInfo(size: PixelSize(width: 9, height: 7), format: .rgba8, alpha: .straight)
        guard let bitmap = try? gradient(info) else { fatalError("cannot make a mask") }
        return Image(bitmap)
    }()
}
