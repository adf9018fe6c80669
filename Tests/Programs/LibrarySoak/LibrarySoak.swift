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

/// Uses the library as programs do, everything in turn, for a time: `LibrarySoak PICTURES SCRATCH SECONDS [ADDRESS…]`.
///
/// PICTURES is a folder, of which those are loaded from the ADDRESSes too. SCRATCH gets caches and pyramids. A line each
/// ten seconds says how often what was done; who started it watches what memory, descriptors and threads it takes. Exit
/// status: 0, or 1 where a whole picture couldn't be used.
@main
enum LibrarySoak {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let seconds = Double(arguments[3]) else {
            print("LibrarySoak PICTURES SCRATCH SECONDS [ADDRESS…]")
            exit(64)
        }
        do {
            let isWhole = try await use(
                arguments[1], arguments[2], for: .seconds(seconds), addresses: Array(arguments.dropFirst(4)))
            // What was cancelled ends soon; what is held then is lost, for who looks for that.
            try await Task.sleep(for: .milliseconds(500))
            exit(isWhole ? 0 : 1)
        } catch {
            print("LibrarySoak: \(error)")
            exit(1)
        }
    }

    /// Uses it, and lets go of all.
    /// - Returns: Whether all that should have succeeded did.
    private static func use(
        _ pictures: String, _ scratch: String, for time: Duration, addresses: [String]
    ) async throws -> Bool {
        let use = try LibraryUse(pictures: pictures, scratch: scratch, addresses: addresses)
        let end = ContinuousClock.now + time
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask { await use.run(until: end, number: number) }
            }
            group.addTask {
                while ContinuousClock.now < end {
                    try? await Task.sleep(for: min(.seconds(10), end - .now))
                    use.report()
                }
            }
        }
        await use.end()
        return !use.hasFailed
    }
}
