import ImageEffects
import Raster
import Testing

/// The vector kernels against their scalar twins, bit by bit, with and without the widest vectors.
@Suite("Compositing kernels", .serialized)
struct CompositingKernelTests {
    @Test("Every byte times many factors gives the scalar result")
    func scale() throws {
        let picture = try Bitmap(BitmapInfo(size: PixelSize(width: 64, height: 1), format: .rgba8)) { x, _ in
            (0..<4).map { 4 * x + $0 }
        }
        for factor in [0, 1, 127, 128, 129, 32767, 32768, 40000, 65534, 65535] as [UInt16] {
            try compare(picture) {
                ScalarCompositing.scale($0, by: factor, to: &$1)
            } _: {
                CompositingKernels.scale($0, by: factor, to: &$1)
            }
        }
    }

    @Test("Rows of all lengths give the scalar result")
    func lengths() throws {
        var noise = Noise(1)
        let matrices = [
            FixedMatrix([0.3, 0.6, 0.1, 0, 0.3, 0.6, 0.1, 0, 0.3, 0.6, 0.1, 0]),
            FixedMatrix([31, -31, 31, 31, -31, -31, -31, -31, 1, 31, 31, 31]),
            FixedMatrix([1.5, -0.5, 0, 0.25, -2, 3, 1, -0.5, 0.1, 0.2, 0.3, 1]),
        ].map { $0! }
        for width in 1...41 {
            let picture = try noise.picture(width, 3)
            let mask = try noise.picture(width, 1, alpha: .none).converted(to: .gray8)
            let lower = try noise.picture(width + 3, 1)
            let (factor, flip) = (UInt16(truncatingIfNeeded: noise.next()), width % 2 == 0)
            try compare(picture) {
                ScalarCompositing.scale($0, by: factor, to: &$1)
            } _: {
                CompositingKernels.scale($0, by: factor, to: &$1)
            }
            try compare(picture) {
                ScalarCompositing.mask($0, by: mask.rows.row(0, as: Gray8.self), isInverted: flip, to: &$1)
            } _: {
                CompositingKernels.mask($0, by: mask.rows.row(0, as: Gray8.self), isInverted: flip, to: &$1)
            }
            try compare(picture) {
                ScalarCompositing.showAlpha(of: $0, to: &$1)
            } _: {
                CompositingKernels.showAlpha(of: $0, to: &$1)
            }
            let color = RGBA8(UInt8(width), 0, 100, 200)
            try compare(picture) {
                ScalarCompositing.lay($0, on: color, to: &$1)
            } _: {
                CompositingKernels.lay($0, on: color, to: &$1)
            }
            for first in [0, 3] {
                try compare(picture, onto: lower) {
                    ScalarCompositing.lay($0, by: factor, over: &$1, at: first)
                } _: {
                    CompositingKernels.lay($0, by: factor, over: &$1, at: first)
                }
            }
            for matrix in matrices {
                try compare(picture) {
                    ScalarCompositing.transform($0, by: matrix, to: &$1)
                } _: {
                    CompositingKernels.transform($0, by: matrix, to: &$1)
                }
            }
        }
    }

    private typealias Work = (Span<RGBA8>, inout MutableSpan<RGBA8>) -> Void

    /// Has both do each row of `picture`, into nothing or over the first row of `lower`.
    private func compare(_ picture: Bitmap, onto lower: Bitmap? = nil, _ scalar: Work, _ vector: Work) throws {
        func result(_ work: Work) throws -> [UInt8] {
            var bytes: [UInt8] = []
            for y in 0..<picture.height {
                var info = picture.info
                info.size = PixelSize(width: (lower ?? picture).width, height: 1)
                var target = try lower?.mutableCopy() ?? MutableBitmap(info)
                var rows = target.mutableRows
                var row = rows.row(0, as: RGBA8.self)
                work(picture.rows.row(y, as: RGBA8.self), &row)
                bytes += target.freeze().tightBytes()
            }
            return bytes
        }
        let expected = try result(scalar)
        for allowed in [true, false] {
            ResamplingKernels.allowWidestVectors(allowed)
            defer { ResamplingKernels.allowWidestVectors(true) }
            #expect(try result(vector) == expected)
        }
    }
}
