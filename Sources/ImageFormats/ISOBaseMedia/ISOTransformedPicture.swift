internal import Raster

/// A picture of which a part is shown, in another orientation than its own.
final class ISOTransformedPicture: WholePicture {
    let header: ImageHeader
    private let picture: any WholePicture
    private let crop: PixelRect

    /// - Parameters:
    ///   - picture: The whole picture, as stored.
    ///   - header: The header of the part.
    init(_ picture: any WholePicture, _ header: ImageHeader, crop: PixelRect) {
        (self.picture, self.header, self.crop) = (picture, header, crop)
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        var (plan, region) = (plan, plan.region ?? PixelRect(crop.size))
        region.x += crop.x
        region.y += crop.y
        plan.region = region
        return try picture.start(plan)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int { try picture.read(into: &rows) }
}

extension ImageHeader {
    /// Changes the header of a stored image to that of the transformed one.
    /// - Throws: `corrupt` if the image's size isn't the one that it was declared to have.
    mutating func apply(_ transformation: ISOTransformation) throws(ImageError) {
        guard storedSize == transformation.size else {
            throw ImageError(
                .corrupt, "the \(format) image has \(storedSize) pixels, but its item declares \(transformation.size)")
        }
        storedSize = transformation.crop.size
        metadata.orientation = transformation.orientation
    }
}
