/// How hard a deflate compressor looks for repetitions.
package struct DeflateEffort {
    /// How many earlier places are compared at each position; 0 finds only what the last three bytes lead to.
    var depth: Int
    /// A match this long is taken without looking further.
    var niceLength: Int
    /// Whether a match waits for a better one at the next position.
    var isLazy: Bool
    /// Whether bytes are stored as they are.
    var isStored = false

    /// What a compression level of 0 (stored) to 9 stands for.
    package init(level: Int) {
        switch level {
        case ...0: (depth, niceLength, isLazy, isStored) = (0, 0, false, true)
        case 1: (depth, niceLength, isLazy) = (0, 16, false)
        case 2: (depth, niceLength, isLazy) = (2, 16, false)
        case 3: (depth, niceLength, isLazy) = (4, 32, false)
        case 4: (depth, niceLength, isLazy) = (2, 32, true)
        case 5: (depth, niceLength, isLazy) = (4, 32, true)
        case 6: (depth, niceLength, isLazy) = (12, 64, true)
        case 7: (depth, niceLength, isLazy) = (32, 128, true)
        case 8: (depth, niceLength, isLazy) = (96, 258, true)
        default: (depth, niceLength, isLazy) = (400, 258, true)
        }
    }
}
