/// How hard a deflate compressor looks for repetitions.
struct DeflateEffort: Equatable {
    /// How many earlier places are compared at each position; 0 codes literals and runs only.
    var depth: Int
    /// A match this long is taken without looking further.
    var niceLength: Int
    /// Whether a match waits for a better one at the next position.
    var isLazy: Bool
    var hashLength: Int
}
