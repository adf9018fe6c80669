extension ImageRequest {
    /// How soon a picture is needed. Work that several tasks share runs at the highest of theirs.
    public enum Priority: Int, Comparable, CaseIterable, Sendable {
        /// When there is nothing else to do.
        case veryLow
        /// Before it is visible: what prefetching uses.
        case low
        /// What is asked for.
        case normal
        /// What somebody waits for.
        case high
        /// What must not wait.
        case veryHigh

        /// Whether `a` can wait longer than `b`.
        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }
}
