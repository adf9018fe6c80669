internal import ImageFormats

/// What tiles can be asked for as.
enum TileFormat {
    /// The format of tiles with this extension.
    /// - Throws: 400 for one that tiles can't be had in.
    static func format(_ filenameExtension: some StringProtocol) throws(RequestFailure) -> ImageFormat {
        let name = filenameExtension == "jpeg" ? "jpg" : String(filenameExtension)
        guard let format = IIIFFormat.format(named: name) else { throw .malformed("tiles can't be had in this format") }
        return format
    }

    /// A name of whole numbers with an extension: `3_4.jpg`; nil for anything else.
    static func numbers(
        _ name: String, separator: Character, count: Int
    ) throws(RequestFailure) -> (numbers: [Int], format: ImageFormat)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let parts = name[..<dot].split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { RequestNumber.integer($0) }
        guard parts.count == count, numbers.count == count else { return nil }
        return (numbers, try format(name[name.utf8.index(after: dot)...]))
    }
}
