#if HTTP
import ImageLoading
import Raster
import Testing

@Suite("S3: waiting")
struct S3WaitingTests {
    @Test("More threads than Dispatch has for a class of work wait for requests", .timeLimit(.minutes(1)))
    func manyThreads() async {
        let executor = ImageExecutor(width: 300)
        let doneCount = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<executor.width {
                group.addTask(executorPreference: executor) {
                    let done = try? S3Blocking.value {
                        await Task.yield()
                        return 1
                    }
                    return done ?? 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(doneCount == executor.width)
    }
}
#endif
