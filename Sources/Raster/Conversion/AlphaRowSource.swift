/// Rows of another source with another meaning of alpha, changed in place.
final class AlphaRowSource: RowSource {
    let info: BitmapInfo
    private let source: any RowSource
    private let step: AlphaStep
    private let background: RGBA8

    init(_ source: any RowSource, alpha: AlphaMode, background: RGBA8) {
        self.source = source
        self.background = background
        let from = source.info
        info = BitmapInfo(size: from.size, format: from.format, alpha: alpha, profile: from.profile)
        step = AlphaStep(from: from.alpha, to: info.alpha)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = try source.read(into: &rows)
        var filled = rows.extracting(0..<count)
        filled.apply(step, background: background)
        return count
    }
}
