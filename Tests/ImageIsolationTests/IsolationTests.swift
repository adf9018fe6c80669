import Foundation
import Testing

/// One after the other, as some count what the process has open.
@Suite(
    "Isolation", .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil, "a sanitizer's workers do what they may not"))
enum IsolationTests {}
