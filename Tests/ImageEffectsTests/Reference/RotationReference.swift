import Foundation
import Raster

/// Turning once more in double precision, straight from the definition: every pixel of the result is looked up.
enum RotationReference {
    static func turn(
        _ picture: ReferencePicture, degrees: Double, filter: ResamplingFilter, linearLight: Bool = false
    ) -> ReferencePicture {
        let angle = degrees * .pi / 180
        let (c, s) = (cos(angle), sin(angle))
        let (w, h) = (Double(picture.width), Double(picture.height))
        let width = max(1, Int((w * abs(c) + h * abs(s) - 1 / 256).rounded(.up)))
        let height = max(1, Int((w * abs(s) + h * abs(c) - 1 / 256).rounded(.up)))
        let filter = filter == .automatic ? .bicubic : filter
        let source = linearLight ? picture.light() : picture
        let turned = ReferencePicture(width: width, height: height) { x, y in
            let (dx, dy) = (Double(x) + 0.5 - Double(width) / 2, Double(y) + 0.5 - Double(height) / 2)
            let (u, v) = (w / 2 + dx * c + dy * s, h / 2 - dx * s + dy * c)
            func coverage(_ place: Double, _ length: Double) -> Double {
                max(0, min(1, min(place + 0.5, length - place + 0.5)))
            }
            let covered = coverage(u, w) * coverage(v, h)
            guard covered > 0 else { return .zero }
            var (sum, weights) = (SIMD4<Double>.zero, 0.0)
            let (i, j) = (Int((u - 0.5).rounded(.down)), Int((v - 0.5).rounded(.down)))
            for row in (j - 2)...(j + 3) {
                for column in (i - 2)...(i + 3) {
                    let weight =
                        ReferencePicture.value(filter, Double(column) + 0.5 - u)
                        * ReferencePicture.value(filter, Double(row) + 0.5 - v)
                    sum += source.orEdge(column, row) * weight
                    weights += weight
                }
            }
            sum /= weights
            // What a filter makes of an opaque picture is no more than opaque.
            let alpha = max(0, min(1, sum.w))
            let limited = SIMD4(max(0, min(alpha, sum.x)), max(0, min(alpha, sum.y)), max(0, min(alpha, sum.z)), alpha)
            return limited * covered
        }
        return linearLight ? turned.stored() : turned
    }
}
