/// Rows of another source in another pixel format, and with another meaning of alpha where that is asked for.
///
/// Alpha is applied at the greater depth of the two: before 16 bits become 8, after 8 have become 16. Rows that keep their
/// format are changed in place.
final class ConvertingRowSource: RowSource {
    let info: BitmapInfo
    var coverage: PixelRegion { source.coverage }
    private let source: any RowSource
    private let step: AlphaStep
    private let background: RGBA8
    /// Rows in the source's format, where that is another.
    private var strip: MutableBitmap
    private let keepsFormat: Bool
    private let appliesStepFirst: Bool

    init(
        _ source: any RowSource, format: PixelFormat, alpha: AlphaMode, background: RGBA8
    ) throws(ImageError) {
        self.source = source
        self.background = background
        let from = source.info
        info = BitmapInfo(size: from.size, format: format, alpha: alpha, profile: from.profile)
        step = AlphaStep(from: from.alpha, to: info.alpha)
        appliesStepFirst = format.isGray || format.bitsPerChannel < from.format.bitsPerChannel
        keepsFormat = format == from.format
        var room = from.strip(byteCount: 1 << 16)
        if keepsFormat { room.size = PixelSize(width: 1, height: 1) }
        strip = try MutableBitmap(uninitialized: room)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let (source, step, background, appliesStepFirst) = (source, step, background, appliesStepFirst)
        let count: Int
        if keepsFormat {
            count = try source.read(into: &rows)
        } else {
            let wanted = min(rows.count, strip.info.size.height)
            count = try strip.withMutableRows(0..<wanted) { (unconverted) throws(ImageError) in
                let count = try source.read(into: &unconverted)
                guard appliesStepFirst else { return count }
                var filled = unconverted.extracting(0..<count)
                filled.apply(step, background: background)
                return count
            }
            Self.convert(strip, rowCount: count, to: &rows)
        }
        if !appliesStepFirst {
            var filled = rows.extracting(0..<count)
            filled.apply(step, background: background)
        }
        return count
    }

    // The rows of a bitmap that is a class's property can be lent only to a call.
    private static func convert(_ strip: borrowing MutableBitmap, rowCount: Int, to rows: inout MutablePixelRows) {
        rows.convert(strip.rows.extracting(0..<rowCount))
    }
}

extension RowSource {
    /// This source's rows in `format`, with `alpha` as asked for; the profile is carried along and not looked at.
    ///
    /// Where alpha is taken away, or the format has none, pixels are laid over `background` (in the rows' own colour
    /// space, its own alpha left out of account). Rounding is as in `MutablePixelRows.convert(_:at:)` and
    /// `premultiply()`. A source that delivers this already is returned as it is.
    ///
    /// From rgba to grey and back a profile of the one isn't one of the other: convert colours to sRGB first.
    /// - Throws: `outOfMemory` when there is no memory for a strip of rows.
    public func converted(
        to format: PixelFormat, alpha: AlphaMode, background: RGBA8 = RGBA8(255, 255, 255)
    ) throws(ImageError) -> any RowSource {
        let wanted = BitmapInfo(size: info.size, format: format, alpha: alpha, profile: info.profile)
        guard wanted != info else { return self }
        return try ConvertingRowSource(self, format: format, alpha: alpha, background: background)
    }
}

/// What has to happen to the values of rgba pixels so that their alpha means something else.
package enum AlphaStep: Hashable, Sendable {
    /// The values are right as they are.
    case keep
    /// Multiply the colours by alpha.
    case premultiply
    /// Divide the colours by alpha.
    case unpremultiply
    /// Lay straight colours over a background and make the pixels opaque.
    case flattenStraight
    /// Lay premultiplied colours over a background and make the pixels opaque.
    case flattenPremultiplied

    /// The step from `source` to `target`.
    package init(from source: AlphaMode, to target: AlphaMode) {
        self =
            switch (source, target) {
            // Opaque pixels are the same straight and premultiplied.
            case (.none, _), (.straight, .straight), (.premultiplied, .premultiplied): .keep
            case (.straight, .premultiplied): .premultiply
            case (.premultiplied, .straight): .unpremultiply
            case (.straight, .none): .flattenStraight
            case (.premultiplied, .none): .flattenPremultiplied
            }
    }
}
