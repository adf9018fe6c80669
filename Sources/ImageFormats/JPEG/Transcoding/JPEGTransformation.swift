internal import CTesseraJPEG
package import Raster

/// A rotation, mirroring or crop of a JPEG by its coefficients: no pixel is decoded, and none loses quality.
///
/// The result is stored upright. Coefficients stand for blocks, which can only be moved in whole MCUs, 8 or 16 pixels
/// wide; `edges` says what becomes of incomplete ones.
package struct JPEGTransformation: Hashable, Sendable {
    /// The treatment of blocks at the right and lower edges that the image doesn't fill.
    package enum Edges: String, Hashable, Sendable, CaseIterable {
        /// Leaves them at their edge, not mirrored: up to 15 columns or rows appear out of place.
        case keep
        /// Cuts them off where they would be out of place.
        case trim
        /// Refuses the transformation where they would be out of place, and a crop that doesn't begin on a block.
        case refuse
    }

    /// The turn of the image as it is displayed.
    package var orientation: Orientation
    /// The part to keep, in pixels of the image after the turn; nil for all of it. Its corner moves left and up to whole
    /// blocks.
    package var region: PixelRect?
    /// The treatment of incomplete blocks.
    package var edges: Edges
    /// Whether the file refines the image scan by scan; nil for what the input does.
    package var isProgressive: Bool?

    /// Creates a transformation; by default one that only applies the orientation in the metadata.
    package init(
        orientation: Orientation = .up, region: PixelRect? = nil, edges: Edges = .keep, isProgressive: Bool? = nil
    ) {
        self.orientation = orientation
        self.region = region
        self.edges = edges
        self.isProgressive = isProgressive
    }

    /// A transformed file.
    package struct Result: Sendable {
        /// The file.
        package let bytes: [UInt8]
        /// The part of the turned image that was kept.
        package let region: PixelRect
        /// Whether further images in the file, such as a gain map, were left out.
        package let dropsPictures: Bool
    }

    /// Returns `file` transformed: EXIF, XMP and the density describe the result, the thumbnail is made again, and other
    /// metadata is unchanged.
    ///
    /// Further images in the file are left out, since they show the image before the change.
    /// - Throws: `unsupported` where `edges` refuses, or for a JPEG that libjpeg can't read; `corrupt` or `truncated` for
    ///   damaged data; `limitExceeded`; `invalidParameter` for a region outside the image.
    package func applied(
        to file: [UInt8], limits: DecodingLimits = .standard
    ) throws(ImageError) -> Result {
        var parts = try JPEGParts(file)
        let options = DecodingOptions(color: .asStored, limits: limits)
        let stored = try ImageSource.header(of: file, options: options, registry: CodecRegistry([JPEGCodec()]))
        let turn = stored.metadata.orientation.followed(by: orientation)
        let transcoder = try JPEGTranscoder(file, limits: limits)
        var coding = tessera_jpeg_transcoding()
        coding.transposes = turn.swapsSides
        (coding.mirrors_columns, coding.mirrors_rows) = turn.mirroredSides
        coding.progressive = isProgressive ?? transcoder.header.progressive
        let kept = try window(of: turn.applied(to: transcoder.size), in: transcoder, turn)
        (coding.window_x, coding.window_y) = (UInt32(kept.x), UInt32(kept.y))
        (coding.window_width, coding.window_height) = (UInt32(kept.width), UInt32(kept.height))
        let coded = try transcoder.run(coding)

        let hasPictures = stored.sequence != nil
        parts.segments = parts.segments.compactMap { segment in
            Self.adjusted(segment, turn: turn, size: kept.size, dropsPictures: hasPictures)
        }
        var result = try parts.assembled(around: coded, keepsTrailing: !hasPictures)
        if let thumbnail = stored.metadata.embeddedThumbnail {
            result = try Self.renewingThumbnail(thumbnail, of: result, options)
        }
        return Result(bytes: result, region: kept, dropsPictures: hasPictures)
    }

    /// The window of the result, on whole MCUs.
    private func window(
        of size: PixelSize, in transcoder: borrowing JPEGTranscoder, _ turn: Orientation
    ) throws(ImageError) -> PixelRect {
        let unit = turn.swapsSides ? transcoder.unit.transposed : transcoder.unit
        var kept = PixelRect(size)
        if let region {
            guard region.lies(within: size) else {
                throw ImageError(
                    .invalidParameter,
                    "the part to keep, \(region.size) pixels at \(region.x),\(region.y), isn't within the image of "
                        + "\(size) pixels")
            }
            let (left, top) = (region.x % unit.width, region.y % unit.height)
            guard edges != .refuse || left == 0 && top == 0 else {
                throw ImageError(
                    .unsupported,
                    "the part to keep begins at \(region.x),\(region.y), and blocks of \(unit) pixels begin at "
                        + "\(region.x - left),\(region.y - top)")
            }
            kept = PixelRect(
                x: region.x - left, y: region.y - top, width: region.width + left, height: region.height + top)
        }
        let (columns, rows) = turn.mirroredSides
        let whole = PixelSize(
            width: size.width / unit.width * unit.width, height: size.height / unit.height * unit.height)
        let isTooWide = columns && kept.x + kept.width > whole.width
        let isTooHigh = rows && kept.y + kept.height > whole.height
        guard isTooWide || isTooHigh, edges != .keep else { return kept }
        guard edges == .trim else {
            throw ImageError(
                .unsupported,
                "the image of \(size) pixels has incomplete blocks at its edge, which can't be mirrored: blocks have "
                    + "\(unit) pixels")
        }
        if isTooWide { kept.width = whole.width - kept.x }
        if isTooHigh { kept.height = whole.height - kept.y }
        guard !kept.size.isEmpty else {
            throw ImageError(
                .unsupported, "nothing is left of the image of \(size) pixels without its incomplete blocks")
        }
        return kept
    }
}

extension Orientation {
    /// Whether columns and rows are mirrored, after columns and rows have been exchanged if `swapsSides`.
    fileprivate var mirroredSides: (columns: Bool, rows: Bool) {
        switch self {
        case .up, .leftMirrored: (false, false)
        case .upMirrored, .right: (true, false)
        case .down, .rightMirrored: (true, true)
        case .downMirrored, .left: (false, true)
        }
    }
}
