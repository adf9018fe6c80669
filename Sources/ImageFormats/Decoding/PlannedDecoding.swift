package import Raster

/// What a plan comes to for a picture whose header is known: the rows that a started decoder delivers, and what becomes
/// of them on the way to the caller.
///
/// Whoever drives a decoder (`ImageSource`, `ImageRowSource`, `EncodedImage`, an arriving picture's tiles) begins here.
package struct PlannedDecoding {
    /// How rows have to be turned to stand upright.
    package let orientation: Orientation
    /// The rows as the decoder delivers them.
    package let stored: BitmapInfo
    /// The rows once converted, before they are turned.
    package let delivered: BitmapInfo

    /// Checks `plan`, which is of the upright picture, and starts the decoder with what it means for stored pixels.
    /// - Parameters:
    ///   - orientation: How rows are turned; nil for what the options and the header say.
    ///   - start: Starts the decoder.
    /// - Throws: `invalidParameter` for a plan that doesn't fit the picture, and what `start` throws.
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

    /// The rows once converted and turned.
    package var info: BitmapInfo {
        var info = delivered
        info.size = orientation.applied(to: info.size)
        return info
    }
}

extension IncrementalDecoder {
    /// Pulls rows, at most `rowsLeft`, and converts them.
    /// - Throws: `corrupt` where the codec delivers more than there are, and what the decoder throws.
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
