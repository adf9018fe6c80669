import Foundation
package import Testing

/// The sanitizer that the tests were built with, which takes memory, descriptors and system calls of its own.
package enum Sanitizer {
    /// Whether there is one. `Scripts/test-sanitized` sets ASAN_OPTIONS for each of them.
    package static let isOn = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil
    /// Whether it is the thread sanitizer, which maps a shadow of all memory.
    package static let isForThreads = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil
}

extension Trait where Self == ConditionTrait {
    /// Skips under every sanitizer, and says why.
    package static func needsNoSanitizer(_ reason: Comment) -> Self { .enabled(if: !Sanitizer.isOn, reason) }
}
