import Raster
import Testing

@Suite("Orientation")
struct OrientationTests {
    static let pairs = Orientation.allCases.flatMap { a in Orientation.allCases.map { (a, $0) } }
    static let size = PixelSize(width: 5, height: 3)

    /// Where EXIF says that stored row 0 and column 0 are in the upright picture (TIFF 6.0, tag 274).
    @Test(
        "Row 0 and column 0 lie where the specification puts them",
        arguments: [
            (Orientation.up, "top", "left"), (.upMirrored, "top", "right"), (.down, "bottom", "right"),
            (.downMirrored, "bottom", "left"), (.leftMirrored, "left", "top"), (.right, "right", "top"),
            (.rightMirrored, "right", "bottom"), (.left, "left", "bottom"),
        ])
    func specification(orientation: Orientation, row: String, column: String) {
        let upright = orientation.applied(to: Self.size)
        func isOn(_ side: String, _ point: (x: Int, y: Int)) -> Bool {
            switch side {
            case "top": point.y == 0
            case "bottom": point.y == upright.height - 1
            case "left": point.x == 0
            default: point.x == upright.width - 1
            }
        }
        for x in 0..<Self.size.width { #expect(isOn(row, orientation.applied(toX: x, y: 0, in: Self.size))) }
        for y in 0..<Self.size.height { #expect(isOn(column, orientation.applied(toX: 0, y: y, in: Self.size))) }
    }

    @Test("Two orientations combine to one, and the inverse undoes one", arguments: pairs)
    func composition(first: Orientation, second: Orientation) {
        let both = first.followed(by: second)
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let once = first.applied(toX: x, y: y, in: Self.size)
                let twice = second.applied(toX: once.x, y: once.y, in: first.applied(to: Self.size))
                let direct = both.applied(toX: x, y: y, in: Self.size)
                #expect(twice == direct)
                let back = first.inverse.applied(toX: once.x, y: once.y, in: first.applied(to: Self.size))
                #expect(back == (x, y))
            }
        }
        #expect(both.isMirrored == (first.isMirrored != second.isMirrored))
        #expect(first.followed(by: first.inverse) == .up)
    }

    @Test("A rectangle goes where its pixels go", arguments: Orientation.allCases)
    func rectangles(orientation: Orientation) {
        let rect = PixelRect(x: 1, y: 0, width: 3, height: 2)
        let upright = orientation.applied(to: rect, in: Self.size)
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let isInside = (1..<4).contains(x) && (0..<2).contains(y)
                let point = orientation.applied(toX: x, y: y, in: Self.size)
                let lands =
                    (upright.x..<(upright.x + upright.width)).contains(point.x)
                    && (upright.y..<(upright.y + upright.height)).contains(point.y)
                #expect(isInside == lands)
            }
        }
    }

    @Test(
        "Every pixel of a rotated bitmap is right, in every format", arguments: Orientation.allCases,
        PixelFormat.allCases)
    func bitmaps(orientation: Orientation, format: PixelFormat) throws {
        // The last is large enough for several threads.
        for (width, height) in [(1, 1), (1, 9), (9, 1), (5, 3), (16, 16), (67, 35), (70, 131), (701, 907)] {
            let source = try noisePicture(width, height, format)
            let turned = try source.oriented(by: orientation)
            #expect(turned.size == orientation.applied(to: source.size))
            #expect(turned.format == format)
            let (before, after) = (Samples(source), Samples(turned))
            var wrong = 0
            for y in 0..<height {
                for x in 0..<width {
                    let point = orientation.applied(toX: x, y: y, in: source.size)
                    for channel in 0..<before.channelCount
                    where before[x, y, channel] != after[point.x, point.y, channel] {
                        wrong += 1
                    }
                }
            }
            #expect(wrong == 0, "\(width)x\(height)")
        }
    }

    @Test("Rows are mirrored in place", arguments: PixelFormat.allCases, [1, 2, 3, 64, 65])
    func mirror(format: PixelFormat, width: Int) throws {
        let source = try noisePicture(width, 3, format)
        var copy = try source.mutableCopy()
        var rows = copy.mutableRows
        rows.mirror()
        #expect(copy.freeze().tightBytes() == (try source.oriented(by: .upMirrored).tightBytes()))
    }
}
