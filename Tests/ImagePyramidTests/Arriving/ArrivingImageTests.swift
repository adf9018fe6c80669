import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing
import TestSupport

@Suite("An arriving image", .timeLimit(.minutes(15)))
struct ArrivingImageTests {
    /// How a file is made.
    enum Kind: String, CaseIterable {
        case baseline, progressive, gray, turned, png, gif, bmp, webP, tiff, jpng

        func encode(_ picture: Bitmap) throws -> [UInt8] {
            var options = EncodingOptions(quality: 0.9)
            let format: ImageFormat
            var picture = picture
            switch self {
            case .baseline: format = .jpeg
            case .progressive: (format, options.jpeg.isProgressive) = (.jpeg, true)
            case .gray: (format, picture) = (.jpeg, try picture.converted(to: .gray8, alpha: AlphaMode.none))
            case .turned: (format, options.metadata.orientation) = (.jpeg, .rightMirrored)
            case .png: format = .png
            case .gif: format = .gif
            case .bmp: format = .bmp
            case .webP: format = .webP
            case .tiff: format = .tiff
            case .jpng: format = .jpng
            }
            if self != .jpng { picture = try picture.converted(to: picture.format, alpha: AlphaMode.none) }
            return try ImageDestination(format: format, options: options).encode(picture)
        }

        var isAvailable: Bool {
            switch self {
            case .webP: CodecRegistry.default.codec(for: .webP)?.canEncode == true
            case .tiff: CodecRegistry.default.codec(for: .tiff)?.canEncode == true
            default: true
            }
        }
    }

    private static let size = PixelSize(width: 620, height: 771)

    /// A file of a kind, and its picture's levels, upright, as a decoder that has all bytes makes them.
    private func picture(_ kind: Kind) throws -> (bytes: [UInt8], levels: [Bitmap]) {
        let source = try Bitmap.pattern(Self.size.width, Self.size.height, alpha: .straight)
        let bytes = try kind.encode(source)
        let decoded = try ImageSource.decode(bytes).bitmap
        let alpha: AlphaMode = decoded.alpha.hasAlpha ? .premultiplied : .none
        return (bytes, try decoded.converted(to: .rgba8, alpha: alpha).halves(count: 3))
    }

    @Test(
        "Its tiles are the complete file's, however the bytes are split", arguments: Kind.allCases.filter(\.isAvailable)
    )
    func kinds(kind: Kind) async throws {
        let (bytes, levels) = try picture(kind)
        for size in [bytes.count, 10_000, 997] {
            let picture = ArrivingImage(Chunks(bytes, size))
            try await picture.complete()
            #expect(picture.isComplete && picture.error == nil)
            let store = try await picture.store()
            #expect(try await picture.header().size == store.geometry.size)
            #expect(try store.tilesThatDiffer(from: levels) == [])
            #expect(store.alpha.hasAlpha == levels[0].alpha.hasAlpha)
        }
    }

    @Test("An orientation can be forced", arguments: [Orientation.up, .left])
    func forced(orientation: Orientation) async throws {
        let bytes = try Kind.turned.encode(try Bitmap.pattern(620, 771, alpha: AlphaMode.none))
        let stored = try ImageSource.decode(bytes, options: DecodingOptions(appliesOrientation: false)).bitmap
        let picture = ArrivingImage(Chunks(bytes, 5000), options: ArrivingImage.Options(orientation: orientation))
        try await picture.complete()
        let upright = try stored.converted(to: .rgba8, alpha: AlphaMode.none).oriented(by: orientation)
        #expect(try await picture.store().tilesThatDiffer(from: try upright.halves(count: 3)) == [])
    }

    @Test("Tiles of the top can be read before the bottom's bytes have arrived")
    func incremental() async throws {
        let (bytes, levels) = try picture(.baseline)
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let picture = ArrivingImage(stream)
        feed.yield(Array(bytes[..<(bytes.count / 2)]))
        let address = TileAddress(level: 0, column: 1, row: 0)
        let tile = try await picture.tile(address)
        let rect = PixelRect(x: 256, y: 0, width: 256, height: 256)
        #expect(try tile.bitmap().tightBytes() == levels[0].cropped(to: rect).tightBytes())
        #expect(try picture.readyTile(TileAddress(level: 0, column: 1, row: 3)) == nil)
        #expect(!picture.isComplete && picture.error == nil)
        let overview = try #require(try picture.overview(maxSide: 200))
        #expect(!overview.missing.isEmpty && overview.missing != [PixelRect(overview.image.size)])
        feed.yield(Array(bytes[(bytes.count / 2)...]))
        feed.finish()
        try await picture.complete()
        #expect(try picture.overview(maxSide: 200)?.missing == [])
    }

