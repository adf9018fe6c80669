internal import Raster

/// The session for a picture that reads its file by itself: there is nothing to be appended.
final class InPlaceDecoder: IncrementalDecoder {
    private let picture: any WholePicture

    init(_ picture: any WholePicture) { self.picture = picture }

    var header: ImageHeader? { picture.header }

    func append(_ bytes: RawSpan) {}

    func finish() {}

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        try plan.validate(for: picture.header.storedSize)
        return try picture.start(plan)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let count = try picture.read(into: &rows)
        return count > 0 ? .rows(count) : .end
    }
}
