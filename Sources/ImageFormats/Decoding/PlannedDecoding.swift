package import Raster

/// A decoding plan applied to an image whose header is known: the format of the rows that the started decoder delivers,
/// and the conversions on the way to the caller.
///
/// Every caller of a decoder (`ImageSource`, `ImageRowSource`, `EncodedImage`, the tiles of an arriving image) uses it.
package struct PlannedDecoding {
    /// The orientation to apply to the rows.
    package let orientation: Orientation
    /// The format and size of the rows that the decoder delivers.
    package let stored: BitmapInfo
    /// The format and size of the rows after conversion, before the orientation is applied.
    package let delivered: BitmapInfo

    /// Checks `plan`, which is for the upright image, and starts the decoder with its equivalent for stored pixels.
    /// - Parameters:
    ///   - orientation: The orientation to apply; nil for that of the options and the header.
    ///   - start: Starts the decoder with a plan for stored pixels.
    /// - Throws: `invalidParameter` if the plan doesn't fit the image, and any error of `start`.
    package init(
        _ plan: DecodingPlan, of header: ImageHeader, options: DecodingOptions, orientation: Orientation? = nil,
        start: (DecodingPlan) throws(ImageError) -> BitmapInfo
    ) throws(ImageError) {
        let orientation = orientation ?? options.appliedOrientation(of: header)
        try plan.validate(for: orientation.applied(to: header.storedSize))
        self.orientation = orientation
        stored = try start(plan.stored(orientation, storedSize: header.storedSize))
        delivered = options.delivered(stored)
    }

    /// The format and size of the rows after conversion and orientation.
    package var info: BitmapInfo {
        var info = delivered
        info.size = orientation.applied(to: info.size)
        return info
    }
}

extension IncrementalDecoder {
    /// Reads and converts at most `rowsLeft` rows.
    /// - Throws: `corrupt` if the codec delivers more than that, and any error of the decoder.
    package func read(
        into rows: inout MutablePixelRows, converting converter: ColorConverter?, rowsLeft: Int, format: ImageFormat
    ) throws(ImageError) -> RowDelivery {
        let room = min(rows.count, rowsLeft)
        let delivery = try read(into: &rows)
        guard case .rows(let count) = delivery else { return delivery }
        guard count > 0, count <= room else {
            throw ImageError(.corrupt, "the \(format) codec delivered \(count) rows of \(room)")
        }
        if let converter {
            var filled = rows.extracting(0..<count)
            converter.convert(&filled)
        }
        return delivery
    }
}
