package import ImageFormats
package import Raster

/// A picture that is asked for by the IIIF Image API: `region/size/rotation/quality.format`.
package struct IIIFImageRequest: Hashable, Sendable {
    package let version: IIIFVersion
    package let region: IIIFRegion
    package let size: IIIFSize
    package let rotation: IIIFRotation
    package let quality: PictureRendering.Quality
    package let format: ImageFormat

    /// The request in the four parts of its address, decoded.
    /// - Throws: 400 for a part that isn't well-formed, and for qualities and formats that aren't supported.
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

    /// What is to be made of a picture of `size`.
    ///
    /// All colours are what a picture has by default, so `color` is that.
    /// - Throws: 400 for a region outside of the picture and a size that can't be, 501 where it takes enlarging and the
    ///   server does none.
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

    /// The one address among those of the same picture that should be used, without what comes before the region:
    /// `full/max/0/default.jpg` (IIIF Image API 3.0, 4.8; 2.1, 4.7).
    /// - Throws: What `rendering(of:limits:)` does.
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

/// How a picture is turned (IIIF Image API 3.0, 4.3).
package struct IIIFRotation: Hashable, Sendable {
    /// Left and right are changed before it is turned.
    package let isMirrored: Bool
    /// Degrees clockwise, 0 ..< 360.
    package let degrees: DecimalNumber

    /// The rotation that `text` is.
    /// - Throws: 400 for what isn't one or is more than 360 degrees.
    init(_ text: String) throws(RequestFailure) {
        isMirrored = text.utf8.first == UInt8(ascii: "!")
        guard let degrees = DecimalNumber(Substring(text.utf8.dropFirst(isMirrored ? 1 : 0))), degrees.value <= 360
        else {
            throw .malformed("the rotation isn't a decimal number from 0 to 360, or ! and one")
        }
        self.degrees = degrees.value == 360 ? DecimalNumber(0) : degrees
    }

    /// As it is written best.
    var canonical: String { (isMirrored ? "!" : "") + degrees.text }
}
