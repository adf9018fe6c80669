import ImageServer
import TestSupport
import Testing

@Suite("Values within a budget")
struct ByteBoundedCacheTests {
    @Test("The least recently used value is evicted first")
    func order() {
        let cache = ByteBoundedCache<String, Int>(costLimit: 30)
        for (index, key) in ["a", "b", "c"].enumerated() { cache.insert(index, for: key, cost: 10) }
        #expect(cache.value(for: "a") == 0)
        cache.insert(3, for: "d", cost: 10)
        #expect(cache.value(for: "b") == nil)
        #expect(cache.value(for: "a") == 0 && cache.value(for: "c") == 2 && cache.value(for: "d") == 3)
    }

    @Test("A value replaces another, and one beyond the limit isn't kept")
    func replacing() {
        let cache = ByteBoundedCache<String, Int>(costLimit: 30, countLimit: 2)
        cache.insert(1, for: "a", cost: 20)
        cache.insert(2, for: "a", cost: 5)
        #expect(cache.value(for: "a") == 2 && cache.totals == (5, 1))
        cache.insert(3, for: "a", cost: 31)
        #expect(cache.value(for: "a") == nil && cache.totals == (0, 0))
        for key in ["x", "y", "z"] { cache.insert(0, for: key, cost: 1) }
        #expect(cache.value(for: "x") == nil && cache.totals.count == 2)
        cache.remove("y")
        cache.remove("y")
        #expect(cache.totals == (1, 1))
    }

    @Test("It behaves like a plain list under random operations")
    func model() {
        var numbers = SeededGenerator(7)
        let cache = ByteBoundedCache<Int, Int>(costLimit: 100, countLimit: 12)
        // Newest first.
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<20, using: &numbers)
            let found = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0:
                cache.remove(key)
                if let found { model.remove(at: found) }
            case 1...4:
                let cost = Int.random(in: 0...40, using: &numbers)
                cache.insert(step, for: key, cost: cost)
                if let found { model.remove(at: found) }
                while model.map(\.cost).reduce(cost, +) > 100 || model.count >= 12 { model.removeLast() }
                model.insert((key, step, cost), at: 0)
            default:
                let value = cache.value(for: key)
                #expect(value == found.map { model[$0].value })
                if let found { model.insert(model.remove(at: found), at: 0) }
            }
        }
        #expect(cache.totals == (model.map(\.cost).reduce(0, +), model.count))
    }
}
