package import ImageFormats
package import Raster

extension JPEGPlanarSource {
    /// All planes, one after the other, each row as long as the plane is wide, and how many of the picture's rows they
    /// stand for.
    package func readPlanes() throws -> (planes: [(size: PixelSize, samples: [UInt8])], rowCount: Int) {
        let sampling = sampling
        let widths = sampling.map { (size.width + $0.horizontal - 1) / $0.horizontal }
        let strides = widths.map { ($0 + 7) / 8 * 8 }
        var planes = widths.map { (size: PixelSize(width: $0, height: 0), samples: [UInt8]()) }
        // A strip of each plane.
        let strips = strides.map { UnsafeMutablePointer<UInt8>.allocate(capacity: $0 * stripHeight) }
        defer { for strip in strips { strip.deallocate() } }
        var rowCount = 0
        while case let count = try read(into: strips, strides: strides), count > 0 {
            for (index, strip) in strips.enumerated() {
                let rows = (count + sampling[index].vertical - 1) / sampling[index].vertical
                for y in 0..<rows {
                    planes[index].samples += UnsafeBufferPointer(
                        start: strip + y * strides[index], count: widths[index])
                }
                planes[index].size.height += rows
            }
            rowCount += count
        }
        return (planes, rowCount)
    }
}
