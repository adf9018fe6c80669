internal import Raster

/// An RGB colour space by its primaries and tone curves.
struct LinearColorSpace {
    /// The XYZ, under D50, of each channel's full value.
    private let columns: [SIMD3<Double>]
    private let curves: [(Float) -> Float]

    /// The space of `profile`; nil for one with tables, and one that isn't for RGB.
    init?(_ profile: ColorProfile) {
        let opened: ICCProfile? =
            switch profile {
            case .sRGB: ICCContext().flatMap { ICCProfile.sRGB(in: $0) }
            case .icc(let bytes): ICCProfile(bytes)
            case .calibrated(let gamma, let chromaticities):
                ICCProfile(gamma: gamma, chromaticities ?? .sRGB)
            }
        self.init(opened)
    }

    private init?(_ profile: ICCProfile?) {
        guard let primaries = profile?.primaries else { return nil }
        columns = primaries.map(\.xyz)
        curves = primaries.map(\.curve)
        guard columns.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }), abs(determinant) > 1e-9 else {
            return nil
        }
    }

    /// Creates linear light in BT.2020's primaries; nil if memory runs out.
    static func makeBT2020() -> LinearColorSpace? {
        ColorProfile.Chromaticities(primaries: 9).flatMap { LinearColorSpace(ICCProfile(gamma: 1, $0)) }
    }

    /// The linear light of every value of `bits` bits, for red, then green, then blue.
    func light(bits: Int) -> [Float] {
        let maximum = 1 << bits - 1
        return curves.flatMap { curve in
            (0...maximum).map { value in
                let light = curve(Float(value) / Float(maximum))
                return light.isFinite ? min(1, max(0, light)) : 0
            }
        }
    }

    /// Returns the matrix from linear light in this space to another.
    func columns(in other: LinearColorSpace) -> [SIMD4<Float>] {
        let (a, b, c) = (other.columns[0], other.columns[1], other.columns[2])
        let rows = [Self.cross(b, c), Self.cross(c, a), Self.cross(a, b)].map { $0 / other.determinant }
        return columns.map { column in
            let values = rows.map { Float(($0 * column).sum()) }
            return SIMD4(values[0], values[1], values[2], 0)
        }
    }

    private var determinant: Double { (columns[0] * Self.cross(columns[1], columns[2])).sum() }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