    @Test(
        "After the last byte, only the last row of tiles of each level remains",
        arguments: [Kind.baseline, .gray, .png, .gif, .bmp], [2248, 4296])
    func leftForTheEnd(kind: Kind, height: Int) async throws {
        let bytes = try kind.encode(try Bitmap.pattern(620, height, alpha: AlphaMode.none))
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let picture = ArrivingImage(stream)
        // All but some twenty rows.
        let end = bytes.count * 995 / 1000
        feed.yield(Array(bytes[..<end]))
        let store = try await picture.store()
        let geometry = store.geometry
        let (above, last) = store.allAddresses.partitioned { $0.row + 1 < geometry.rowCount($0.level) }
        // They come without the end; the suite's limit is for those that don't.
        for address in above { _ = try await picture.tile(address) }
        #expect(last.allSatisfy { store.state(of: $0) == .missing })
        #expect(last.count == geometry.levels.indices.reduce(0) { $0 + geometry.columnCount($1) })
        #expect(above.count > 4 * last.count)
        feed.yield(Array(bytes[end...]))
        feed.finish()
        try await picture.complete()
        #expect(store.allAddresses.allSatisfy { store.state(of: $0) == .ready(pass: 1) })
    }

    @Test("A progressive image is complete after its first scan, and is refined", arguments: [true, false])
    func passes(showsPasses: Bool) async throws {
        let (bytes, levels) = try picture(.progressive)
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let picture = ArrivingImage(stream, options: ArrivingImage.Options(showsPasses: showsPasses))
        var (counts, told): ([Int], [TileAddress: Int]) = ([], [:])
        // The end is held back until somebody has heard of a pass.
        let end = bytes.count - 2000
        for await piece in Chunks(Array(bytes[..<(showsPasses ? end : bytes.count)]), 2000) { feed.yield(piece) }
        if !showsPasses { feed.finish() }
        for await event in picture.events {
            switch event {
            case .header(let header):
                #expect(header.storedSize == Self.size && header.isProgressive)
            case .tiles(let range):
                for address in range.addresses { told[address, default: 0] += 1 }
            case .pass(let count):
                counts.append(count)
                if counts.count == 1 {
                    feed.yield(Array(bytes[end...]))
                    feed.finish()
                    let overview = try #require(try picture.overview(maxSide: 771))
                    #expect(overview.missing.isEmpty)
                    let noise = try #require(try overview.image.bitmap().noise(against: levels[0]))
                    #expect(noise > 5)
                }
            case .preview, .complete, .failed: #expect(event == .complete)
            }
        }
        #expect(try await picture.store().tilesThatDiffer(from: levels) == [])
        #expect(showsPasses ? (counts.last ?? 0) > 2 : counts.isEmpty)
        #expect(Set(told.keys) == Set(try await picture.store().allAddresses))
    }

    @Test("Truncated bytes leave the tiles up to their end", arguments: [Kind.baseline, .png, .progressive])
    func truncation(kind: Kind) async throws {
        let (bytes, levels) = try picture(kind)
        let picture = ArrivingImage(Chunks(Array(bytes[..<(bytes.count * 3 / 5)]), 4096))
        await #expect { try await picture.complete() } throws: { ($0 as? ImageError)?.code == .truncated }
        #expect(picture.error?.code == .truncated && !picture.isComplete)
        #expect(picture.error?.byteOffset != nil || kind != .baseline)
        let store = try await picture.store()
        guard kind != .progressive else {
            // All scans but the last ones.
            #expect(try picture.overview(maxSide: 10)?.missing == [])
            return
        }
        let states = (0...3).map { store.state(of: TileAddress(level: 0, column: 1, row: $0)) }
        #expect(states == [.ready(pass: 1), .partial, .missing, .missing])
        let tile = try #require(try picture.readyTile(TileAddress(level: 0, column: 1, row: 0))).bitmap()
        let rect = PixelRect(x: 256, y: 0, width: 256, height: 256)
        #expect(try tile.tightBytes() == levels[0].cropped(to: rect).tightBytes())
    }

