/// Tells one job from another.
struct JobID: Hashable, Sendable {
    let rawValue: UInt64
}
