internal import Raster

/// An RGB colour space by its primaries and tone curves.
struct LinearColorSpace {
    /// The XYZ, under D50, of each channel's full value.
    private let xyz: Matrix3
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
        xyz = Matrix3(columns: primaries[0].xyz, primaries[1].xyz, primaries[2].xyz)
        curves = primaries.map(\.curve)
        // False for NaN, too.
        guard abs(xyz.determinant) > 1e-9, xyz.determinant.isFinite else { return nil }
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
    func matrix(to other: LinearColorSpace) -> Matrix3 { other.xyz.inverse * xyz }
}
