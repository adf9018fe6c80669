/// The layout of a JPNG file: a colour JPEG, a mask, optional padding, and a footer.
///
/// A JPNG has no header: to a program that doesn't know the format it is an ordinary JPEG with trailing bytes.
/// The container locates the parts without decoding them; its ranges are byte offsets from the file's start.
public struct JPNGContainer: Hashable, Sendable {
    /// The validated footer.
    public let footer: JPNGFooter

    /// The mask's format, from its signature; ``JPNGFooter/majorVersion`` may announce another.
    public let maskKind: JPNGMaskKind

    /// The bytes of the whole file.
    public let byteCount: Int

    /// The colour JPEG.
    public var colorRange: Range<Int> { 0..<Int(footer.imageSize) }

    /// The mask, directly after the colour part.
    public var maskRange: Range<Int> { Int(footer.maskRange.lowerBound)..<Int(footer.maskRange.upperBound) }

    /// The bytes between mask and footer, which have no meaning; usually empty.
    public var slackRange: Range<Int> { maskRange.upperBound..<footerRange.lowerBound }

    /// The footer, to the end of the file.
    public var footerRange: Range<Int> { byteCount - Int(footer.footerSize)..<byteCount }

    /// The layout of a file, or nil if it isn't a JPNG and should be loaded as an ordinary image.
    ///
    /// A file is a JPNG if it begins with a JPEG's start-of-image marker and ends with an identifier. If the rest is invalid, such
    /// as an unknown version or sizes beyond the file, the function throws with the offset of the damage. The colour part
    /// of a damaged file is an ordinary JPEG, which often can still be decoded. Reads both ends of the data and the mask's
    /// signature, in constant time, and allocates nothing.
    public static func find(in data: RawSpan) throws(JPNGError) -> JPNGContainer? {
        guard data.startsAsJPEG, let footer = try JPNGFooter.read(tail: data, totalLength: Int64(data.byteCount))
        else { return nil }
        return try JPNGContainer(footer, in: data)
    }

    /// The layout of a file that must be a JPNG: as ``find(in:)``, but throws with the reason if it isn't one.
    public init(verifying data: RawSpan) throws(JPNGError) {
        try self.init(JPNGFooter(tail: data, totalLength: Int64(data.byteCount)), in: data)
    }

    private init(_ footer: JPNGFooter, in data: RawSpan) throws(JPNGError) {
        guard footer.imageSize >= 2, data.startsAsJPEG else {
            throw JPNGError(
                .invalidColorPart,
                "the colour part of \(footer.imageSize) bytes does not begin with a JPEG's start-of-image marker",
                offset: 0)
        }
        // The footer was checked against the length, so the ranges lie inside the data.
        let maskRange = Int(footer.maskRange.lowerBound)..<Int(footer.maskRange.upperBound)
        guard let kind = JPNGMaskKind(signature: data.extracting(maskRange)) else {
            throw JPNGError(
                .invalidMaskPart, "the mask of \(footer.maskSize) bytes is neither a PNG nor a JPEG",
                offset: footer.maskRange.lowerBound)
        }
        self.footer = footer
        maskKind = kind
        byteCount = data.byteCount
    }

    /// The bytes of the colour part in the data that was passed to ``find(in:)``.
    @_lifetime(copy data)
    public func color(of data: RawSpan) -> RawSpan {
        data.extracting(colorRange)
    }

    /// The bytes of the mask in the data that was passed to ``find(in:)``.
    @_lifetime(copy data)
    public func mask(of data: RawSpan) -> RawSpan {
        data.extracting(maskRange)
    }
}

extension JPNGContainer {
    /// Builds a JPNG file from a colour JPEG and a mask; the mask's kind, PNG or JPEG, makes it version 1 or 2.
    ///
    /// The mask's grey is alpha: 0 is transparent, 255 opaque. Unless `isTagged` is false, the colour part gets a ``JPNGTag``
    /// if it has none. Throws before allocating if a part has the wrong signature or exceeds the footer's 32-bit size fields
    /// (4 GiB). To write to a stream, write the two parts, then the ``JPNGFooter/bytes`` of a footer.
    public static func join(color: RawSpan, mask: RawSpan, isTagged: Bool = true) throws(JPNGError) -> [UInt8] {
        guard color.startsAsJPEG else {
            throw JPNGError(.invalidColorPart, "the colour part does not begin with a JPEG's start-of-image marker")
        }
        guard let maskKind = JPNGMaskKind(signature: mask) else {
            throw JPNGError(.invalidMaskPart, "the mask is neither a PNG nor a JPEG")
        }
        // A colour part that ends within its JFIF segment has no place for a tag.
        let place = isTagged && JPNGTag.range(in: color) == nil ? JPNGTag.place(in: color) : nil
        let tag = place == nil ? [] : JPNGTag.bytes
        let footer = try JPNGFooter(
            imageSize: color.byteCount + tag.count, maskSize: mask.byteCount, maskKind: maskKind)

        var file: [UInt8] = []
        file.reserveCapacity(color.byteCount + tag.count + mask.byteCount + JPNGFooter.size)
        // A span isn't a Sequence; each pointer is used for one copy only.
        color.extracting(0..<(place ?? 0)).withUnsafeBytes { file.append(contentsOf: $0) }
        file.append(contentsOf: tag)
        color.extracting((place ?? 0)..<color.byteCount).withUnsafeBytes { file.append(contentsOf: $0) }
        mask.withUnsafeBytes { file.append(contentsOf: $0) }
        file.append(contentsOf: footer.bytes)
        return file
    }
}
