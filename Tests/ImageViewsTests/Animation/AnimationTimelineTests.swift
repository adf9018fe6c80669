import Testing

import ImageViews

@Suite("An animation's time")
struct AnimationTimelineTests {
    /// Frames of 0.1, 0.2, 0.3 and 0.4 seconds.
    private func timeline(
        _ direction: AnimationPlayer.Direction, loopCount: Int = 0, count: Int = 4, isFinished: Bool = true
    ) -> AnimationTimeline {
        var timeline = AnimationTimeline()
        timeline.loopCount = loopCount
        timeline.turn(direction)
        timeline.update(durations: (0..<count).map { Double($0 + 1) / 10 }, isFinished: isFinished)
        return timeline
    }

    @Test(
        "Frames follow in order, each for its duration",
        arguments: [
            (.forward, 0, [0, 1, 2, 3, 0, 1, 2]), (.reverse, 0, [3, 2, 1, 0, 3, 2, 1]),
            (.bounce, 0, [0, 1, 2, 3, 2, 1, 0, 1, 2]), (.forward, 1, [0, 1, 2, 3]),
            (.reverse, 2, [3, 2, 1, 0, 3, 2, 1, 0]),
            (.bounce, 2, [0, 1, 2, 3, 2, 1, 0]),
        ] as [(AnimationPlayer.Direction, Int, [Int])])
    func order(direction: AnimationPlayer.Direction, loopCount: Int, frames: [Int]) {
        var timeline = timeline(direction, loopCount: loopCount)
        for (place, frame) in frames.enumerated() {
            #expect(timeline.frameIndex == frame)
            #expect(timeline.untilChange == Int64(frame + 1) * 100_000_000)
            timeline.advance(by: Int64(frame + 1) * 100_000_000 - 1)
            #expect(timeline.frameIndex == frame)
            if place > 0 { #expect(timeline.frame(before: frame) == frames[place - 1]) }
            timeline.advance(by: 1)
        }
        #expect(timeline.hasEnded == (loopCount > 0))
        if loopCount > 0 {
            #expect(timeline.frameIndex == frames.last && timeline.untilChange == nil)
            #expect(timeline.finishedLoopCount == loopCount)
            timeline.advance(by: 1 << 60)
            #expect(timeline.frameIndex == frames.last && timeline.finishedLoopCount == loopCount)
        }
    }

    @Test("One long step equals many short ones", arguments: [AnimationPlayer.Direction.forward, .reverse, .bounce])
    func steps(direction: AnimationPlayer.Direction) {
        for loopCount in [0, 1, 2, 5, 1000] {
            var many = timeline(direction, loopCount: loopCount)
            for step in 1...2000 {
                many.advance(by: 37_000_000)
                guard step % 50 == 0 else { continue }
                var one = timeline(direction, loopCount: loopCount)
                one.advance(by: 37_000_000 * Int64(step))
                #expect(one.frameIndex == many.frameIndex && one.hasEnded == many.hasEnded)
                #expect(one.untilChange == many.untilChange)
            }
        }
    }

    @Test("Being late by a day or a century takes no time")
    func late() {
        for direction in [AnimationPlayer.Direction.forward, .reverse, .bounce] {
            var endless = timeline(direction)
            endless.advance(by: 1 << 61)
            #expect(endless.finishedLoopCount > 1_000_000 && !endless.hasEnded)
            var long = timeline(direction, loopCount: 1_000_000)
            long.advance(by: 1 << 61)
            #expect(long.hasEnded && long.finishedLoopCount == 1_000_000)
        }
    }

    @Test("The upcoming frames are listed once each")
    func upcoming() {
        var timeline = timeline(.bounce)
        timeline.advance(by: 150_000_000)
        #expect(timeline.upcoming(9).map(\.frame) == [2, 3, 0])
        #expect(timeline.upcoming(9).map(\.wait) == [150_000_000, 450_000_000, 1_350_000_000])
        #expect(timeline.upcoming(2).map(\.frame) == [2, 3])
        #expect(self.timeline(.forward, loopCount: 1).upcoming(9).map(\.frame) == [1, 2, 3])
        #expect(self.timeline(.forward, count: 1).upcoming(9).isEmpty)
        #expect(self.timeline(.forward, count: 0).upcoming(9).isEmpty)
    }

    @Test("While frames arrive, it waits at the last one and continues from there")
    func arriving() {
        var timeline = timeline(.forward, count: 2, isFinished: false)
        timeline.advance(by: 5_000_000_000)
        #expect(timeline.frameIndex == 1 && timeline.isStalled && timeline.untilChange == nil)
        timeline.update(durations: [0.1, 0.2, 0.3, 0.4], isFinished: false)
        #expect(timeline.frameIndex == 2 && !timeline.isStalled)
        timeline.advance(by: 300_000_000)
        #expect(timeline.frameIndex == 3)
        timeline.advance(by: 900_000_000)
        #expect(timeline.frameIndex == 3 && timeline.isStalled)
        timeline.update(durations: [0.1, 0.2, 0.3, 0.4], isFinished: true)
        timeline.advance(by: 50_000_000)
        #expect(timeline.frameIndex == 0 && timeline.finishedLoopCount == 1)
    }

    @Test("Seeking works, and invalid durations are handled")
    func seeking() {
        var timeline = timeline(.forward, loopCount: 1)
        timeline.seek(toFrame: 2)
        #expect(timeline.frameIndex == 2 && timeline.untilChange == 300_000_000)
        timeline.seek(to: 299_999_999)
        #expect(timeline.frameIndex == 1)
        timeline.seek(toFrame: 99)
        #expect(timeline.frameIndex == 3)
        timeline.seek(toFrame: -99)
        #expect(timeline.frameIndex == 0)
        timeline.advance(by: 1 << 40)
        #expect(timeline.hasEnded)
        timeline.seek(to: -1)
        #expect(!timeline.hasEnded && timeline.frameIndex == 0)
        var odd = AnimationTimeline()
        odd.update(durations: [.nan, -1, 0, .infinity, 1e300], isFinished: true)
        odd.advance(by: 1 << 62)
        #expect(odd.frameCount == 5)
        var reverse = self.timeline(.reverse)
        reverse.seek(toFrame: 1)
        #expect(reverse.frameIndex == 1 && reverse.untilChange == 200_000_000)
    }
}
