extension JPNGContainer {
    /// A JPNG file of a colour JPEG and a mask; the mask's kind, PNG or JPEG, makes it version 1 or 2.
    ///
    /// The mask's grey is alpha directly: 0 is transparent, 255 opaque. Throws where a part doesn't begin as it must, or
    /// is larger than a footer can say (4 GiB), before anything is allocated. A writer to a stream can write the parts by itself
    /// and end with the ``JPNGFooter/bytes`` of a footer.
    public static func join(color: RawSpan, mask: RawSpan) throws(JPNGError) -> [UInt8] {
        guard color.startsAsJPEG else {
            throw JPNGError(.invalidColorPart, "the colour part does not begin with a JPEG's start-of-image marker")
        }
        guard let maskKind = JPNGMaskKind(signature: mask) else {
            throw JPNGError(.invalidMaskPart, "the mask begins neither as a PNG nor as a JPEG")
        }
        let footer = try JPNGFooter(imageSize: color.byteCount, maskSize: mask.byteCount, maskKind: maskKind)

        var file: [UInt8] = []
        file.reserveCapacity(color.byteCount + mask.byteCount + JPNGFooter.size)
        // A span is no Sequence; each pointer lives for one copy only.
        color.withUnsafeBytes { file.append(contentsOf: $0) }
        mask.withUnsafeBytes { file.append(contentsOf: $0) }
        file.append(contentsOf: footer.bytes)
        return file
    }
}
