import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing
import TestSupport

@Suite("A raw tile store")
struct RawTileStoreTests {
    private static let sizes = [(1, 1), (255, 257), (256, 256), (257, 513), (1000, 3), (2, 700), (723, 518)]
        .map { PixelSize(width: $0, height: $1) }

    @Test(
        "Every tile of every level has the image's pixels, in all orientations", arguments: sizes, Orientation.allCases)
    func orientations(size: PixelSize, orientation: Orientation) throws {
        let stored = try Bitmap.pattern(size.width, size.height, alpha: .none)
        let store = try RawTileStore.filled(with: stored, orientation: orientation)
        let upright = try stored.oriented(by: orientation)
        #expect(store.geometry.size == upright.size)
        #expect(store.isComplete && store.error == nil)
        let levels = try upright.halves(count: store.geometry.levels.count)
        #expect(try store.tilesThatDiffer(from: levels) == [])
    }

    @Test("Alpha is premultiplied, and grey becomes RGB")
    func kinds() throws {
        let straight = try Bitmap.pattern(300, 270, alpha: .straight)
        let premultiplied = try straight.converted(to: .rgba8, alpha: .premultiplied)
        let store = try RawTileStore(size: straight.size, hasAlpha: true)
        let writer = try RawTileWriter(store, rows: straight.info)
        try writer.write(straight, rows: 0..<270)
        try writer.finish()
        #expect(try store.tilesThatDiffer(from: try premultiplied.halves(count: 2)) == [])
        #expect(try store.readyTile(TileAddress(level: 0, column: 0, row: 0))?.info.alpha == .premultiplied)

        let gray = try Bitmap.pattern(300, 270, .gray8)
        let grays = try RawTileStore.filled(with: gray, orientation: .left)
        let colors = try gray.converted(to: .rgba8, alpha: AlphaMode.none).oriented(by: .left)
        #expect(try grays.tilesThatDiffer(from: try colors.halves(count: 2)) == [])
    }

    @Test("BGRA is stored on request, and images are RGBA nevertheless")
    func order() throws {
        let picture = try Bitmap.pattern(40, 30, alpha: .none)
        let store = try RawTileStore.filled(with: picture, options: RawTileStore.Options(place: .memory, order: .bgra))
        let address = TileAddress(level: 0, column: 0, row: 0)
        #expect(try store.tilesThatDiffer(from: [picture]) == [])
        let first = store.withTile(address) { $0.row(3, as: RGBA8.self)[7] }
        let pixel = picture.rows.row(3, as: RGBA8.self)[7]
        #expect(first == RGBA8(pixel.blue, pixel.green, pixel.red, pixel.alpha))
        #expect(try store.overview(maxSide: 40).image.bitmap().tightBytes() == picture.tightBytes())
    }

    @Test("A tile is lent in place, with rows of 1024 bytes on its own page")
    func lending() throws {
        let picture = try Bitmap.pattern(600, 300, alpha: .none)
        let store = try RawTileStore.filled(with: picture)
        #expect(store.byteCount == 9 * 262_144)
        for address in store.allAddresses {
            let rect = store.geometry.rect(of: address)
            store.withTile(address) { rows in
                #expect(rows.width == rect.width && rows.count == rect.height && rows.bytesPerRow == 1024)
                let start = rows.bytes(0).withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                #expect(start.isMultiple(of: 4096))
            }
        }
    }

    @Test("Levels end at a view's size on request")
    func depth() throws {
        let size = PixelSize(width: 2000, height: 1200)
        func levels(_ view: PixelSize) throws -> [String] {
            try RawTileStore(size: size, options: RawTileStore.Options(depth: .view(view))).geometry.levels
                .map(\.description)
        }
        #expect(try levels(PixelSize(width: 320, height: 240)) == ["2000x1200", "1000x600", "500x300"])
        #expect(try levels(PixelSize(width: 1000, height: 601)) == ["2000x1200"])
        #expect(try levels(PixelSize(width: 1, height: 1)).count == 4)
    }

