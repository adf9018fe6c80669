extension JPNGFooter {
    /// The footer at the end of a file, of which only the last bytes need be at hand.
    ///
    /// `tail` holds the file's last bytes, sixteen or more (or the whole file); `totalLength` is the length of the file in bytes.
    /// Nothing is allocated, and sizes are added in 64 bits.
    ///
    /// Gives nil where there is no identifier: the file isn't a JPNG. Throws where there is one, but the version or a size is not
    /// what a JPNG of this length can have; a file without a footer's worth of bytes has no identifier.
    public static func read(tail: RawSpan, totalLength: Int64) throws(JPNGError) -> JPNGFooter? {
        guard tail.byteCount >= size, Identifier(rawValue: tail.littleEndianUInt32(at: tail.byteCount - 4)) != nil
        else { return nil }
        return try JPNGFooter(tail: tail, totalLength: totalLength)
    }

    /// The footer at the end of a file that must have one; otherwise as ``read(tail:totalLength:)``.
    ///
    /// Throws ``JPNGError/Code/truncated`` and ``JPNGError/Code/unknownIdentifier`` where that gives nil.
    public init(tail: RawSpan, totalLength: Int64) throws(JPNGError) {
        guard tail.byteCount >= Self.size, totalLength >= Int64(Self.size) else {
            throw JPNGError(
                .truncated,
                "the file has \(min(totalLength, Int64(tail.byteCount))) bytes, fewer than a JPNG footer's 16",
                offset: 0)
        }
        let start = totalLength - Int64(Self.size)
        let base = tail.byteCount - Self.size
        guard let identifier = Identifier(rawValue: tail.littleEndianUInt32(at: base + 12)) else {
            throw JPNGError(
                .unknownIdentifier,
                "the last four bytes are no JPNG identifier: the file is no JPNG, or its end is missing",
                offset: start + 12)
        }
        imageSize = tail.littleEndianUInt32(at: base)
        maskSize = tail.littleEndianUInt32(at: base + 4)
        footerSize = tail.littleEndianUInt16(at: base + 8)
        majorVersion = tail.byte(at: base + 10)
        minorVersion = tail.byte(at: base + 11)
        self.identifier = identifier
        try check(totalLength: totalLength, start: start)
    }

    private func check(totalLength: Int64, start: Int64) throws(JPNGError) {
        // No writer ever wrote version 0, so it is taken for damage.
        guard majorVersion == 1 || majorVersion == 2 else {
            throw JPNGError(
                .unsupportedVersion, "JPNG version \(majorVersion).\(minorVersion) is not known; 1 and 2 are",
                offset: start + 10)
        }
        let known = UInt16(Self.size)
        guard footerSize == known || (footerSize > known && minorVersion > 0) else {
            throw JPNGError(
                .invalidFooterSize,
                "a JPNG footer of version \(majorVersion).\(minorVersion) can't have \(footerSize) bytes",
                offset: start + 8)
        }
        let available = totalLength - Int64(footerSize)
        guard maskRange.upperBound <= available else {
            throw JPNGError(
                .sizesExceedFile,
                """
                the footer gives the colour part \(imageSize) bytes and the mask \(maskSize), \
                but the file has \(max(available, 0)) before its footer
                """,
                offset: start)
        }
    }
}
