internal import Raster

extension ImageContainer {
    /// The bytes that the container takes: pixels, encoded bytes attached to it, those that a picture not decoded yet is
    /// going to be decoded from, and what its animation keeps.
    var cacheCost: Int {
        // Whoever provides pixels may have said anything.
        [data?.count ?? 0, animation?.byteCount ?? 0].reduce(image.byteCount) { sum, count in
            let sum = sum.addingReportingOverflow(count)
            return sum.overflow ? .max : sum.partialValue
        }
    }
}
