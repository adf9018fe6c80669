import CTesseraPNGOracle
import Foundation
package import Raster

/// libpng, as the judge of what a file's pixels are.
package enum LibPNG {
    /// Red, green, blue and alpha of sixteen bits; nil when libpng gives up.
    package static func decode(_ file: [UInt8]) -> (size: PixelSize, samples: [UInt16])? {
        var (width, height): (UInt32, UInt32) = (0, 0)
        var pixels: UnsafeMutablePointer<UInt16>?
        guard tessera_oracle_read_png(file, file.count, &width, &height, &pixels) == 0, let pixels else { return nil }
        defer { free(pixels) }
        let count = Int(width) * Int(height) * 4
        return (
            PixelSize(width: Int(width), height: Int(height)),
            Array(UnsafeBufferPointer(start: pixels, count: count))
        )
    }
}
