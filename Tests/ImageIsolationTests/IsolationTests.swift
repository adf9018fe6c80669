import TestSupport
import Testing

/// One after the other, as some count what the process has open.
@Suite(
    "Isolation", .serialized, .needsLinux("nothing else keeps a worker from what it may not do (seccomp)"),
    .needsNoSanitizer("a sanitizer's workers do what they may not"))
enum IsolationTests {}
