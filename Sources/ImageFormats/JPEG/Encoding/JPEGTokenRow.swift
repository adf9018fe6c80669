internal import CTesseraKernels

/// The tokens of a row of blocks or MCUs in one scan.
struct JPEGTokenRow: Sendable {
    fileprivate(set) var tokens: [UInt32]
    /// Each component's last DC value.
    let lastValues: (Int16, Int16, Int16)

    /// Copies the tokens of `row` from where they were made.
    init(_ row: tessera_jpeg_token_row, _ tokens: UnsafePointer<UInt32>) {
        self.tokens = Array(UnsafeBufferPointer(start: tokens, count: row.count))
        lastValues = row.last_values
    }
}

extension [JPEGTokenRow] {
    /// Makes one run of blocks without coefficients of each that ends a row and the one that begins the next.
    mutating func joinRuns() {
        for index in indices.dropFirst() {
            guard let first = self[index].tokens.first, let last = self[index - 1].tokens.last, Self.isRun(first),
                Self.isRun(last)
            else { continue }
            let sum = (first & 0xFFFF) + (last & 0xFFFF)
            guard sum <= TESSERA_JPEG_LONGEST_RUN else { continue }
            // The later token counts for both, since the row may end with it.
            self[index].tokens[0] = first & ~0xFFFF | sum
            self[index - 1].tokens.removeLast()
        }
    }

    private static func isRun(_ token: UInt32) -> Bool { token >> 29 == TESSERA_JPEG_RUN }
}
