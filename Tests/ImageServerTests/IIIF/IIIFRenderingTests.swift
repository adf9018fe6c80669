import ImageFormats
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Rendering IIIF requests")
struct IIIFRenderingTests {
    /// Limits that are in nobody's way, but for what is said.
    private static func limits(
        width: Int = 100_000, height: Int = 100_000, area: Int = 1 << 40, upscaling: Double = 100,
        rotatedArea: Int = 1 << 40
    ) -> RenderingLimits {
        var limits = RenderingLimits.standard
        (limits.maximumWidth, limits.maximumHeight, limits.maximumArea) = (width, height, area)
        (limits.maximumUpscaling, limits.maximumRotatedArea) = (upscaling, rotatedArea)
        return limits
    }

    private static func request(_ path: String, _ version: IIIFVersion) throws -> IIIFImageRequest {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return try IIIFImageRequest(
            region: parts[0], size: parts[1], rotation: parts[2], file: parts[3], version: version)
    }

    /// The region and the size of a result, or the status of the failure: `0,0,10,20 5,10` or `400`.
    private static func result(
        _ region: String, _ size: String, of picture: PixelSize, _ version: IIIFVersion, _ limits: RenderingLimits,
        rotation: String = "0"
    ) throws -> String {
        let request = try request("\(region)/\(size)/\(rotation)/default.jpg", version)
        do {
            let rendering = try request.rendering(of: picture, limits: limits)
            let (rect, size) = (rendering.region, rendering.size)
            return "\(rect.x),\(rect.y),\(rect.width),\(rect.height) \(size.width),\(size.height)"
        } catch {
            return "\(error.status)"
        }
    }

    @Test(
        "Regions are clipped to the image, and refused outside",
        arguments: [
            // The standard's own examples, of a picture of 300 × 200.
            ("full", "0,0,300,200"), ("square", "50,0,200,200"), ("125,15,120,140", "125,15,120,140"),
            ("pct:41.6,7.5,40,70", "125,15,120,140"), ("125,15,200,200", "125,15,175,185"),
            ("pct:41.6,7.5,66.6,100", "125,15,175,185"),
            // Edges.
            ("0,0,300,200", "0,0,300,200"), ("299,199,1,1", "299,199,1,1"),
            ("299,199,999999999999999,5", "299,199,1,1"),
            ("0,0,301,1", "0,0,300,1"), ("300,0,1,1", nil), ("0,200,1,1", nil), ("999999999999999,0,1,1", nil),
            ("pct:0,0,100,100", "0,0,300,200"), ("pct:0,0,999999999999999,200", "0,0,300,200"),
            ("pct:99.99,99.99,1,1", "299,199,1,1"), ("pct:100,0,1,1", nil), ("pct:0,100.0,1,1", nil),
            ("pct:999999,0,1,1", nil), ("pct:0,0,0.001,0.001", "0,0,1,1"), ("pct:50,50,0.4,0.6", "150,100,1,1"),
            ("pct:33.3333,0,33.3333,100", "100,0,100,200"), ("pct:0.1,0.3,0.5,0.5", "0,1,2,1"),
        ] as [(String, String?)])
    func regions(region: String, rect: String?) throws {
        for version in IIIFVersion.allCases {
            let result = try Self.result(
                region, "max", of: PixelSize(width: 300, height: 200), version, Self.limits())
            #expect(result.split(separator: " ").first.map(String.init) == rect ?? "400")
        }
    }

