import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

import ImageViews

@MainActor @Suite("Playing animations")
struct AnimationPlayerTests {
    private func animation() throws -> ImageAnimation { try ImageAnimation(TestPicture.animation(.gif)) }

    private func pool(_ byteBudget: Int = 1 << 20) -> AnimationFramePool {
        AnimationFramePool(byteBudget: byteBudget, memoryPressure: nil)
    }

    private func color(_ player: AnimationPlayer) throws -> RGBA8? { try player.image?.bitmap().pixel(2, 2) }

    /// Frames of as many shades, a tenth of a second each.
    private func shades(_ count: Int, width: Int = 32, height: Int = 32) throws -> ImageAnimation {
        let buffer = ByteBuffer()
        let destination = try ImageDestination(format: .gif, options: EncodingOptions(loopCount: 0))
        try destination.encode(count: count, to: buffer) { (index) throws(ImageError) in
            (try Self.shade(index, width, height), 0.1)
        }
        return try ImageAnimation(Data(buffer.bytes))
    }

    nonisolated private static func shade(_ index: Int, _ width: Int, _ height: Int) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width { row[x] = RGBA8(UInt8(index * 8), UInt8(index * 8), UInt8(255 - index * 8)) }
        }
        return bitmap.freeze()
    }

    @Test("Each frame is shown at its time in three loops, and the last one stays")
    func plays() async throws {
        let pool = pool()
        let player = AnimationPlayer(try animation(), pool: pool)
        #expect(player.image == nil && player.nextDeadline == nil)
        await pool.settle()
        #expect(player.imageIndex == 0 && !player.isPlaying)
        var time = Duration.seconds(1000)
        player.play(at: time)
        for place in 0..<12 {
            await pool.settle()
            #expect(player.frameIndex == place % 4 && player.imageIndex == place % 4)
            #expect(try color(player) == TestPicture.frameColor(place % 4))
            let next = try #require(player.nextDeadline)
            #expect(next - time == .milliseconds(100 * (place % 4 + 1)))
            #expect(player.finishedLoopCount == place / 4)
            time = next
            player.tick(at: time)
        }
        #expect(!player.isPlaying && player.nextDeadline == nil && player.frameIndex == 3)
        #expect(player.finishedLoopCount == 3)
        player.play(at: time)
        #expect(player.isPlaying && player.frameIndex == 0 && player.imageIndex == 0)
    }

    @Test("A late player drops frames, and shows the newest decoded one")
    func late() async throws {
        let pool = pool()
        let player = AnimationPlayer(try shades(30), pool: pool)
        await pool.settle()
        player.play(at: .zero)
        #expect(player.tick(at: .milliseconds(1250)) == 12)
        // None of those is decoded, so the first stays.
        #expect(player.imageIndex == 0 && player.nextDeadline == .milliseconds(1300))
        await pool.settle()
        #expect(player.imageIndex == 12)
        // Frames decoded ahead of time stand in, the newest that is due.
        #expect(player.tick(at: .milliseconds(2950)) == 29)
        #expect(player.imageIndex == 20)
        await pool.settle()
        #expect(player.imageIndex == 29)
        #expect(player.tick(at: .seconds(300) + .milliseconds(50)) == 0 && player.finishedLoopCount == 100)
    }

    @Test("Pausing, seeking, rate, direction and loops work")
    func controls() async throws {
        let pool = pool()
        let player = AnimationPlayer(try animation(), pool: pool)
        player.loopCount = 0
        player.play(at: .zero)
        player.pause(at: .milliseconds(150))
        #expect(player.frameIndex == 1 && player.tick(at: .seconds(90)) == 1 && player.nextDeadline == nil)
        player.play(at: .seconds(100))
        #expect(player.nextDeadline == .seconds(100) + .milliseconds(150))
        player.rate = 3
        #expect(player.nextDeadline == .seconds(100) + .milliseconds(50))
        player.seek(toFrame: 3, at: .seconds(101))
        #expect(player.frameIndex == 3)
        await pool.settle()
        #expect(player.imageIndex == 3)
        player.rate = 1
        player.direction = .reverse
        player.seek(to: .milliseconds(650), at: .seconds(102))
        #expect(player.tick(at: .seconds(102) + .milliseconds(49)) == 3)
        #expect(player.tick(at: .seconds(102) + .milliseconds(50)) == 2)
        player.direction = .bounce
        #expect(player.tick(at: .seconds(102) + .milliseconds(350)) == 1)
        #expect(player.tick(at: .seconds(102) + .milliseconds(650)) == 1)
        for rate in [0, -1, Double.nan, .infinity] {
            player.rate = rate
            #expect(player.nextDeadline == nil && player.tick(at: player.time + .seconds(5)) == 1)
        }
        // Time that goes back is no time.
        player.rate = 1
        #expect(player.tick(at: .zero) == 1)
        player.seek(toFrame: -7, at: .zero)
        #expect(player.frameIndex == 0)
        player.loopCount = 1
        player.tick(at: player.time + .seconds(50))
        #expect(!player.isPlaying)
    }

    @Test("An arriving animation plays, waits for more, and continues")
    func arriving() async throws {
        let data = try TestPicture.animation(.gif)
        let request = ImageRequest(url: URL(string: "https://example.com/animation")!)
        let decoder = ImageDecoders.Default(context: ImageDecodingContext(request: request, data: Data()))
        var end = 0
        var animation: ImageAnimation?
        while animation?.durations.count ?? 0 < 2 {
            end += 1
            animation = decoder.decodePartiallyDownloadedData(data.prefix(end))?.animation ?? animation
        }
        let pool = pool()
        let player = AnimationPlayer(try #require(animation), pool: pool)
        player.play(at: .zero)
        #expect(player.tick(at: .seconds(9)) == 1)
        await pool.settle()
        #expect(player.imageIndex == 1 && player.isPlaying)
        #expect(player.nextDeadline == .seconds(9) + .milliseconds(50))
        #expect(try decoder.decode(data).animation === animation)
        #expect(player.tick(at: .seconds(10)) == 2)
        #expect(player.nextDeadline.map { $0 > .seconds(10) } == true)
        await pool.settle()
        #expect(player.imageIndex == 2)
    }

    @Test("An undecodable frame is skipped and reported")
    func broken() async throws {
        struct Failing: ImageProcessing {
            let identifier = "failing"
            func process(_ image: Image) throws -> Image {
                if try image.bitmap().pixel(2, 2) == TestPicture.frameColor(1) { throw ImageError(.corrupt, "torn") }
                return image
            }
        }
        let pool = pool()
        let player = AnimationPlayer(try animation().processed(by: Failing()), pool: pool)
        player.play(at: .zero)
        await pool.settle()
        #expect((player.error as? ImageError)?.code == .corrupt)
        player.tick(at: .milliseconds(150))
        await pool.settle()
        #expect(player.frameIndex == 1 && player.imageIndex == 0)
        player.tick(at: .milliseconds(350))
        await pool.settle()
        #expect(player.imageIndex == 2)
    }

    @Test("The byte budget holds with fifty animations, and all of them play")
    func budget() async throws {
        let (count, frame) = (50, 32 * 32 * 4)
        let budget = (2 * count + 20) * frame * 4 / 3 + 3
        let pool = pool(budget)
        var players: [AnimationPlayer] = []
        for _ in 0..<count { players.append(AnimationPlayer(try shades(12), pool: pool)) }
        var shown = [Set<Int>](repeating: [], count: count)
        for (index, player) in players.enumerated() { player.play(at: .milliseconds(index)) }
        for step in 0..<120 {
            for player in players { player.tick(at: .milliseconds(100 + step * 33)) }
            #expect(pool.byteCount <= budget)
            if step % 3 == 0 { await pool.settle() } else { await Task.yield() }
            for (index, player) in players.enumerated() { if let now = player.imageIndex { shown[index].insert(now) } }
        }
        #expect(pool.highestByteCount <= budget && pool.highestByteCount > budget / 2)
        #expect(shown.allSatisfy { $0.count > 6 })
        await pool.settle()
        let held = players.reduce(0) { $0 + pool.heldFrames(of: $1.animation).count }
        #expect(held * frame == pool.byteCount)
        players.removeAll()
        #expect(pool.byteCount == 0)
    }

    @Test("Without memory for all, the first play, and others follow when those are gone")
    func tooMany() async throws {
        let frame = 32 * 32 * 4
        let pool = pool(10 * frame * 4 / 3 + 3)
        var players: [AnimationPlayer] = []
        for _ in 0..<8 { players.append(AnimationPlayer(try shades(12), pool: pool)) }
        for step in 0..<20 {
            for player in players { player.play(at: .milliseconds(step * 100)) }
            await pool.settle()
            #expect(pool.byteCount <= 10 * frame)
            let due = players.prefix(5).map(\.frameIndex)
            #expect(players.prefix(5).map(\.imageIndex) == due)
        }
        #expect(players[5...].allSatisfy { $0.image == nil })
        players.removeFirst(4)
        await pool.settle()
        #expect(players.allSatisfy { $0.image != nil })
        // One alone always plays.
        let large = AnimationPlayer(try shades(4, width: 200, height: 200), pool: self.pool(1))
        large.play(at: .zero)
        for step in 0..<4 {
            large.tick(at: .milliseconds(100 * step))
            while large.imageIndex != step { await Task.yield() }
        }
    }

    @Test("The frame needed last is dropped first, and the displayed one stays")
    func nextNeededFirst() async throws {
        let frame = 32 * 32 * 4
        let pool = pool(4 * frame * 4 / 3 + 3)
        let player = AnimationPlayer(try shades(12), pool: pool)
        player.play(at: .zero)
        await pool.settle()
        #expect(pool.heldFrames(of: player.animation) == [0, 1, 2, 3])
        player.tick(at: .milliseconds(200))
        await pool.settle()
        #expect(pool.heldFrames(of: player.animation) == [2, 3, 4, 5])
        player.tick(at: .milliseconds(250))
        player.direction = .reverse
        player.tick(at: .milliseconds(251))
        await pool.settle()
        #expect(pool.heldFrames(of: player.animation) == [2, 1, 0, 11])
        pool.removeUnshownFrames()
        #expect(pool.heldFrames(of: player.animation) == [2])
        pool.byteBudget = 0
        #expect(player.imageIndex == 2 && pool.heldFrames(of: player.animation) == [2])
    }

    @Test("Players of one animation share its frames")
    func shared() async throws {
        let (pool, animation) = (pool(), try animation())
        let players = (0..<3).map { _ in AnimationPlayer(animation, pool: pool) }
        for player in players { player.play(at: .zero) }
        await pool.settle()
        #expect(players.allSatisfy { $0.imageIndex == 0 })
        #expect(pool.byteCount == 4 * (try #require(players[0].image)).byteCount)
    }
}