    @Test("Data that isn't an image is an error for every waiter")
    func refusals() async throws {
        let (bytes, _) = try picture(.baseline)
        let inputs: [([UInt8], ImageError.Code)] = [
            ([], .unknownFormat), (Array("a text, and no picture".utf8), .unknownFormat),
            (Array(bytes[..<100]), .truncated),
        ]
        for (input, code) in inputs {
            let picture = ArrivingImage(Chunks(input, 7))
            await #expect { try await picture.header() } throws: { ($0 as? ImageError)?.code == code }
            await #expect { try await picture.store() } throws: { ($0 as? ImageError)?.code == code }
            await #expect { try await picture.complete() } throws: { ($0 as? ImageError)?.code == code }
            var events: [ArrivingImage.Event] = []
            for await event in picture.events { events.append(event) }
            #expect(events == [.failed(try #require(picture.error))])
            #expect(try picture.overview(maxSide: 10) == nil)
        }
        var damaged = bytes
        for index in bytes.count / 2..<bytes.count / 2 + 2000 { damaged[index] = UInt8(truncatingIfNeeded: index * 7) }
        let picture = ArrivingImage(Chunks(damaged, 1000))
        await #expect(throws: ImageError.self) { try await picture.complete() }
        #expect(try picture.readyTile(TileAddress(level: 0, column: 0, row: 0)) != nil)
        let small = DecodingLimits.standard.with { $0.maximumPixelCount = 1000 }
        let limited = ArrivingImage(
            Chunks(bytes, 1000), options: ArrivingImage.Options(decoding: DecodingOptions(limits: small)))
        await #expect { try await limited.store() } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    }

    @Test("A failing source, a cancelled and a deallocated image keep their tiles")
    func ends() async throws {
        struct Broken: Error {}
        let (bytes, _) = try picture(.baseline)
        let half = Array(bytes[..<(bytes.count / 2)])
        let failing = ArrivingImage(
            AsyncThrowingStream<[UInt8], any Error> { feed in
                feed.yield(half)
                feed.finish(throwing: Broken())
            })
        await #expect { try await failing.complete() } throws: { ($0 as? ImageError)?.code == .inputOutput }
        #expect(try failing.readyTile(TileAddress(level: 0, column: 0, row: 0)) != nil)

        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let cancelled = ArrivingImage(stream)
        feed.yield(half)
        let store = try await cancelled.store()
        _ = try await store.tile(TileAddress(level: 0, column: 0, row: 0))
        cancelled.cancel()
        await #expect { try await cancelled.complete() } throws: { ($0 as? ImageError)?.code == .cancelled }
        #expect(try cancelled.readyTile(TileAddress(level: 0, column: 0, row: 0)) != nil)

        let (other, otherFeed) = AsyncStream<[UInt8]>.makeStream()
        var letGo: ArrivingImage? = ArrivingImage(other)
        otherFeed.yield(half)
        let kept = try await letGo?.store()
        letGo = nil
        await #expect { try await kept?.tile(TileAddress(level: 0, column: 0, row: 3)) } throws: {
            ($0 as? ImageError)?.code == .cancelled
        }
    }

    @Test("Several images share a budget and finish", .timeLimit(.minutes(15)))
    func several() async throws {
        let (bytes, levels) = try picture(.baseline)
        let tiles = RawTileStore.Options(budget: DirtyMemoryBudget(byteLimit: 2 << 20))
        let pictures = (0..<6).map {
            ArrivingImage(Chunks(bytes, 3000 + $0), options: ArrivingImage.Options(tiles: tiles))
        }
        for picture in pictures {
            try await picture.complete()
            #expect(try await picture.store().tilesThatDiffer(from: levels) == [])
        }
    }

    @Test("A listener that leaves during a report delays nobody")
    func leaving() async throws {
        let bytes = try Kind.bmp.encode(try Bitmap.pattern(200, 150, alpha: .none))
        for round in 0..<400 {
            let picture = ArrivingImage(Chunks(bytes, 2000))
            await withTaskGroup(of: Void.self) { group in
                for listener in 0..<6 {
                    group.addTask {
                        var rest = (round + listener) % 5
                        for await _ in picture.events {
                            rest -= 1
                            if rest <= 0 { break }
                        }
                    }
                }
            }
            try await picture.complete()
        }
    }

    @Test("Every JPEG and PNG of the corpus arrives with its decoded pixels, or its error", .needsCorpus)
    func corpus() async throws {
        for path in Corpus.files("valid/jpeg", "valid/png", "valid/gif", "valid/webp") {
            let bytes = try Corpus.bytes(path)
            guard let whole = try? ImageSource.decode(bytes), whole.error == nil else { continue }
            let alpha: AlphaMode = whole.bitmap.alpha.hasAlpha ? .premultiplied : .none
            let picture = ArrivingImage(Chunks(bytes, 1500))
            do {
                try await picture.complete()
            } catch {
                Issue.record("\(path): \(error)")
                continue
            }
            let store = try await picture.store()
            let bitmap = try whole.bitmap.converted(to: .rgba8, alpha: alpha)
            let levels = try bitmap.halves(count: store.geometry.levels.count)
            let different = try store.tilesThatDiffer(from: levels)
            #expect(different == [], "\(path)")
        }
    }
}

extension DecodingLimits {
    fileprivate func with(_ change: (inout DecodingLimits) -> Void) -> DecodingLimits {
        var limits = self
        change(&limits)
        return limits
    }
}

extension Array {
    /// Those for which `isFirst` holds, and the others.
    fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) {
        (filter(isFirst), filter { !isFirst($0) })
    }
}
