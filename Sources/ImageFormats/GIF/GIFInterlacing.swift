/// The order of an interlaced picture's rows (GIF89a, appendix E).
enum GIFInterlacing {
    /// The rows that come together.
    struct Pass {
        /// The first of them.
        let first: Int
        /// Rows from one to the next.
        let step: Int
        /// Rows that one stands for until the passes behind it fill them.
        let blockHeight: Int

        /// How many rows it has in a picture of `height` rows.
        func rowCount(height: Int) -> Int { (max(0, height - first) + step - 1) / step }
    }

    static let passes = [
        Pass(first: 0, step: 8, blockHeight: 8),
        Pass(first: 4, step: 8, blockHeight: 4),
        Pass(first: 2, step: 4, blockHeight: 2),
        Pass(first: 1, step: 2, blockHeight: 1),
    ]
}
