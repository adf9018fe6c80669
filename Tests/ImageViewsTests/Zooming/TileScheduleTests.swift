import ImagePyramid
import Raster
import TestSupport
import Testing

import ImageViews

@Suite("The tile schedule")
struct TileScheduleTests {
    private func byteCount(_ tiles: some Sequence<TileAddress>, _ geometry: PyramidGeometry) -> Int {
        Set(tiles).reduce(0) { $0 + geometry.rect(of: $1).size.pixelCount * 4 }
    }

    @Test(
        "The level has at least one pixel for each device pixel",
        arguments: [
            (4, 1, 0), (1, 1, 0), (0.99, 1, 0), (0.51, 1, 0), (0.5, 1, 1), (0.3, 1, 1), (0.25, 1, 2),
            (0.25, 2, 1), (0.13, 1, 2), (0.125, 1, 3), (0.125, 2, 2),
        ] as [(Double, Double, Int)])
    func levels(zoomTo: Double, scale: Double, level: Int) throws {
        let size = PixelSize(width: 20_000, height: 10_000)
        var zoom = ZoomModel(
            pictureSize: size, viewSize: ViewSize(width: 640, height: 480), scaleFactor: scale)
        zoom.zoom(by: zoomTo / zoom.zoom, about: .zero)
        let schedule = TileSchedule(zoom, geometry: try PyramidGeometry(size: size), tileBudget: 1 << 28)
        #expect(schedule.level == level)
    }

