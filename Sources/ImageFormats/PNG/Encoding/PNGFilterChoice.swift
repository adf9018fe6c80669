/// Which of PNG's filters an encoder chooses from for each row; the raw value is how many of the first.
enum PNGFilterChoice: UInt32 {
    /// No filter: for indices and packed bits.
    case none = 1
    /// None, left and above: those that a decoder undoes many bytes at a time.
    case fast = 3
    /// All five.
    case all = 5
}
