import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing

@Suite("The budget for memory that isn't written to disk yet")
struct DirtyMemoryBudgetTests {
    private static let slot = RawTileStore.slotByteCount

    @Test("The largest store waits, so that a small one continues")
    func fairness() throws {
        let budget = DirtyMemoryBudget(byteLimit: 16 * Self.slot)
        let options = RawTileStore.Options(budget: budget)
        let large = try Bitmap.pattern(2048, 1024, alpha: .none)
        let first = try RawTileStore.filled(with: large, options: options)
        #expect(first.dirtyByteCount <= budget.byteLimit && first.dirtyByteCount > budget.byteLimit / 2)
        let second = try RawTileStore.filled(with: try Bitmap.pattern(400, 400, alpha: .none), options: options)
        #expect(second.dirtyByteCount == 5 * Self.slot)
        #expect(first.dirtyByteCount + second.dirtyByteCount == budget.byteCount)
        #expect(budget.byteCount <= budget.byteLimit)
        // What is on the disk is as it was.
        let levels = try large.halves(count: first.geometry.levels.count)
        #expect(try first.tilesThatDiffer(from: levels) == [])
    }

    @Test("Several stores that fill it concurrently finish within the budget")
    func together() async throws {
        let budget = DirtyMemoryBudget(byteLimit: 8 * Self.slot)
        let picture = try Bitmap.pattern(1100, 900, alpha: .none)
        let levels = try picture.halves(count: 4)
        let isDone = Flag()
        try await withThrowingTaskGroup { group in
            group.addTask {
                while !isDone.value {
                    #expect(budget.byteCount <= budget.byteLimit + Self.slot)
                    await Task.yield()
                }
            }
            try await withThrowingTaskGroup { stores in
                for _ in 0..<4 {
                    stores.addTask {
                        let store = try RawTileStore.filled(
                            with: picture, options: RawTileStore.Options(budget: budget))
                        #expect(try store.tilesThatDiffer(from: levels) == [])
                    }
                }
                try await stores.waitForAll()
            }
            isDone.set()
            try await group.waitForAll()
        }
        // Stores that are gone take their share along.
        #expect(budget.byteCount == 0)
    }

    @Test("Passes over the same tiles count once, and a row larger than the budget passes")
    func passes() throws {
        let budget = DirtyMemoryBudget(byteLimit: 1 << 40)
        let picture = try Bitmap.pattern(600, 300, alpha: .none)
        let store = try RawTileStore(size: picture.size, options: RawTileStore.Options(budget: budget))
        let writer = try RawTileWriter(store, rows: picture.info)
        for _ in 0..<3 {
            try writer.write(picture, rows: 0..<300)
            try writer.endPass()
        }
        #expect(budget.byteCount == store.byteCount)
        let tight = try RawTileStore.filled(
            with: picture, options: RawTileStore.Options(budget: DirtyMemoryBudget(byteLimit: 1)))
        #expect(tight.isComplete)
        let inMemory = try RawTileStore.filled(
            with: picture, options: RawTileStore.Options(place: .memory, budget: DirtyMemoryBudget(byteLimit: 1)))
        #expect(inMemory.dirtyByteCount == 0)
    }
}
