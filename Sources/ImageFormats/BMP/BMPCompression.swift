/// How a BMP's pixels are stored.
enum BMPCompression: Hashable {
    /// Row after row.
    case none
    /// Row after row, their channels given by masks.
    case bitFields
    /// Runs of indices of four bits.
    case runLength4
    /// Runs of indices of eight bits.
    case runLength8
    /// Runs of colours, OS/2's.
    case runLength24
    /// CCITT group 3, one-dimensional (ITU-T T.4), OS/2's.
    case huffman
    /// A JPEG file.
    case jpeg
    /// A PNG file.
    case png

    /// The compression with this number in a header; nil for one that there isn't, or not with these bits per pixel.
    ///
    /// OS/2 gives 3 and 4 another meaning than Windows. Some of its files have a header of Windows' length; one bit per
    /// pixel has no channels, so 3 can only be OS/2's there.
    init?(_ number: Int, bitsPerPixel: Int, isOS2: Bool) {
        switch (number, bitsPerPixel) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): self = .none
        case (1, 8): self = .runLength8
        case (2, 4): self = .runLength4
        case (3, 1): self = .huffman
        case (4, 24) where isOS2: self = .runLength24
        case (3, 16), (3, 32), (6, 16), (6, 32): self = .bitFields
        case (4, _) where !isOS2: self = .jpeg
        case (5, _) where !isOS2: self = .png
        default: return nil
        }
    }
}
