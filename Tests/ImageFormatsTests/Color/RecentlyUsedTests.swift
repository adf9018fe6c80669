import ImageFormats
import Testing

@Suite("Recently used values")
struct RecentlyUsedTests {
    @Test("The least recently used value is evicted")
    func theOneNotUsedForLongestGoes() {
        var values = RecentlyUsed<String, Int>(limit: 2)
        values.insert(1, for: "a")
        values.insert(2, for: "b")
        #expect(values.find("a") == 1)
        values.insert(3, for: "c")
        #expect(values.find("b") == nil)
        #expect(values.find("a") == 1)
        #expect(values.find("c") == 3)
    }

    @Test("A key has one value")
    func aKeyHasOneValue() {
        var values = RecentlyUsed<String, Int>(limit: 2)
        values.insert(1, for: "a")
        values.insert(2, for: "b")
        values.insert(3, for: "b")
        #expect(values.find("b") == 3)
        #expect(values.find("a") == 1)
    }
}
