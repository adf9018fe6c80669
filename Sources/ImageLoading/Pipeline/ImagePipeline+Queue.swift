extension ImagePipeline {
    /// How much of one kind of work is done at a time, and in what order.
    public struct Queue: Hashable, Sendable {
        /// Which of several requests of one priority is served first.
        public enum Order: Hashable, Sendable {
            /// The first.
            case firstInFirstOut
            /// The last: what was asked for most recently is what is on screen.
            case lastInFirstOut
        }

        /// How many work at a time, at least 1.
        public var width: Int
        /// Which of several requests of one priority is served first.
        public var order: Order
        /// How many places requests of less than normal priority leave free. One is theirs in any case.
        public var reservedWidth: Int

        /// A queue of this width.
        public init(width: Int, order: Order = .firstInFirstOut, reservedWidth: Int = 0) {
            self.width = max(1, width)
            self.order = order
            self.reservedWidth = max(0, reservedWidth)
        }
    }
}
