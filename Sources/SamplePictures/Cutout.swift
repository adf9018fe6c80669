internal import Raster

/// The valley cut out by an ellipse whose edge ramps over 15 % of its radius, with sensor noise of standard deviation
/// 2.5, the same in all channels.
struct Cutout: RowPainter {
    private var valley: Valley
    private let size: PixelSize

    init(size: PixelSize) {
        self.size = size
        valley = Valley(size: size, grain: 2.5)
    }

    mutating func paint(_ row: inout MutableSpan<RGBA8>, y: Int) {
        valley.paint(&row, y: y)
        let (width, height) = (Float(size.width), Float(size.height))
        let dy = (Float(y) + 0.5) / (height * 0.5) - 1
        for x in row.indices {
            let dx = (Float(x) + 0.5) / (width * 0.5) - 1
            let radius = (dx * dx + dy * dy).squareRoot()
            row[x].alpha = Tone.byte((0.98 - radius) * (255 / (0.15 * 0.98)))
        }
    }
}
