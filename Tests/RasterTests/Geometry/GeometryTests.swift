import Raster
import Testing

@Suite("Geometry")
struct GeometryTests {
    @Test(
        "Fitting keeps proportions, never enlarges, never loses a side",
        arguments: [
            (
                PixelSize(width: 6000, height: 4000), PixelSize(width: 400, height: 400),
                PixelSize(width: 400, height: 267)
            ),
            (PixelSize(width: 100, height: 50), PixelSize(width: 200, height: 200), PixelSize(width: 100, height: 50)),
            (PixelSize(width: 100, height: 50), PixelSize(width: 200, height: 25), PixelSize(width: 50, height: 25)),
            (PixelSize(width: 10000, height: 1), PixelSize(width: 10, height: 10), PixelSize(width: 10, height: 1)),
            (PixelSize(width: 0, height: 5), PixelSize(width: 1, height: 1), PixelSize(width: 0, height: 5)),
            (PixelSize(width: 9, height: 9), PixelSize(width: 0, height: 4), PixelSize(width: 9, height: 9)),
        ])
    func fitting(size: PixelSize, bounds: PixelSize, result: PixelSize) {
        #expect(size.fitted(within: bounds) == result)
    }

    @Test("A size is read from its text, and from nothing else")
    func text() {
        for size in [PixelSize(width: 400, height: 300), PixelSize(width: 0, height: -2)] {
            #expect(PixelSize(size.description) == size)
        }
        #expect(PixelSize("4X3") == PixelSize(width: 4, height: 3))
        for text in ["", "x", "4x", "x3", "4x3x2", "4 x 3", "4.0x3", "axb", "99999999999999999999x1"] {
            #expect(PixelSize(text) == nil, "\(text)")
        }
    }

    @Test("Pixel counts neither overflow nor are negative")
    func counting() {
        #expect(PixelSize(width: 3, height: 4).pixelCount == 12)
        #expect(PixelSize(width: .max, height: 2).pixelCount == .max)
        #expect(PixelSize(width: -3, height: -4).pixelCount == 0)
    }

    @Test("Any rectangle can be tested for fitting")
    func rectangles() {
        let size = PixelSize(width: 10, height: 10)
        #expect(PixelRect(size).lies(within: size))
        #expect(PixelRect(x: 9, y: 9, width: 1, height: 1).lies(within: size))
        for rect in [
            PixelRect(x: 9, y: 9, width: 2, height: 1), PixelRect(x: -1, y: 0, width: 1, height: 1),
            PixelRect(x: 0, y: 0, width: 0, height: 1), PixelRect(x: .max, y: 0, width: .max, height: 1),
            PixelRect(x: .min, y: 0, width: 1, height: 1), PixelRect(x: 0, y: .max, width: 1, height: .max),
        ] {
            #expect(!rect.lies(within: size))
        }
    }

    @Test("A plan is checked against its image")
    func plans() throws {
        let size = PixelSize(width: 10, height: 20)
        try DecodingPlan(region: PixelRect(size), targetSize: PixelSize(width: 1, height: 1)).validate(for: size)
        for plan in [
            DecodingPlan(region: PixelRect(x: 5, y: 0, width: 6, height: 1)),
            DecodingPlan(targetSize: PixelSize(width: 0, height: 1)),
            DecodingPlan(fitting: PixelSize(width: 4, height: 0)),
            DecodingPlan(fitting: PixelSize(width: -4, height: 4)),
        ] {
            let error = #expect(throws: ImageError.self) { try plan.validate(for: size) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test("A plan in stored coordinates has the same part", arguments: Orientation.allCases)
    func storedPlans(orientation: Orientation) {
        let stored = PixelSize(width: 10, height: 6)
        let part = PixelRect(x: 1, y: 2, width: 4, height: 3)
        let upright = orientation.applied(to: part, in: stored)
        let plan = DecodingPlan(region: upright, targetSize: orientation.applied(to: PixelSize(width: 2, height: 1)))
        let result = plan.stored(orientation, storedSize: stored)
        #expect(result.region == part)
        #expect(result.targetSize == PixelSize(width: 2, height: 1))
    }

    @Test("A box becomes the largest size of the image's proportions in it", arguments: Orientation.allCases)
    func boxes(orientation: Orientation) {
        let stored = PixelSize(width: 300, height: 200)
        let size = orientation.applied(to: stored)
        let box = PixelSize(width: 60, height: 100)
        let plan = DecodingPlan(fitting: box)
        let target = orientation.swapsSides ? PixelSize(width: 60, height: 90) : PixelSize(width: 60, height: 40)
        #expect(plan.targetSize(of: size) == target)
        #expect(plan.leastSize(of: size) == DecodingPlan(targetSize: target).leastSize(of: size))
        #expect(plan.stored(orientation, storedSize: stored).targetSize == orientation.inverse.applied(to: target))
        #expect(plan.stored(orientation, storedSize: stored).box == nil)
        // Of a part, its own proportions count; a target size has the last word; pixels are never enlarged.
        let part = PixelRect(x: 0, y: 0, width: 200, height: 50)
        #expect(DecodingPlan(region: part, fitting: box).targetSize(of: size) == PixelSize(width: 60, height: 15))
        var both = DecodingPlan(targetSize: PixelSize(width: 7, height: 7))
        both.box = box
        #expect(both.targetSize(of: size) == PixelSize(width: 7, height: 7))
        #expect(DecodingPlan(fitting: PixelSize(width: 4000, height: Int.max)).targetSize(of: size) == size)
    }

    @Test("The least size is the target's times the reducing gap, and never more than the part's")
    func reducingGap() {
        let size = PixelSize(width: 300, height: 200)
        for (gap, least) in [
            (2, PixelSize(width: 90, height: 62)), (1.4, PixelSize(width: 63, height: 44)),
            (1, PixelSize(width: 45, height: 31)), (6.5, PixelSize(width: 293, height: 200)), (1e3, size),
        ] {
            var plan = DecodingPlan(targetSize: PixelSize(width: 45, height: 31))
            plan.reducingGap = gap
            #expect(plan.leastSize(of: size) == least)
            #expect(plan.stored(.right, storedSize: size).reducingGap == gap)
        }
        let huge = PixelSize(width: Int.max, height: Int.max)
        #expect(DecodingPlan(targetSize: huge).leastSize(of: size) == size)
    }

    @Test("Drawings fill a box of any size")
    func enlarging() {
        let size = PixelSize(width: 30, height: 20)
        for (box, fitted) in [
            (PixelSize(width: 90, height: 90), PixelSize(width: 90, height: 60)),
            (PixelSize(width: 3, height: 90), PixelSize(width: 3, height: 2)),
            (PixelSize(width: Int.max, height: 40), PixelSize(width: 60, height: 40)),
        ] {
            #expect(size.fitted(within: box, enlarges: true) == fitted)
        }
        let largest = size.fitted(within: PixelSize(width: Int.max, height: Int.max), enlarges: true)
        #expect(largest.width == Int.max && largest.height > Int.max / 2)
    }
}
