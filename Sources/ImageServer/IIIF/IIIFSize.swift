internal import Raster

/// The requested size of a region (IIIF Image API 3.0, 4.2; 2.1, 4.2).
package struct IIIFSize: Hashable, Sendable {
    /// The ways to specify a size.
    package enum Form: Hashable, Sendable {
        /// The largest size that the limits allow.
        case max
        /// The region's own size; only in version 2.
        case full
        /// A width, with the height in proportion.
        case width(Int)
        /// A height, with the width in proportion.
        case height(Int)
        /// A percentage of the region's width and height.
        case percent(DecimalNumber)
        /// A width and a height, without preserving the proportions.
        case exact(width: Int, height: Int)
        /// The largest proportional size within a width and a height.
        case confined(width: Int, height: Int)
    }

    package let form: Form
    /// Whether the result may be larger than the region: in version 3 with `^`, in version 2 for every size except
    /// `max`, `full` and `!w,h`.
    package let isEnlarging: Bool

    /// Parses a size.
    /// - Throws: 400 for malformed text in this version, or a size without pixels.
    init(_ text: String, version: IIIFVersion) throws(RequestFailure) {
        let hasCaret = version == .v3 && text.utf8.first == UInt8(ascii: "^")
        guard let form = Self.form(Substring(text.utf8.dropFirst(hasCaret ? 1 : 0)), version) else {
            throw .malformed(
                "the size is none of max, \(version == .v2 ? "full, " : "")w, ,h pct:n w,h and !w,h"
                    + (version == .v3 ? ", nor one of them with ^ in front" : ""))
        }
        switch form {
        case .width(0), .height(0), .exact(0, _), .exact(_, 0), .confined(0, _), .confined(_, 0):
            throw .malformed("the size has no width or no height")
        default: break
        }
        self.form = form
        if version == .v3 {
            isEnlarging = hasCaret
        } else {
            switch form {
            // Version 2 leaves the best fit to the server: a small region in a large box keeps its size.
            case .max, .full, .confined: isEnlarging = false
            case .width, .height, .percent, .exact: isEnlarging = true
            }
        }
    }

    private static func form(_ text: Substring, _ version: IIIFVersion) -> Form? {
        if text == "max" { return .max }
        if text == "full" { return version == .v2 ? .full : nil }
        if text.utf8.starts(with: "pct:".utf8) {
            return DecimalNumber(Substring(text.utf8.dropFirst(4))).map { .percent($0) }
        }
        let isConfined = text.utf8.first == UInt8(ascii: "!")
        let sides = text.utf8.dropFirst(isConfined ? 1 : 0)
            .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { Substring($0) }
        guard sides.count == 2 else { return nil }
        let (width, height) = (RequestNumber.integer(sides[0]), RequestNumber.integer(sides[1]))
        switch (width, height) {
        case (let width?, let height?):
            return isConfined ? .confined(width: width, height: height) : .exact(width: width, height: height)
        case (let width?, nil) where sides[1].isEmpty && !isConfined: return .width(width)
        case (nil, let height?) where sides[0].isEmpty && !isConfined: return .height(height)
        default: return nil
        }
    }

    /// The size of the result in pixels.
    /// - Throws: 400 for a size above the limits, below one pixel, or larger than the region without `^`; 501 for
    ///   enlargement if the server allows none.
    func pixels(_ bounds: ScalingBounds) throws(RequestFailure) -> PixelSize {
        let region = bounds.region
        let size: PixelSize
        switch form {
        case .max: size = bounds.largest(enlarging: isEnlarging)
        case .full: size = region
        case .width(let width): size = PixelSize(width: width, height: bounds.heightFor(width: width))
        case .height(let height): size = PixelSize(width: bounds.widthFor(height: height), height: height)
        case .exact(let width, let height): size = PixelSize(width: width, height: height)
        case .confined(let width, let height):
            size = bounds.largest(within: PixelSize(width: width, height: height), enlarging: isEnlarging)
        case .percent(let percent):
            // More than any limit, and within the range of Int.
            let width = min((Double(region.width) * percent.value / 100).rounded(), 1e15)
            let height = min((Double(region.height) * percent.value / 100).rounded(), 1e15)
            guard width >= 1, height >= 1 else {
                throw .malformed("\(percent.value)% of the region, \(region), is less than a pixel")
            }
            size = PixelSize(width: Int(width), height: Int(height))
        }
        if size.width > region.width || size.height > region.height {
            guard isEnlarging else {
                throw .malformed("the size \(size) is larger than the region, \(region); ^ in front allows that")
            }
            guard bounds.limits.allowsUpscaling else {
                throw .notImplemented(
                    "the size \(size) is larger than the region, \(region): images aren't enlarged here")
            }
        }
        guard bounds.contains(size) else {
            let limits = bounds.limits
            throw .malformed(
                "the size \(size) is above the limits of \(limits.maximumWidth)x\(limits.maximumHeight) and "
                    + "\(limits.maximumArea) pixels, \(limits.maximumRotatedArea) when turned; the largest is called max"
            )
        }
        return size
    }
}
