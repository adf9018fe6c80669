import Raster
import Testing

/// Other tests may hold shares too, so each expectation holds for any number of them.
@Suite("Processor shares")
struct ProcessorShareTests {
    @Test("A share is at least one thread and at most sixteen")
    func bounds() {
        let count = { (processors: Int) in
            ProcessorShare.$processorCount.withValue(processors) { ProcessorShare().threadCount }
        }
        #expect(count(1) == 1)
        #expect(count(0) == 1)
        #expect(count(1_000_000) == ProcessorShare.maximumThreadCount)
        #expect(ProcessorShare().threadCount <= ImageExecutor.processorCount)
    }

    @Test("Shares held at once divide the processors")
    func division() {
        ProcessorShare.$processorCount.withValue(16) {
            let shares = (0..<16).map { _ in ProcessorShare() }
            #expect(shares[15].threadCount == 1)
            withExtendedLifetime(shares) {}
        }
    }

    @Test("A share is released when its call returns or throws")
    func release() {
        struct Failure: Error {}
        // More than a few hundred shares held would leave one thread.
        ProcessorShare.$processorCount.withValue(1 << 10) {
            for _ in 0..<2000 {
                _ = try? ProcessorShare.perform { (_) throws(Failure) in throw Failure() }
                _ = ProcessorShare.perform { $0 }
            }
            #expect(ProcessorShare().threadCount > 1)
        }
    }
}
