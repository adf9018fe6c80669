import Raster
import TestSupport
import Testing

import ImagePyramid

@Suite("Strips of all levels") struct LevelStripsTests {
    /// A picture of `planes` of bytes side by side, each value of its own.
    struct Plane: Equatable {
        var size: PixelSize
        var bytesPerSample: Int
        var samples: [UInt8]

        init(size: PixelSize, bytesPerSample: Int, samples: [UInt8]) {
            self.size = size
            self.bytesPerSample = bytesPerSample
            self.samples = samples
        }

        init(random size: PixelSize, bytesPerSample: Int, seed: UInt64) {
            var random = SeededGenerator(seed)
            self.init(
                size: size, bytesPerSample: bytesPerSample,
                samples: (0..<size.pixelCount * bytesPerSample).map { _ in UInt8.random(in: 0...255, using: &random) })
        }

        func turned(_ orientation: Orientation) -> Plane {
            var result = self
            result.size = orientation.applied(to: size)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let to = orientation.applied(toX: x, y: y, in: size)
                    for byte in 0..<bytesPerSample {
                        result.samples[(to.y * result.size.width + to.x) * bytesPerSample + byte] =
                            samples[(y * size.width + x) * bytesPerSample + byte]
                    }
                }
            }
            return result
        }

        func crop(_ rect: PixelRect) -> Plane {
            var result: [UInt8] = []
            for y in rect.y..<rect.y + rect.height {
                let start = (y * size.width + rect.x) * bytesPerSample
                result += samples[start..<start + rect.width * bytesPerSample]
            }
            return Plane(size: rect.size, bytesPerSample: bytesPerSample, samples: result)
        }

        /// The mean of each 2 × 2 samples by floating point, edges repeated.
        func halved() -> Plane {
            let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            var result: [UInt8] = []
            for y in 0..<half.height {
                for x in 0..<half.width {
                    for byte in 0..<bytesPerSample {
                        var sum = 0.0
                        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                            let column = min(2 * x + dx, size.width - 1)
                            let row = min(2 * y + dy, size.height - 1)
                            sum += Double(samples[(row * size.width + column) * bytesPerSample + byte])
                        }
                        result.append(UInt8((sum / 4).rounded(.toNearestOrAwayFromZero)))
                    }
                }
            }
            return Plane(size: half, bytesPerSample: bytesPerSample, samples: result)
        }
    }

    final class Collected {
        var strips: [LevelStrip] = []
    }

    /// Feeds `stored` to `LevelStrips` in pieces.
    static func strips(
        _ stored: [Plane], _ geometry: PyramidGeometry, _ layout: LevelLayout, _ orientation: Orientation
    ) throws -> [LevelStrip] {
        let collected = Collected()
        let strips = try LevelStrips(geometry, layout: layout, orientation: orientation) { collected.strips.append($0) }
        let height = stored[0].size.height
        while !strips.isComplete {
            let first = strips.rowCount
            if stored.count > 1 {
                let room = try strips.room()
                let count = min(LevelStrips.planeBatch, height - first)
                for (index, plane) in layout.planes.enumerated() {
                    let source = stored[index]
                    let rows =
                        first
                        / plane.vertical..<min(
                            source.size.height, (first + count + plane.vertical - 1) / plane.vertical)
                    for (offset, row) in rows.enumerated() {
                        let samples = source.crop(
                            PixelRect(x: 0, y: row, width: source.size.width, height: 1)
                        ).samples
                        samples.withUnsafeBytes {
                            (room[index].base + offset * room[index].stride)
                                .copyMemory(from: $0.baseAddress!, byteCount: $0.count)
                        }
                    }
                }
                try strips.takeRows(count)
            } else {
                let filled = try strips.append { rows in
                    let count = min(rows.count, 7)
                    for y in 0..<count {
                        let samples = stored[0].crop(
                            PixelRect(x: 0, y: first + y, width: stored[0].size.width, height: 1)
                        ).samples
                        var bytes = rows.bytes(y)
                        for index in samples.indices {
                            bytes.storeBytes(of: samples[index], toByteOffset: index, as: UInt8.self)
                        }
                    }
                    return count
                }
                #expect(filled > 0)
            }
            #expect(strips.rowCount > first)
        }
        return collected.strips
    }

    /// The samples of a tile in plane `index`, of the stored rectangle `rect` in that plane.
    static func crop(_ strip: LevelStrip, plane index: Int, _ rect: PixelRect) -> Plane {
        let plane = strip.planes[index]
        var samples: [UInt8] = []
        for y in rect.y..<rect.y + rect.height {
            let start = plane.base + (y - plane.firstRow) * plane.stride + rect.x * plane.kind.bytesPerSample
            samples += UnsafeRawBufferPointer(start: start, count: rect.width * plane.kind.bytesPerSample)
        }
        return Plane(size: rect.size, bytesPerSample: plane.kind.bytesPerSample, samples: samples)
    }

    @Test("Tiles of all levels are means of the upright image", arguments: Orientation.allCases)
    func tilesOfAllLevelsAreMeansOfTheUprightPicture(_ orientation: Orientation) throws {
        for (width, height) in [(1, 1), (37, 53), (64, 64), (65, 63), (100, 1), (1, 77), (50, 91)] {
            for (tileSize, overlap) in [(16, 0), (16, 1), (15, 2), (1, 0), (1, 1), (5, 5), (256, 1)] {
                let upright = PixelSize(width: width, height: height)
                let geometry = try PyramidGeometry(
                    size: upright, tileSize: tileSize, overlap: overlap, depth: tileSize == 1 ? .onePixel : .oneTile)
                for layout in [LevelLayout.gray, .rgba] {
                    let stored = Plane(
                        random: orientation.inverse.applied(to: upright),
                        bytesPerSample: layout.planes[0].bytesPerSample, seed: UInt64(width * 1000 + height))
                    let strips = try Self.strips([stored], geometry, layout, orientation)
                    var levels = [stored.turned(orientation)]
                    for _ in geometry.levels.dropFirst() { levels.append(levels[levels.count - 1].halved()) }
                    #expect(levels.map(\.size) == geometry.levels)
                    var seen: Set<TileAddress> = []
                    for strip in strips {
                        #expect(strip.filledRowCount == strip.rect.height)
                        for index in 0..<strip.tileCount {
                            let tile = strip.tile(index)
                            #expect(seen.insert(tile.address).inserted)
                            let pixels = Self.crop(strip, plane: 0, tile.stored).turned(orientation)
                            #expect(pixels == levels[strip.level].crop(geometry.rect(of: tile.address)))
                        }
                    }
                    #expect(seen.count == geometry.tileCount)
                }
            }
        }
    }

    /// Chroma of 4:2:0 and its relatives is a picture of its own; tiles take what touches them.
    @Test("Each plane is halved separately", arguments: [Orientation.up, .upMirrored, .down, .right, .leftMirrored])
    func planesAreHalvedEachForItself(_ orientation: Orientation) throws {
        for (horizontal, vertical) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            for (width, height) in [(38, 54), (64, 64), (66, 130), (37, 53)] {
                if orientation != .up, width % 2 == 1 { continue }
                for (tileSize, overlap) in [(16, 0), (16, 1), (15, 0), (3, 1), (256, 0)] {
                    let upright = PixelSize(width: width, height: height)
                    let layout = LevelLayout.yCbCr(horizontal: horizontal, vertical: vertical)
                    let geometry = try PyramidGeometry(size: upright, tileSize: tileSize, overlap: overlap)
                    let storedSize = orientation.inverse.applied(to: upright)
                    let stored = layout.planes.enumerated().map { index, plane in
                        Plane(random: plane.size(in: storedSize), bytesPerSample: 1, seed: UInt64(index + 1))
                    }
                    let strips = try Self.strips(stored, geometry, layout, orientation)
                    #expect(strips.map(\.tileCount).reduce(0, +) == geometry.tileCount)
                    for plane in stored.indices {
                        var levels = [stored[plane].turned(orientation)]
                        for _ in geometry.levels.dropFirst() { levels.append(levels[levels.count - 1].halved()) }
                        for strip in strips {
                            let size = strip.planes[plane].size
                            let rect = PixelRect(
                                x: 0, y: strip.planes[plane].firstRow, width: size.width, height: size.height)
                            let level = levels[strip.level].turned(orientation.inverse)
                            #expect(Self.crop(strip, plane: plane, rect) == level.crop(rect))
                            let kind = layout.planes[plane]
                            let first = kind.vertical * rect.y
                            #expect(first <= strip.rect.y || strip.plan.mirrorsY)
                            #expect(
                                kind.vertical * (rect.y + rect.height) >= strip.rect.y + strip.rect.height
                                    || strip.plan.mirrorsY)
                        }
                    }
                }
            }
        }
    }

    @Test("Chroma that a rotation would misplace is refused") func chromaThatTurningWouldPartIsRefused() throws {
        let geometry = try PyramidGeometry(size: PixelSize(width: 37, height: 54), tileSize: 16)
        #expect(throws: ImageError.self) {
            try LevelStrips(geometry, layout: .yCbCr(horizontal: 2, vertical: 2), orientation: .upMirrored) { _ in }
        }
    }

    @Test("Strips beyond the limit are refused before memory is allocated")
    func stripsLargerThanTheLimitAreRefusedBeforeMemoryIsTaken() throws {
        let geometry = try PyramidGeometry(size: PixelSize(width: 1 << 40, height: 1 << 40), tileSize: 256)
        let error = #expect(throws: ImageError.self) {
            try LevelStrips(geometry, layout: .rgba) { _ in }
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("Rows before the end of truncated input are passed on") func whatCameIsHandedOnWhenTheRestDoesNot() throws {
        let size = PixelSize(width: 40, height: 100)
        let geometry = try PyramidGeometry(size: size, tileSize: 16)
        let collected = Collected()
        let strips = try LevelStrips(geometry, layout: .gray) { collected.strips.append($0) }
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 40, height: 41), format: .gray8))
        Self.fill(&bitmap, with: 200)
        while strips.rowCount < 41 {
            let left = 41 - strips.rowCount
            _ = try strips.append { rows in
                let count = min(rows.count, left)
                rows.copy(bitmap.rows.extracting(0..<count))
                return count
            }
        }
        let complete = collected.strips.count
        #expect(collected.strips.filter { $0.level == 0 }.map(\.line) == [0, 1])
        try strips.finishPartially(blank: [[7]])
        let partial = collected.strips.dropFirst(complete)
        #expect(partial.map(\.level) == [0, 1, 2, 3])
        #expect(partial.map(\.line) == [2, 1, 0, 0])
        #expect(partial.map(\.filledRowCount) == [9, 4, 10, 5])
        for strip in partial {
            let all = Self.crop(strip, plane: 0, strip.rect)
            let filled = strip.filledRowCount * strip.rect.width
            #expect(all.samples[..<filled].allSatisfy { $0 == 200 })
            #expect(all.samples[filled...].allSatisfy { $0 == 7 })
        }
    }

    static func fill(_ bitmap: inout MutableBitmap, with value: UInt8) {
        var rows = bitmap.mutableRows
        for y in 0..<rows.count {
            var row = rows.row(y, as: Gray8.self)
            for x in 0..<row.count { row[x] = Gray8(value) }
        }
    }
}
