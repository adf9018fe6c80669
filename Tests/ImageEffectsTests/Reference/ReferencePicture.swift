import Raster

/// Pixels in double precision, premultiplied, 0 to 1: what the reference implementations compute with.
struct ReferencePicture {
    let width: Int
    let height: Int
    /// Red, green, blue and alpha of every pixel, row after row.
    var pixels: [SIMD4<Double>]

    /// A transparent picture.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = Array(repeating: .zero, count: width * height)
    }

    /// The picture that `pixel` tells by column and row.
    init(width: Int, height: Int, pixel: (Int, Int) -> SIMD4<Double>) {
        self.init(width: width, height: height)
        for y in 0..<height { for x in 0..<width { self[x, y] = pixel(x, y) } }
    }

    /// The pixels of `bitmap`, RGBA of either depth.
    init(_ bitmap: Bitmap) {
        self.init(width: bitmap.width, height: bitmap.height)
        let largest = bitmap.format.bitsPerChannel == 16 ? 65535.0 : 255
        for y in 0..<height {
            for x in 0..<width {
                let c = bitmap.channels(x, y)
                var pixel = SIMD4(Double(c[0]), Double(c[1]), Double(c[2]), Double(c[3])) / largest
                if bitmap.alpha == .straight {
                    let alpha = pixel.w
                    pixel *= alpha
                    pixel.w = alpha
                }
                self[x, y] = pixel
            }
        }
    }

    subscript(x: Int, y: Int) -> SIMD4<Double> {
        get { pixels[y * width + x] }
        set { pixels[y * width + x] = newValue }
    }

    /// The pixel at (`x`, `y`), transparent beyond the edges.
    func orTransparent(_ x: Int, _ y: Int) -> SIMD4<Double> {
        x >= 0 && x < width && y >= 0 && y < height ? self[x, y] : .zero
    }

    /// The pixel at (`x`, `y`), the nearest one of the edge beyond it.
    func orEdge(_ x: Int, _ y: Int) -> SIMD4<Double> {
        self[min(max(0, x), width - 1), min(max(0, y), height - 1)]
    }

    /// The largest difference to `bitmap` in any channel, in steps of its depth, once this one is rounded to that depth.
    func largestDifference(_ bitmap: Bitmap) -> Int {
        guard bitmap.width == width, bitmap.height == height else { return .max }
        let largest = bitmap.format.bitsPerChannel == 16 ? 65535.0 : 255
        var difference = 0
        for y in 0..<height {
            for x in 0..<width {
                let (wanted, got) = (self[x, y], bitmap.channels(x, y))
                let alpha = max(0, min(1, wanted.w))
                for channel in 0..<4 {
                    let value = channel == 3 ? alpha : max(0, min(alpha, wanted[channel]))
                    difference = max(difference, abs(Int((value * largest).rounded()) - got[channel]))
                }
            }
        }
        return difference
    }
}

extension Bitmap {
    /// The largest difference to `other` in any channel, in steps; `Int.max` for other sizes.
    func largestDifference(_ other: Bitmap) -> Int { ReferencePicture(self).largestDifference(other) }
}
