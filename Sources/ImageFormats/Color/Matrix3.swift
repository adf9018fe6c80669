/// A matrix of three columns, for colours as columns.
struct Matrix3 {
    var x: SIMD3<Double>
    var y: SIMD3<Double>
    var z: SIMD3<Double>

    init(columns x: SIMD3<Double>, _ y: SIMD3<Double>, _ z: SIMD3<Double>) { (self.x, self.y, self.z) = (x, y, z) }

    init(rows a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) {
        self.init(
            columns: SIMD3(a.x, b.x, c.x), SIMD3(a.y, b.y, c.y), SIMD3(a.z, b.z, c.z))
    }

    static func * (matrix: Matrix3, color: SIMD3<Double>) -> SIMD3<Double> {
        matrix.x * color.x + matrix.y * color.y + matrix.z * color.z
    }

    static func * (a: Matrix3, b: Matrix3) -> Matrix3 { Matrix3(columns: a * b.x, a * b.y, a * b.z) }

    static func * (matrix: Matrix3, factor: Double) -> Matrix3 {
        Matrix3(columns: matrix.x * factor, matrix.y * factor, matrix.z * factor)
    }

    var determinant: Double { (x * Self.cross(y, z)).sum() }

    /// The inverse; the determinant mustn't be 0.
    var inverse: Matrix3 {
        Matrix3(rows: Self.cross(y, z), Self.cross(z, x), Self.cross(x, y)) * (1 / determinant)
    }

    /// The same in single precision, for loops over pixels.
    var single: Single { Single(x: Self.single(x), y: Self.single(y), z: Self.single(z)) }

    /// A matrix in single precision. Pixels may have alpha as the fourth value, which becomes 0.
    struct Single {
        let x: SIMD4<Float>
        let y: SIMD4<Float>
        let z: SIMD4<Float>

        @inline(__always)
        static func * (matrix: Single, color: SIMD4<Float>) -> SIMD4<Float> {
            matrix.x * color.x + matrix.y * color.y + matrix.z * color.z
        }
    }

    private static func single(_ column: SIMD3<Double>) -> SIMD4<Float> {
        SIMD4(Float(column.x), Float(column.y), Float(column.z), 0)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}

extension Matrix3 {
    /// BT.2020's linear light to the responses L, M, S of ICtCp (ITU-R BT.2100, table 7).
    static let lmsOfBT2020 =
        Matrix3(
            rows: SIMD3(1688, 2146, 262), SIMD3(683, 2951, 462), SIMD3(99, 309, 3688)) * (1 / 4096)

    /// L, M, S in PQ to I, Ct, Cp (ITU-R BT.2100, table 7).
    static let ictcpOfLMS =
        Matrix3(
            rows: SIMD3(2048, 2048, 0), SIMD3(6610, -13613, 7003), SIMD3(17933, -17390, -543)) * (1 / 4096)
}
