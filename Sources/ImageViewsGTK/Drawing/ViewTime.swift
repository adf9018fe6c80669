#if GTK
/// The time by which everything moves: the display's, or one that a test sets.
@MainActor
package enum ViewTime {
    /// What time it is for all widgets and players; nil for the clock's.
    package static var fixed: Duration?

    private static let origin = ContinuousClock.now

    /// What time it is for players.
    static var now: Duration { fixed ?? ContinuousClock.now - origin }
}
#endif
