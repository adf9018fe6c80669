package import Testing

/// Which of the system's calls the package was built with.
package enum SystemForms {
    /// Whether there is only what POSIX has: on other systems than Linux, and where Scripts/test-posix asks for it.
    package static var arePOSIX: Bool {
        #if os(Linux) && !TESSERA_POSIX
        false
        #else
        true
        #endif
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is only what POSIX has, which can't give what is tested, and says so.
    package static func needsLinux(_ reason: Comment) -> Self { .enabled(if: !SystemForms.arePOSIX, reason) }
}
