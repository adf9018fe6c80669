internal import Raster

extension ImageContainer {
    /// The bytes that the container takes: pixels, encoded bytes attached to it, and those that a picture not decoded yet
    /// is going to be decoded from.
    var cacheCost: Int {
        let sum = image.byteCount.addingReportingOverflow(data?.count ?? 0)
        return sum.overflow ? .max : sum.partialValue
    }
}