    @Test("Tiles become ready from the top, are reported once, and resume their waiters")
    func readiness() async throws {
        let picture = try Bitmap.pattern(600, 1100, alpha: .none)
        let store = try RawTileStore(size: picture.size)
        let last = TileAddress(level: 3, column: 0, row: 0)
        let first = TileAddress(level: 0, column: 2, row: 1)
        let waiting = Task { try await store.tile(last) }
        let writer = try RawTileWriter(store, rows: picture.info)
        #expect(store.state(of: first) == .missing)
        #expect(store.withTile(first) { _ in } == nil)
        try writer.write(picture, rows: 0..<513)
        let tile = try await store.tile(first)
        #expect(try tile.bitmap().tightBytes() == picture.cropped(to: store.geometry.rect(of: first)).tightBytes())
        #expect(store.state(of: first) == .ready(pass: 1))
        #expect(store.state(of: TileAddress(level: 0, column: 0, row: 2)) == .missing)
        #expect(!store.isComplete && store.error == nil)
        let events = store.events
        try writer.write(picture, rows: 513..<1100)
        try writer.finish()
        #expect(try await waiting.value.size == store.geometry.levels[3])
        var told: [TileAddress: Int] = [:]
        var rest: [RawTileStore.Event] = []
        for await event in events {
            if case .tiles(let range) = event {
                for address in range.addresses { told[address, default: 0] += 1 }
            } else {
                rest.append(event)
            }
        }
        #expect(rest == [.complete])
        #expect(Set(told.keys) == Set(store.allAddresses) && told.values.allSatisfy { $0 == 1 })
        var late: [RawTileStore.Event] = []
        for await event in store.events { late.append(event) }
        #expect(late.count == 5 && late.last == .complete)
    }

    @Test("A later pass replaces the one before, tile by tile")
    func passes() throws {
        let (first, second) = (
            try Bitmap.pattern(300, 600, alpha: .none), try Bitmap.pattern(300, 600, alpha: .none, seed: 99)
        )
        let store = try RawTileStore(size: first.size)
        let writer = try RawTileWriter(store, rows: first.info)
        try writer.write(first, rows: 0..<600)
        try writer.endPass()
        #expect(try store.tilesThatDiffer(from: try first.halves(count: 3)) == [])
        try writer.write(second, rows: 0..<500)
        writer.finish(because: ImageError(.truncated, "no more"))
        let levels = try second.halves(count: 3)
        // What the second pass didn't reach shows the first.
        let old = try store.tilesThatDiffer(from: levels)
        #expect(Set(old.filter { $0.level == 0 }.map(\.row)) == [1, 2])
        #expect(store.state(of: TileAddress(level: 0, column: 0, row: 0)) == .ready(pass: 2))
        #expect(store.state(of: TileAddress(level: 0, column: 0, row: 2)) == .ready(pass: 1))
        #expect(store.error?.code == .truncated)
    }

    @Test("A truncated image leaves its tiles, and the rest blank or missing", arguments: Orientation.allCases)
    func truncation(orientation: Orientation) async throws {
        let stored = try Bitmap.pattern(530, 700, alpha: .none)
        let store = try RawTileStore(size: orientation.applied(to: stored.size), orientation: orientation)
        let writer = try RawTileWriter(store, rows: stored.info)
        let never = Task { try await store.tile(store.allAddresses.first { store.rowsAsStored($0).lowerBound > 400 }!) }
        try writer.write(stored, rows: 0..<300)
        writer.finish(because: ImageError(.truncated, "no more"))
        for address in store.allAddresses where address.level == 0 {
            let rows = store.rowsAsStored(address)
            let expected: RawTileStore.TileState =
                rows.upperBound <= 300 ? .ready(pass: 1) : rows.lowerBound < 300 ? .partial : .missing
            #expect(store.state(of: address) == expected)
            guard expected == .partial, let tile = try store.readyTile(address)?.storedBitmap() else { continue }
            let known = 300 - rows.lowerBound
            let below = tile.rows.row(known, as: RGBA8.self)
            #expect(below[0] == RGBA8(0, 0, 0))
            let left = store.storedRect(address).x
            #expect(tile.rows.row(known - 1, as: RGBA8.self)[5] == stored.rows.row(299, as: RGBA8.self)[left + 5])
        }
        await #expect(throws: ImageError(.truncated, "no more")) { try await never.value }
        var last: RawTileStore.Event?
        for await event in store.events { last = event }
        #expect(last == .failed(ImageError(.truncated, "no more")))
    }

