package import ImageFormats
package import Raster

/// An image request of the IIIF Image API: `region/size/rotation/quality.format`.
package struct IIIFImageRequest: Hashable, Sendable {
    package let version: IIIFVersion
    package let region: IIIFRegion
    package let size: IIIFSize
    package let rotation: IIIFRotation
    package let quality: PictureRendering.Quality
    package let format: ImageFormat

    /// Parses the four decoded parts of an address.
    /// - Throws: 400 for a malformed part, or an unsupported quality or format.
    package init(
        region: String, size: String, rotation: String, file: String, version: IIIFVersion
    ) throws(RequestFailure) {
        self.version = version
        self.region = try IIIFRegion(region)
        self.size = try IIIFSize(size, version: version)
        self.rotation = try IIIFRotation(rotation)
        guard let dot = file.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            throw .malformed("the last part of the address isn't quality.format")
        }
        guard let quality = PictureRendering.Quality(rawValue: String(file[..<dot])) else {
            throw .malformed("the quality is none of default, color, gray and bitonal")
        }
        guard let format = IIIFFormat.format(named: file[file.utf8.index(after: dot)...]) else {
            let names = IIIFFormat.all.map(IIIFFormat.name).joined(separator: ", ")
            throw .malformed("the format is none of \(names)")
        }
        self.quality = quality
        self.format = format
    }

    /// The rendering of an image of `size`.
    ///
    /// `color` becomes `default`, since images are rendered in colour by default.
    /// - Throws: 400 for a region outside the image or an invalid size, 501 for enlargement if it isn't allowed.
    package func rendering(
        of size: PixelSize, limits: RenderingLimits
    ) throws(RequestFailure) -> PictureRendering {
        guard !size.isEmpty else { throw .noSuchPicture }
        let rect = try region.rect(in: size)
        let pixels = try self.size.pixels(bounds(rect.size, in: size, limits))
        var rendering = PictureRendering(region: rect, size: pixels, format: format)
        rendering.isMirrored = rotation.isMirrored
        rendering.rotation = rotation.degrees.value
        rendering.quality = quality == .color ? .default : quality
        return rendering
    }

    /// The canonical address from the region on: `full/max/0/default.jpg` (IIIF Image API 3.0, 4.8; 2.1, 4.7).
    /// - Throws: The errors of `rendering(of:limits:)`.
    package func canonical(of size: PixelSize, limits: RenderingLimits) throws(RequestFailure) -> String {
        let rendering = try rendering(of: size, limits: limits)
        let rect = rendering.region
        let region = rect == PixelRect(size) ? "full" : "\(rect.x),\(rect.y),\(rect.width),\(rect.height)"
        let pixels = canonicalSize(rendering.size, bounds(rect.size, in: size, limits))
        return
            "\(region)/\(pixels)/\(rotation.canonical)/\(rendering.quality.rawValue).\(IIIFFormat.name(of: format))"
    }

    private func canonicalSize(_ size: PixelSize, _ bounds: ScalingBounds) -> String {
        switch version {
        case .v3:
            if size == bounds.largest(enlarging: false) { return "max" }
            if size == bounds.largest(enlarging: true) { return "^max" }
            let isEnlarged = size.width > bounds.region.width || size.height > bounds.region.height
            return "\(isEnlarged ? "^" : "")\(size.width),\(size.height)"
        case .v2:
            if size == bounds.region { return "full" }
            return size.height == bounds.heightFor(width: size.width)
                ? "\(size.width)," : "\(size.width),\(size.height)"
        }
    }

    private func bounds(_ region: PixelSize, in size: PixelSize, _ limits: RenderingLimits) -> ScalingBounds {
        ScalingBounds(region: region, limits: limits.limits(for: size), degrees: rotation.degrees.value)
    }
}

/// A rotation, optionally of the mirrored image (IIIF Image API 3.0, 4.3).
package struct IIIFRotation: Hashable, Sendable {
    /// Whether the image is mirrored left to right before it is rotated.
    package let isMirrored: Bool
    /// Degrees clockwise, 0 ..< 360; 360 becomes 0.
    package let degrees: DecimalNumber

    /// Parses a number of degrees, preceded by `!` for a mirrored image.
    /// - Throws: 400 for a malformed number or more than 360 degrees.
    init(_ text: String) throws(RequestFailure) {
        isMirrored = text.utf8.first == UInt8(ascii: "!")
        guard let degrees = DecimalNumber(Substring(text.utf8.dropFirst(isMirrored ? 1 : 0))), degrees.value <= 360
        else {
            throw .malformed("the rotation isn't a decimal number from 0 to 360, or ! and one")
        }
        self.degrees = degrees.value == 360 ? DecimalNumber(0) : degrees
    }

    /// The canonical form.
    var canonical: String { (isMirrored ? "!" : "") + degrees.text }
}
