/// A scan of a JPEG whose coefficients become tokens: the components and the coefficients that it has.
struct JPEGTokenScan: Sendable {
    /// By their places in the frame: all of them, or one.
    let components: Range<Int>
    /// Places of coefficients in zigzag order, of which 0 is DC.
    let places: ClosedRange<Int>

    var hasDC: Bool { places.lowerBound == 0 }
    var hasAC: Bool { places.upperBound > 0 }

    /// The scans of a file, in order.
    ///
    /// The progressive ones have whole values: coefficients that were weighed are so small that bits in separate scans, as in
    /// libjpeg's ten, make a file no smaller.
    static func script(componentCount: Int, isProgressive: Bool) -> [JPEGTokenScan] {
        guard isProgressive else { return [JPEGTokenScan(components: 0..<componentCount, places: 0...63)] }
        return [
            JPEGTokenScan(components: 0..<componentCount, places: 0...0),
            JPEGTokenScan(components: 0..<1, places: 1...2),
        ] + (1..<componentCount).map { JPEGTokenScan(components: $0..<$0 + 1, places: 1...63) }
            + [JPEGTokenScan(components: 0..<1, places: 3...63)]
    }
}
