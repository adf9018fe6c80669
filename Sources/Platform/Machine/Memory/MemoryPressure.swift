/// How short memory is.
public enum MemoryPressure: Int, Comparable, Sendable {
    /// Programs have begun to wait for memory: what can easily be made again should go.
    case warning
    /// The system is about to end programs: everything that can be made again should go.
    case critical

    /// Whether `a` is the less urgent one.
    public static func < (a: MemoryPressure, b: MemoryPressure) -> Bool { a.rawValue < b.rawValue }
}