    @Test("Visible tiles load from the middle outwards, then those around them; the furthest are dropped")
    func order() throws {
        let size = PixelSize(width: 20_000, height: 10_000)
        let geometry = try PyramidGeometry(size: size)
        var zoom = ZoomModel(pictureSize: size, viewSize: ViewSize(width: 700, height: 450))
        zoom.oneToOne()
        zoom.pan(by: ViewPoint(x: -zoom.offset.x - 5130, y: -zoom.offset.y - 5130))
        let schedule = TileSchedule(zoom, geometry: geometry, tileBudget: 1 << 28)
        #expect(schedule.visible == TileRange(level: 0, columns: 20..<23, rows: 20..<22))
        #expect(schedule.now.first == TileAddress(level: geometry.levels.count - 1, column: 0, row: 0))
        #expect(Set(schedule.now.dropFirst()) == Set(schedule.visible.addresses))
        #expect(schedule.now.dropFirst().prefix(2).allSatisfy { $0.column == 21 })
        let ring = TileRange(level: 0, columns: 19..<24, rows: 19..<23).addresses.filter {
            !schedule.visible.contains($0)
        }
        #expect(Set(schedule.soon.prefix(14)) == Set(ring))
        #expect(schedule.soon.contains(TileAddress(level: 1, column: 10, row: 10)))
        #expect(schedule.noLonger.isEmpty)
        // With room for what is needed alone, others go; with a little more, the nearest stay.
        let held = Set(TileRange(level: 0, columns: 20..<40, rows: 20..<21).addresses)
        let tight = TileSchedule(
            zoom, geometry: geometry, tileBudget: byteCount(schedule.now, geometry), held: held)
        #expect(tight.now == schedule.now && tight.soon.isEmpty)
        #expect(tight.noLonger == held.subtracting(schedule.now))
        let all = held.union(schedule.now)
        let some = TileSchedule(
            zoom, geometry: geometry, tileBudget: byteCount(schedule.now + schedule.soon, geometry) + (3 << 18),
            held: all)
        #expect(some.soon == schedule.soon)
        #expect(
            all.subtracting(some.noLonger).subtracting(some.now + some.soon).map(\.column).sorted() == [24, 25, 26])
    }

    @Test("Coarser tiles stay until sharper ones are loaded")
    func standIns() throws {
        let size = PixelSize(width: 20_000, height: 10_000)
        let geometry = try PyramidGeometry(size: size)
        var zoom = ZoomModel(pictureSize: size, viewSize: ViewSize(width: 768, height: 512))
        zoom.oneToOne()
        let needed = TileSchedule(zoom, geometry: geometry, tileBudget: 1 << 28).now
        let standIns = Set(TileSchedule(zoom, geometry: geometry, tileBudget: 1 << 28).soon.filter { $0.level == 1 })
        let budget = byteCount(needed, geometry) + byteCount(standIns, geometry)
        let waiting = TileSchedule(zoom, geometry: geometry, tileBudget: budget, held: standIns)
        #expect(waiting.noLonger.isEmpty && waiting.soon.isEmpty && !standIns.isEmpty)
        let there = TileSchedule(zoom, geometry: geometry, tileBudget: budget, held: standIns.union(needed))
        #expect(!there.soon.isEmpty)
    }

    @Test("If the visible tiles exceed the budget, coarser ones are used")
    func coarser() throws {
        let size = PixelSize(width: 20_000, height: 10_000)
        let geometry = try PyramidGeometry(size: size)
        var zoom = ZoomModel(pictureSize: size, viewSize: ViewSize(width: 4000, height: 3000))
        zoom.oneToOne()
        let schedule = TileSchedule(zoom, geometry: geometry, tileBudget: 20 << 20)
        #expect(schedule.level == 1)
        let one = try PyramidGeometry(size: size, depth: .one)
        let middle = TileSchedule(zoom, geometry: one, tileBudget: 20 << 20)
        #expect(middle.level == 0 && middle.now.count == 80)
        #expect(TileSchedule(zoom, geometry: geometry, tileBudget: 0).now.isEmpty)
        #expect(TileSchedule(zoom, geometry: geometry, tileBudget: -1).soon.isEmpty)
    }

    @Test("In random views, tiles cover the visible part within the budget", arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let size = PixelSize(width: Int(number(1...50_000)), height: Int(number(1...50_000)))
        let overlap = Int.random(in: 0...2, using: &random)
        let geometry = try PyramidGeometry(
            size: size, tileSize: [128, 254, 256, 512].randomElement(using: &random)!, overlap: overlap)
        var zoom = ZoomModel(
            pictureSize: size, viewSize: ViewSize(width: number(1...2500), height: number(1...1500)),
            scaleFactor: [1, 1.5, 2].randomElement(using: &random)!)
        var held: Set<TileAddress> = []
        for _ in 0..<60 {
            zoom.zoom(
                by: number(0.2...5), about: ViewPoint(x: number(0...zoom.viewSize.width), y: number(0...500)),
                bounds: .rubberBand)
            zoom.pan(by: ViewPoint(x: number(-3000...3000), y: number(-3000...3000)), bounds: .rubberBand)
            zoom.rotate(by: Int.random(in: 0...1, using: &random))
            let budget = Int(number(1e6...2e8))
            let schedule = TileSchedule(zoom, geometry: geometry, tileBudget: budget, held: held)
            let wanted = Set(schedule.now + schedule.soon)
            #expect(wanted.count == schedule.now.count + schedule.soon.count)
            let kept = held.subtracting(schedule.noLonger).union(wanted)
            #expect(byteCount(kept, geometry) <= budget)
            #expect(schedule.noLonger.isDisjoint(with: wanted) && schedule.noLonger.isSubset(of: held))
            // Tiles cover the visible part, and each has something of it.
            let (step, rect) = (Double(geometry.tileSize << schedule.level), zoom.visibleRect)
            let pixel = 1.000001 / (zoom.zoom * zoom.scaleFactor)
            if rect.width > 0, rect.height > 0 {
                let (columns, rows) = (schedule.visible.columns, schedule.visible.rows)
                #expect(Double(columns.lowerBound) * step <= rect.x)
                #expect(Double(rows.lowerBound) * step <= rect.y)
                #expect(min(Double(columns.upperBound) * step, Double(size.width)) >= rect.x + rect.width - 1e-6)
                #expect(min(Double(rows.upperBound) * step, Double(size.height)) >= rect.y + rect.height - 1e-6)
                #expect(Double(columns.lowerBound + 1) * step > rect.x - pixel)
                #expect(Double(columns.upperBound - 1) * step < rect.x + rect.width + pixel)
                if schedule.level + 1 < geometry.levels.count {
                    #expect(Set(schedule.visible.addresses).isSubset(of: schedule.now))
                }
            }
            // Some come, and all that should go does.
            held = held.subtracting(schedule.noLonger)
            for tile in schedule.now + schedule.soon where Bool.random(using: &random) { held.insert(tile) }
        }
    }
}
