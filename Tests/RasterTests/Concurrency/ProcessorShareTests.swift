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

    @Test("What a held share's thread takes is a part of it")
    func parts() {
        // Thousands that counted would leave one thread.
        ProcessorShare.$processorCount.withValue(1 << 10) {
            ProcessorShare.hold {
                let parts = (0..<2000).map { _ in ProcessorShare() }
                #expect(parts[1999].threadCount > 1)
                ProcessorShare.hold { #expect(ProcessorShare().threadCount > 1) }
            }
        }
    }

    @Test("A held share counts for others, until its call returns or throws")
    func held() {
        struct Failure: Error {}
        ProcessorShare.$processorCount.withValue(30) {
            // Two threads, if the sixteenth didn't count.
            let others = (0..<15).map { _ in ProcessorShare() }
            #expect(ProcessorShare.hold { ProcessorShare().threadCount } == 1)
            withExtendedLifetime(others) {}
        }
        ProcessorShare.$processorCount.withValue(1 << 10) {
            for _ in 0..<2000 {
                #expect(throws: Failure.self) { try ProcessorShare.hold { () throws(Failure) in throw Failure() } }
                #expect(ProcessorShare.hold { 1 } == 1)
            }
            #expect(ProcessorShare().threadCount > 1)
        }
    }
}
