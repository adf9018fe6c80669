import ImageIsolation
import Synchronization
import Tessera

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What is used, and how often it was.
final class LibraryUse: Sendable {
    private struct Counts {
        var done: [String: Int] = [:]
        var failureCount = 0
    }

    /// The files, and those of them that move.
    let paths: [String]
    let animations: [String]
    let scratch: String
    let urls: [URL]
    let pipeline: ImagePipeline
    let cache: ImageCache
    let isolation: CodecRegistry?
    private let counts = Mutex(Counts())

    /// Whether something failed that shouldn't.
    var hasFailed: Bool { counts.withLock { $0.failureCount > 0 } }

    init(pictures: String, scratch: String, addresses: [String]) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: pictures).sorted()
        paths = names.map { "\(pictures)/\($0)" }
        animations = paths.filter { $0.contains("animation") }
        guard !animations.isEmpty else { throw ImageError(.invalidParameter, "no file is called animation") }
        self.scratch = scratch
        urls = paths.map { URL(fileURLWithPath: $0) } + addresses.compactMap { URL(string: $0) }
        // Small, so that they are full soon, and what comes pushes out what is there.
        cache = ImageCache(costLimit: 24 << 20)
        var configuration = ImagePipeline.Configuration()
        configuration.imageCache = cache
        configuration.dataCache = DataCache(directory: "\(scratch)/cache", byteLimit: 8 << 20)
        configuration.dataCacheOptions.storedItems = [.originalImageData, .finalImage]
        configuration.isProgressiveDecodingEnabled = true
        pipeline = ImagePipeline(configuration: configuration)
        isolation = try? IsolatedDecoding().registry
    }

    /// Does one thing after the other. What one of `number`s writes is its own.
    func run(until end: ContinuousClock.Instant, number: Int) async {
        var random = SystemRandomNumberGenerator()
        while ContinuousClock.now < end {
            for (name, use) in Self.uses.shuffled(using: &random) where ContinuousClock.now < end {
                do {
                    try await use(self, number)
                    counts.withLock { $0.done[name, default: 0] += 1 }
                } catch {
                    counts.withLock { $0.failureCount += 1 }
                    say("\(name) failed: \(error)")
                }
            }
        }
    }

    /// Says how often what was done.
    func report() {
        let done = counts.withLock { $0.done }
        let text = done.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        say("\(done.values.reduce(0, +)) operations: \(text)")
    }

    /// Lets what is under way end.
    func end() async {
        await pipeline.flush()
        pipeline.invalidate()
        cache.removeAll()
    }

    private func say(_ text: String) {
        print(text)
        // A pipe's reader would wait until the buffer is full.
        fflush(nil)
    }
}
