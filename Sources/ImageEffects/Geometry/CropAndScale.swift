internal import Raster

extension Effects {
    /// Crops and scales the image to a size as a view with a content mode shows it.
    public struct CropAndScale: PlacedEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "cropAndScale"
        /// The width of the bounds.
        public var width: Double
        /// The height of the bounds.
        public var height: Double
        /// How the image fits into the bounds.
        public var contentMode: ContentMode
        /// Whether the result always has the size of the bounds, with transparent padding around the image; otherwise
        /// it shrinks to the image.
        public var padToFit: Bool

        /// Fits the image into `width` × `height`.
        public init(width: Double, height: Double, contentMode: ContentMode = .aspectFit, padToFit: Bool = false) {
            self.width = width
            self.height = height
            self.contentMode = contentMode
            self.padToFit = padToFit
        }

        /// Decodes the effect; it defaults to `aspectFit` without padding.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                width: try values.decode(Double.self, forKey: .width),
                height: try values.decode(Double.self, forKey: .height),
                contentMode: try values.decode(.contentMode, else: .aspectFit),
                padToFit: try values.decode(.padToFit, else: false))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .number(width), .number(height), .text(contentMode.rawValue), .flag(padToFit))
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let bounds = try context.pixelSize(width, height)
            let rect = contentMode.rect(Double(size.width), Double(size.height), in: bounds)
            // Only the visible part is drawn.
            let drawn = try context.unlimited(rect.width, rect.height)
            let whole = try context.unlimited(bounds.width, bounds.height)
            guard !padToFit else {
                return Placement(
                    canvas: try context.validated(whole), of: size,
                    at: PixelRect(x: rect.x.snapped, y: rect.y.snapped, size: drawn))
            }
            // An axis along which the image leaves room shrinks to the image.
            let canvas = PixelSize(width: min(whole.width, drawn.width), height: min(whole.height, drawn.height))
            let origin = (
                canvas.width < whole.width ? 0 : rect.x.snapped, canvas.height < whole.height ? 0 : rect.y.snapped
            )
            return Placement(
                canvas: try context.validated(canvas), of: size, at: PixelRect(x: origin.0, y: origin.1, size: drawn))
        }
    }
}

extension ImageEffect where Self == Effects.CropAndScale {
    /// Crops and scales the image to a size as a view with a content mode shows it.
    public static func cropAndScale(
        width: Double, height: Double, contentMode: ContentMode = .aspectFit, padToFit: Bool = false
    ) -> Self {
        Self(width: width, height: height, contentMode: contentMode, padToFit: padToFit)
    }
}

/// How an image fits into bounds of other proportions: UIKit's thirteen modes.
public enum ContentMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Stretched to the bounds.
    case scaleToFill
    /// As large as fits the bounds, centred.
    case aspectFit
    /// As small as covers the bounds, centred.
    case aspectFill
    /// As `scaleToFill`.
    case redraw
    /// At its own size, centred.
    case center
    /// At its own size, in the middle of the top edge.
    case top
    /// At its own size, in the middle of the bottom edge.
    case bottom
    /// At its own size, in the middle of the left edge.
    case left
    /// At its own size, in the middle of the right edge.
    case right
    /// At its own size, in the top left corner.
    case topLeft
    /// At its own size, in the top right corner.
    case topRight
    /// At its own size, in the bottom left corner.
    case bottomLeft
    /// At its own size, in the bottom right corner.
    case bottomRight

    /// The rectangle of an image of `width` × `height` in bounds whose origin is (0, 0).
    func rect(
        _ width: Double, _ height: Double, in bounds: (width: Double, height: Double)
    ) -> (x: Double, y: Double, width: Double, height: Double) {
        switch self {
        case .scaleToFill, .redraw:
            return (0, 0, bounds.width, bounds.height)
        case .aspectFit, .aspectFill:
            let (across, down) = (bounds.width / width, bounds.height / height)
            let factor = self == .aspectFit ? min(across, down) : max(across, down)
            let (w, h) = (width * factor, height * factor)
            return ((bounds.width - w) / 2, (bounds.height - h) / 2, w, h)
        default:
            let (right, bottom) = (bounds.width - width, bounds.height - height)
            let x =
                switch self {
                case .left, .topLeft, .bottomLeft: 0.0
                case .right, .topRight, .bottomRight: right
                default: right / 2
                }
            let y =
                switch self {
                case .top, .topLeft, .topRight: 0.0
                case .bottom, .bottomLeft, .bottomRight: bottom
                default: bottom / 2
                }
            return (x, y, width, height)
        }
    }
}