    @Test("Waiting ends with an error when the task is cancelled or the writer is deallocated")
    func waiting() async throws {
        let store = try RawTileStore(size: PixelSize(width: 300, height: 300))
        let address = TileAddress(level: 1, column: 0, row: 0)
        let cancelled = Task { try await store.tile(address) }
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { ($0 as? ImageError)?.code == .cancelled }
        let left = Task { try await store.tile(address) }
        var writer: RawTileWriter? = try RawTileWriter(
            store, rows: BitmapInfo(size: store.geometry.size, format: .rgba8))
        #expect(store.error == nil)
        writer = nil
        _ = writer
        await #expect { try await left.value } throws: { ($0 as? ImageError)?.code == .cancelled }
        await #expect { try await store.tile(TileAddress(level: 0, column: 9, row: 0)) } throws: {
            ($0 as? ImageError)?.code == .invalidParameter
        }
    }

    @Test("Rows that don't fit are refused")
    func refusals() throws {
        let size = PixelSize(width: 20, height: 10)
        let store = try RawTileStore(size: size, orientation: .right)
        let bad: [BitmapInfo] = [
            BitmapInfo(size: size, format: .rgba8),
            BitmapInfo(size: size.transposed, format: .rgba16),
            BitmapInfo(size: size.transposed, format: .rgba8, alpha: .straight),
            BitmapInfo(size: size.transposed, format: .rgba8, profile: .calibrated(gamma: 1, nil)),
        ]
        for info in bad {
            #expect { try RawTileWriter(store, rows: info) } throws: { ($0 as? ImageError)?.code == .invalidParameter }
        }
        let writer = try RawTileWriter(store, rows: BitmapInfo(size: size.transposed, format: .rgba8))
        #expect { try writer.finish() } throws: { ($0 as? ImageError)?.code == .invalidParameter }
        let rows = try Bitmap.pattern(10, 21, alpha: .none)
        #expect { try writer.write(rows.rows) } throws: { ($0 as? ImageError)?.code == .invalidParameter }
        #expect { try RawTileStore(size: PixelSize(width: 0, height: 4)) } throws: {
            ($0 as? ImageError)?.code == .invalidParameter
        }
        #expect { try RawTileStore(size: PixelSize(width: .max, height: .max)) } throws: {
            ($0 as? ImageError)?.code == .limitExceeded
        }
    }

    @Test("A row of tiles beyond the memory limit is refused before it is allocated")
    func limits() throws {
        let size = PixelSize(width: 100_000, height: 10)
        let store = try RawTileStore(size: size)
        #expect { try RawTileWriter(store, rows: BitmapInfo(size: size, format: .rgba8), byteLimit: 1 << 20) } throws: {
            ($0 as? ImageError)?.code == .limitExceeded
        }
    }

    @Test("Concurrent readers see complete tiles of one pass")
    func concurrency() async throws {
        let size = PixelSize(width: 1000, height: 800)
        let passes = try (0..<4).map { try Bitmap.uniform(size, value: UInt8(40 + 50 * $0)) }
        let store = try RawTileStore(size: size)
        let readers = (0..<3).map { seed in
            Task {
                var (seen, generator) = (0, SeededGenerator(UInt64(seed)))
                while store.error == nil && !store.isComplete {
                    let address = store.allAddresses.randomElement(using: &generator)!
                    let values = store.withTile(address) { rows in
                        Set((0..<rows.count).map { rows.row($0, as: RGBA8.self)[rows.width - 1].green })
                    }
                    if let values {
                        #expect(values.count == 1)
                        seen += 1
                    }
                    await Task.yield()
                }
                return seen
            }
        }
        let writer = try RawTileWriter(store, rows: passes[0].info)
        for (index, pass) in passes.enumerated() {
            try writer.write(pass, rows: 0..<800)
            if index == passes.count - 1 { try writer.finish() } else { try writer.endPass() }
            await Task.yield()
        }
        for reader in readers { _ = await reader.value }
        #expect(try store.tilesThatDiffer(from: try passes[3].halves(count: store.geometry.levels.count)) == [])
    }

    /// A task that is cancelled ends its stream under the lock that an event takes to wake it.
    @Test("A listener that stops during a report is released", .timeLimit(.minutes(15)))
    func listenersThatGo() async throws {
        let picture = try Bitmap.uniform(PixelSize(width: 256, height: 1024), value: 7)
        let store = try RawTileStore(size: picture.size)
        let listening = Task.detached {
            while !Task.isCancelled {
                let listener = Task { for await _ in store.events {} }
                await Task.yield()
                listener.cancel()
                await listener.value
            }
        }
        let writer = try RawTileWriter(store, rows: picture.info)
        for _ in 0..<300 {
            try writer.write(picture, rows: 0..<1024)
            try writer.endPass()
        }
        try writer.write(picture, rows: 0..<1024)
        try writer.finish()
        listening.cancel()
        await listening.value
        #expect(store.isComplete)
    }
}

extension RawTileStore {
    /// The rows of the stored picture that a tile of level 0 shows.
    fileprivate func rowsAsStored(_ address: TileAddress) -> Range<Int> {
        let rect = storedRect(address)
        return rect.y << address.level..<(rect.y + rect.height) << address.level
    }
}

extension Bitmap {
    /// An opaque grey of one value.
    fileprivate static func uniform(_ size: PixelSize, value: UInt8) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width { row[x] = RGBA8(value, value, value) }
        }
        return bitmap.freeze()
    }
}
