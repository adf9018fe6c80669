import Raster
import TestSupport

/// Random images and parameters that are the same in every run.
struct Noise: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(_ seed: UInt64) { generator = SeededGenerator(seed) }

    mutating func next() -> UInt64 { generator.next() }

    /// A whole number in `range`.
    mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A number in `range`.
    mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// A channel's value of `bits` bits that is often the smallest or the largest.
    mutating func channel(_ bits: Int) -> Int {
        let largest = (1 << bits) - 1
        return switch next() % 8 {
        case 0: 0
        case 1: largest
        default: whole(0...largest)
        }
    }

    /// RGBA of noise that obeys its alpha mode: opaque where there is none, no colour above a premultiplied alpha.
    mutating func picture(
        _ width: Int, _ height: Int, bits: Int = 8, alpha: AlphaMode = .premultiplied
    ) throws -> Bitmap {
        let info = BitmapInfo(
            size: PixelSize(width: width, height: height), format: bits == 16 ? .rgba16 : .rgba8, alpha: alpha)
        return try Bitmap(info) { _, _ in
            let a = alpha == .none ? (1 << bits) - 1 : channel(bits)
            let colors = (0..<3).map { _ in channel(bits) }
            return colors.map { alpha == .premultiplied ? min($0, a) : $0 } + [a]
        }
    }

    /// A smooth picture of RGBA, gradients and an ellipse: what effects on photographs look like.
    mutating func smoothPicture(
        _ width: Int, _ height: Int, bits: Int = 8, alpha: AlphaMode = .premultiplied
    ) throws -> Bitmap {
        let largest = Double((1 << bits) - 1)
        let (a, b, c) = (number(0.2...1), number(0.2...1), number(0.2...1))
        let info = BitmapInfo(
            size: PixelSize(width: width, height: height), format: bits == 16 ? .rgba16 : .rgba8, alpha: alpha)
        return try Bitmap(info) { x, y in
            let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
            let opacity = alpha == .none ? 1 : min(1, max(0, 1.3 - 2 * ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5))))
            let color = [a * u, b * v, c * (1 - u) * v + (1 - c) * u]
            let scaled = color.map { Int((min(1, $0) * (alpha == .premultiplied ? opacity : 1) * largest).rounded()) }
            return scaled + [Int((opacity * largest).rounded())]
        }
    }
}
