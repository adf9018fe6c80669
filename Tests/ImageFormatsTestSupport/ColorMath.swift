import Foundation
package import Raster

/// sRGB from the formulas of IEC 61966-2-1 and ICC.1, in doubles: nothing that the library uses.
package enum ColorMath {
    /// sRGB's value, 0…1, for linear light.
    package static func encoded(_ light: Double) -> Double {
        let light = min(1, max(0, light))
        return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// Solves m · x = v for three unknowns by Cramer's rule; columns of `m` are given.
    package static func solve(_ columns: [[Double]], _ v: [Double]) -> [Double] {
        func determinant(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
            a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
        }
        let (a, b, c) = (columns[0], columns[1], columns[2])
        let whole = determinant(a, b, c)
        return [determinant(v, b, c) / whole, determinant(a, v, c) / whole, determinant(a, b, v) / whole]
    }

    /// The columns' weighted sum.
    package static func sum(_ columns: [[Double]], _ weights: [Double]) -> [Double] {
        (0..<3).map { columns[0][$0] * weights[0] + columns[1][$0] * weights[1] + columns[2][$0] * weights[2] }
    }

    /// sRGB's primaries in XYZ under D50.
    package static let sRGBPrimaries = [
        [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.7141],
    ]

    /// sRGB values, 0…1, of XYZ under D50.
    package static func sRGB(xyz: [Double]) -> [Double] { solve(sRGBPrimaries, xyz).map(encoded) }

    /// The XYZ of primaries and white given by chromaticities, at the white given.
    package static func primaries(_ points: ColorProfile.Chromaticities) -> [[Double]] {
        func xyz(_ point: ColorProfile.Chromaticities.Point) -> [Double] {
            [point.x / point.y, 1, (1 - point.x - point.y) / point.y]
        }
        let columns = [xyz(points.red), xyz(points.green), xyz(points.blue)]
        let weights = solve(columns, xyz(points.white))
        return zip(columns, weights).map { column, weight in column.map { $0 * weight } }
    }
}
