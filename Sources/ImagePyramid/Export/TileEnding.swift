internal import ImageFormats

/// Whether a tile's file was written to its end, told by its last bytes.
enum TileEnding {
    /// - Parameters:
    ///   - tail: The last twelve bytes.
    ///   - length: How long the file is.
    static func isWhole(_ tail: [UInt8], length: Int, _ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg: tail.suffix(2) == [0xFF, 0xD9]
        case .png: tail.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        // The others say their length at their beginning; they are made again.
        default: false
        }
    }
}