    @Test("A tall image's square is in its middle")
    func tallSquare() throws {
        #expect(
            try Self.result("square", "max", of: PixelSize(width: 100, height: 301), .v3, Self.limits())
                == "0,100,100,100 100,100")
    }

    @Test(
        "Sizes of a 300 × 200 image in version 3",
        arguments: [
            ("max", "300,200"), ("^max", "30000,20000"), ("150,", "150,100"), (",100", "150,100"),
            ("pct:50", "150,100"),
            ("225,100", "225,100"), ("!225,100", "150,100"), ("!100,225", "100,67"), ("^!360,360", "360,240"),
            ("^360,", "360,240"), ("^,240", "360,240"), ("^pct:120", "360,240"), ("^360,360", "360,360"),
            ("300,", "300,200"), (",200", "300,200"), ("300,200", "300,200"), ("pct:100", "300,200"),
            ("^150,", "150,100"), ("^pct:50", "150,100"), ("^!100,100", "100,67"), ("^10,10", "10,10"),
            // Larger than the region.
            ("301,", "400"), (",201", "400"), ("301,10", "400"), ("10,201", "400"), ("pct:100.01", "300,200"),
            ("pct:100.5", "400"), ("pct:120", "400"), ("999999999999999,", "400"),
            ("!301,201", "300,200"), ("!2000,3000", "300,200"), ("!999999999999999,999999999999999", "300,200"),
            ("!300,1", "2,1"), ("!1,1", "1,1"),
            // Less than a pixel.
            ("1,", "1,1"), (",1", "2,1"), ("pct:0.1", "400"), ("pct:0.3", "1,1"), ("pct:0", "400"), ("pct:0.0", "400"),
            ("1,1", "1,1"),
            // Above the limits.
            ("^100001,", "400"), ("^,100001", "400"), ("^30001,1", "400"), ("^999999999999999,", "400"),
            ("^pct:999999999999999", "400"), ("^!999999999999999,5", "8,5"),
        ] as [(String, String)])
    func sizes3(size: String, pixels: String) throws {
        let picture = PixelSize(width: 300, height: 200)
        let expected = pixels == "400" ? "400" : "0,0,300,200 " + pixels
        #expect(try Self.result("full", size, of: picture, .v3, Self.limits()) == expected)
    }

    @Test(
        "Sizes of a 300 × 200 image in version 2",
        arguments: [
            ("full", "300,200"), ("max", "300,200"), ("150,", "150,100"), (",100", "150,100"), ("pct:50", "150,100"),
            ("225,100", "225,100"), ("!225,100", "150,100"), ("600,", "600,400"), (",400", "600,400"),
            ("pct:200", "600,400"), ("600,100", "600,100"), ("!2000,3000", "300,200"), ("!100,225", "100,67"),
            ("pct:0.1", "400"), ("30001,", "400"), ("1,", "1,1"),
        ] as [(String, String)])
    func sizes2(size: String, pixels: String) throws {
        let picture = PixelSize(width: 300, height: 200)
        let expected = pixels == "400" ? "400" : "0,0,300,200 " + pixels
        #expect(try Self.result("full", size, of: picture, .v2, Self.limits()) == expected)
    }

    @Test("Sizes relate to the region, not to the image")
    func ofRegion() throws {
        let picture = PixelSize(width: 1000, height: 1000)
        for (size, result) in [
            ("max", "100,50"), ("50,", "50,25"), ("101,", "400"), ("^200,", "200,100"), ("!500,500", "100,50"),
            ("^!500,500", "500,250"), ("^!500,20", "40,20"), ("pct:10", "10,5"),
        ] {
            let expected = result == "400" ? "400" : "10,10,100,50 " + result
            #expect(try Self.result("10,10,100,50", size, of: picture, .v3, Self.limits()) == expected, "\(size)")
        }
    }

    @Test(
        "Limits reduce fitted sizes, and refuse explicit ones",
        arguments: [
            (6000, 4000, "max", "3000,2000"), (6000, 4000, "^max", "3000,2000"),
            (6000, 4000, "!5000,5000", "3000,2000"),
            (6000, 4000, "3001,", "400"), (6000, 4000, ",2001", "400"), (6000, 4000, "3000,2000", "3000,2000"),
            (6000, 4000, "6000,4000", "400"), (6000, 4000, "pct:50", "3000,2000"), (6000, 4000, "pct:50.1", "400"),
            (4000, 6000, "max", "1333,2000"), (4000, 4000, "max", "2000,2000"), (10000, 100, "max", "3000,30"),
            (100, 10000, "max", "20,2000"), (1000, 1000, "max", "1000,1000"), (1000, 1000, "^max", "2000,2000"),
            (1000, 1000, "^3000,2001", "400"), (1000, 1000, "^2500,2000", "2500,2000"), (7000, 1, "max", "3000,1"),
            (1, 7000, "max", "1,2000"),
        ])
    func sideLimits(width: Int, height: Int, size: String, pixels: String) throws {
        let picture = PixelSize(width: width, height: height)
        let expected = pixels == "400" ? "400" : "0,0,\(width),\(height) " + pixels
        #expect(
            try Self.result("full", size, of: picture, .v3, Self.limits(width: 3000, height: 2000)) == expected)
    }

    @Test(
        "The number of pixels has its own limit",
        arguments: [
            (6000, 4000, "max", "1224,816"), (1000, 1000, "max", "1000,1000"), (1001, 1000, "max", "1000,999"),
            (1_000_000, 1, "max", "1000000,1"), (2_000_000, 1, "max", "1000000,1"), (1, 2_000_000, "max", "1,1000000"),
            (6000, 4000, "1225,817", "400"), (6000, 4000, "1000,1000", "1000,1000"), (6000, 4000, "1000,1001", "400"),
            (100, 100, "^max", "1000,1000"), (100, 100, "^1001,", "400"), (6000, 4000, "!1300,1300", "1224,816"),
        ])
    func areaLimits(width: Int, height: Int, size: String, pixels: String) throws {
        let limits = Self.limits(width: 1 << 30, height: 1 << 30, area: 1_000_000)
        let expected = pixels == "400" ? "400" : "0,0,\(width),\(height) " + pixels
        #expect(
            try Self.result("full", size, of: PixelSize(width: width, height: height), .v3, limits) == expected)
    }

    @Test(
        "Without upscaling, enlarging isn't implemented",
        arguments: [
            ("^max", .v3, "501"), ("^400,", .v3, "501"), ("^,201", .v3, "501"), ("^pct:120", .v3, "501"),
            ("^!400,400", .v3, "501"), ("^400,10", .v3, "501"), ("^300,", .v3, "0,0,300,200 300,200"),
            ("^!100,100", .v3, "0,0,300,200 100,67"), ("^pct:50", .v3, "0,0,300,200 150,100"),
            ("400,", .v3, "400"), ("!400,400", .v3, "0,0,300,200 300,200"), ("max", .v3, "0,0,300,200 300,200"),
            ("^999999999999999,", .v3, "501"), ("400,", .v2, "501"), ("!400,400", .v2, "0,0,300,200 300,200"),
            ("full", .v2, "0,0,300,200 300,200"),
        ] as [(String, IIIFVersion, String)])
    func notEnlarged(size: String, version: IIIFVersion, result: String) throws {
        let picture = PixelSize(width: 300, height: 200)
        for upscaling in [1, 0.5, 0, .nan] {
            let limits = Self.limits(upscaling: upscaling)
            #expect(try Self.result("full", size, of: picture, version, limits) == result)
            let larger = PixelSize(width: 999, height: 999)
            #expect(try Self.result("0,0,300,200", size, of: larger, version, limits) == result)
        }
    }

    @Test("Version 2's full is the image's own size, or refused")
    func full() throws {
        let picture = PixelSize(width: 300, height: 200)
        let limits = Self.limits(area: 50_000)
        #expect(try Self.result("full", "full", of: picture, .v2, limits) == "400")
        #expect(try Self.result("full", "max", of: picture, .v2, limits) == "0,0,300,200 273,182")
        #expect(try Self.result("0,0,200,200", "full", of: picture, .v2, limits) == "0,0,200,200 200,200")
    }

    @Test("A rotated canvas has its own limits")
    func rotated() throws {
        let picture = PixelSize(width: 1000, height: 1000)
        let limits = Self.limits(rotatedArea: 500_000)
        for rotation in ["0", "90", "180", "!270", "360"] {
            let result = try Self.result("full", "max", of: picture, .v3, limits, rotation: rotation)
            #expect(result == "0,0,1000,1000 1000,1000")
        }
        // A square on its corner takes twice its pixels.
        #expect(try Self.result("full", "max", of: picture, .v3, limits, rotation: "45") == "0,0,1000,1000 499,499")
        #expect(try Self.result("full", "1000,", of: picture, .v3, limits, rotation: "45") == "400")
        #expect(
            try Self.result("full", "!800,800", of: picture, .v3, limits, rotation: "!45") == "0,0,1000,1000 499,499")
        #expect(try Self.result("full", "400,", of: picture, .v3, limits, rotation: "45") == "0,0,1000,1000 400,400")
    }

    @Test("The rendering matches the request")
    func parameters() throws {
        let picture = PixelSize(width: 300, height: 200)
        let request = try Self.request("full/max/!22.50/gray.webp", .v3)
        let rendering = try request.rendering(of: picture, limits: .standard)
        #expect(rendering.isMirrored)
        #expect(rendering.rotation == 22.5)
        #expect(rendering.quality == .gray)
        #expect(rendering.format == .webP)
        #expect(rendering.encodingQuality == nil)
        let plain = try Self.request("full/max/360/color.jpg", .v3).rendering(of: picture, limits: .standard)
        #expect(plain.region == PixelRect(picture) && plain.size == picture && plain.format == .jpeg)
        #expect(plain.rotation == 0 && !plain.isMirrored && plain.quality == .default)
        #expect(plain.canvas == nil && plain.encodingQuality == nil)
    }

    @Test(
        "An address has its canonical form",
        arguments: [
            ("full/max/0/default.jpg", .v3, "full/max/0/default.jpg"),
            ("0,0,300,200/300,200/0.0/color.jpg", .v3, "full/max/0/default.jpg"),
            ("pct:0,0,100,100/^300,/360/default.jpg", .v3, "full/max/0/default.jpg"),
            ("square/pct:50/!90.50/gray.png", .v3, "50,0,200,200/100,100/!90.5/gray.png"),
            ("full/150,/.50/bitonal.tif", .v3, "full/150,100/0.5/bitonal.tif"),
            ("full/,100/007/default.jpg", .v3, "full/150,100/7/default.jpg"),
            ("full/!100,100/0/default.jpg", .v3, "full/100,67/0/default.jpg"),
            ("full/^600,/0/default.jpg", .v3, "full/^600,400/0/default.jpg"),
            ("full/^100,400/0/default.jpg", .v3, "full/^100,400/0/default.jpg"),
            ("full/^max/0/default.jpg", .v3, "full/^max/0/default.jpg"),
            ("full/^1200,/0/default.jpg", .v3, "full/^max/0/default.jpg"),
            ("10,10,999,999/max/0/default.jpg", .v3, "10,10,290,190/max/0/default.jpg"),
            ("full/full/0/default.jpg", .v2, "full/full/0/default.jpg"),
            ("full/max/0/color.jpg", .v2, "full/full/0/default.jpg"),
            ("full/300,200/0/default.jpg", .v2, "full/full/0/default.jpg"),
            ("full/150,100/0/default.jpg", .v2, "full/150,/0/default.jpg"),
            ("full/,100/0/default.jpg", .v2, "full/150,/0/default.jpg"),
            ("full/150,90/0/default.jpg", .v2, "full/150,90/0/default.jpg"),
            ("full/pct:200/!0/gray.gif", .v2, "full/600,/!0/gray.gif"),
            ("square/full/0/default.jpg", .v2, "50,0,200,200/full/0/default.jpg"),
        ] as [(String, IIIFVersion, String)])
    func canonical(path: String, version: IIIFVersion, expected: String) throws {
        let picture = PixelSize(width: 300, height: 200)
        #expect(try Self.request(path, version).canonical(of: picture, limits: .standard) == expected)
    }

    @Test("A square image's square is the whole")
    func squareOfSquare() throws {
        let request = try Self.request("square/max/0/default.jpg", .v2)
        let size = PixelSize(width: 200, height: 200)
        #expect(try request.canonical(of: size, limits: .standard) == "full/full/0/default.jpg")
    }

    @Test("Tiles may be requested by one side or by both", arguments: [1, 2, 4, 8, 16])
    func tiles(factor: Int) throws {
        for picture in [
            PixelSize(width: 1001, height: 667), PixelSize(width: 4096, height: 4100),
            PixelSize(width: 257, height: 5000),
            PixelSize(width: 3000, height: 2), PixelSize(width: 1, height: 1),
        ] {
            let side = 256 * factor
            for y in stride(from: 0, to: picture.height, by: side) {
                for x in stride(from: 0, to: picture.width, by: side) {
                    // The standard's implementation notes, 3.
                    let (width, height) = (min(side, picture.width - x), min(side, picture.height - y))
                    let size = PixelSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
                    let region = "\(x),\(y),\(width),\(height)"
                    let both = try Self.request("\(region)/\(size.width),\(size.height)/0/default.jpg", .v3)
                        .rendering(of: picture, limits: .standard)
                    #expect(both.size == size)
                    // Version 2 says the width alone, of which that height follows where proportions leave room for it.
                    let one = try Self.request("\(region)/\(size.width),/0/default.jpg", .v2)
                        .rendering(of: picture, limits: .standard)
                    if size.height * (factor - 1) < width { #expect(one.size == size, "\(picture) \(region)") }
                }
            }
        }
    }

    @Test("Random requests stay within the image and the limits, and canonical forms are stable")
    func random() throws {
        var generator = SeededGenerator(7)
        var rendered = 0
        for _ in 0..<20_000 {
            let picture = PixelSize(
                width: Self.length(using: &generator), height: Self.length(using: &generator))
            let limits = Self.limits(
                width: Self.length(using: &generator), height: Self.length(using: &generator),
                area: .random(in: 1...20_000_000, using: &generator),
                upscaling: .random(in: 0...4, using: &generator),
                rotatedArea: .random(in: 4...20_000_000, using: &generator))
            let version: IIIFVersion = Bool.random(using: &generator) ? .v2 : .v3
            let path = Self.path(version, using: &generator)
            let request = try Self.request(path, version)
            let note: Comment = "\(path) \(version) \(picture) \(limits)"
            let rendering: PictureRendering
            do {
                rendering = try request.rendering(of: picture, limits: limits)
            } catch {
                #expect([400, 501].contains(error.status), note)
                // What fits itself is an error only where the region is.
                let parts = path.split(separator: "/")
                let fits = parts[1] == "max" || parts[1].hasPrefix("!")
                #expect(!fits || parts[0].contains(","), note)
                continue
            }
            rendered += 1
            #expect(rendering.region.lies(within: picture), note)
            let size = rendering.size
            #expect(!size.isEmpty, note)
            #expect(size.width <= limits.maximumWidth && size.height <= limits.maximumHeight, note)
            #expect(size.pixelCount <= limits.maximumArea, note)
            #expect(0..<360 ~= rendering.rotation, note)
            if version == .v3, !path.contains("^") {
                #expect(size.width <= rendering.region.width && size.height <= rendering.region.height, note)
            }
            let canonical = try request.canonical(of: picture, limits: limits)
            let again = try Self.request(canonical, version)
            #expect(try again.rendering(of: picture, limits: limits) == rendering, note)
            #expect(try again.canonical(of: picture, limits: limits) == canonical, note)
        }
        #expect(rendered > 5000)
    }

    /// Short and long ones in equal numbers.
    private static func length(using generator: inout SeededGenerator) -> Int {
        Int.random(in: 1...(1 << Int.random(in: 0...14, using: &generator)), using: &generator)
    }

    private static func path(_ version: IIIFVersion, using generator: inout SeededGenerator) -> String {
        func number() -> Int { length(using: &generator) }
        func percent() -> String {
            "\(Int.random(in: 0...120, using: &generator)).\(Int.random(in: 0...999, using: &generator))"
        }
        let region = [
            "full", "square", "\(number() - 1),\(number() - 1),\(number()),\(number())",
            "pct:\(percent()),\(percent()),\(percent())1,\(percent())1",
        ].randomElement(using: &generator)!
        var size = [
            version == .v2 ? "full" : "max", "max", "\(number()),", ",\(number())", "\(number()),\(number())",
            "!\(number()),\(number())", "pct:\(percent())",
        ].randomElement(using: &generator)!
        if version == .v3, Bool.random(using: &generator) { size = "^" + size }
        var rotation = ["0", "90", "180", "270", "360", "22.5", "\(Int.random(in: 0...360, using: &generator))"]
            .randomElement(using: &generator)!
        if Bool.random(using: &generator) { rotation = "!" + rotation }
        let quality = ["default", "color", "gray", "bitonal"].randomElement(using: &generator)!
        return "\(region)/\(size)/\(rotation)/\(quality).\(["jpg", "png", "gif"].randomElement(using: &generator)!)"
    }
}
