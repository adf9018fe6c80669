/// How scarce memory is.
public enum MemoryPressure: Int, Comparable, Sendable {
    /// Programs have begun to wait for memory: caches should shrink.
    case warning
    /// The system is about to kill programs: everything that can be recreated should go.
    case critical

    /// Whether `a` is less urgent than `b`.
    public static func < (a: MemoryPressure, b: MemoryPressure) -> Bool { a.rawValue < b.rawValue }
}
