public import Raster

extension Effects {
    /// Adds a blurred shadow of the image's shape below it.
    ///
    /// The canvas grows equally on opposite sides, so that the image stays centred. The shadow has the given colour,
    /// its alpha times the image's, blurred by a Gaussian with a standard deviation of half `blur`. Colours are mixed
    /// as stored values.
    public struct Shadow: CodableEffect {
        /// The canvas's growth beyond the shadow's offset.
        public enum Border: String, Hashable, Sendable, Codable, CaseIterable {
            /// By the blur, two standard deviations. The outer 2 % of the shadow are cut off.
            case compatible
            /// By three standard deviations, where the shadow has nearly vanished.
            case threeSigma
        }

        /// The effect's name in recipes.
        public static let name = "shadow"
        /// The shadow's colour.
        public var color: RGBA8
        /// The shadow's offset to the right.
        public var x: Double
        /// The shadow's downward offset.
        public var y: Double
        /// Twice the Gaussian's standard deviation, 0 or more.
        public var blur: Double
        /// The canvas's growth beyond the offset.
        public var border: Border

        /// A shadow of `color`, `x` to the right, `y` down, blurred by `blur`.
        public init(
            color: RGBA8 = RGBA8(0, 0, 0), x: Double = 0, y: Double = 0, blur: Double = 0,
            border: Border = .compatible
        ) {
            self.color = color
            self.x = x
            self.y = y
            self.blur = blur
            self.border = border
        }

        /// Decodes the effect; the shadow defaults to black, without offset or blur.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                color: try values.decode(.color, else: RGBA8(0, 0, 0)), x: try values.decode(.x, else: 0),
                y: try values.decode(.y, else: 0), blur: try values.decode(.blur, else: 0),
                border: try values.decode(.border, else: .compatible))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .color(color), .number(x), .number(y), .number(blur), .text(border.rawValue))
        }

        /// The layout for an image of `size`.
        private func layout(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> ShadowLayout {
            let blur = try context.nonNegativePixels(blur, "a blur")
            let offset = (try context.pixels(x, "a shadow's x"), try context.pixels(y, "a shadow's y"))
            let (x, y) = (offset.0.snapped, offset.1.snapped)
            let layout: ShadowLayout
            switch border {
            case .compatible:
                layout = ShadowLayout(
                    size, x: x, y: y, across: (abs(offset.0) + blur).snapped, down: (abs(offset.1) + blur).snapped,
                    sigma: blur / 2)
            case .threeSigma:
                let reach = Int((1.5 * blur).rounded(.up))
                layout = ShadowLayout(size, x: x, y: y, across: abs(x) + reach, down: abs(y) + reach, sigma: blur / 2)
            }
            try context.validated(layout.canvas)
            return layout
        }

        /// The image's size plus, on each side, the offset and the blur.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try layout(size, in: context).canvas
        }

        /// The image over its shadow.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            try bitmap.shadowed(by: color, try layout(bitmap.size, in: context))
        }
    }
}

extension ImageEffect where Self == Effects.Shadow {
    /// Adds a blurred shadow of the image's shape below it.
    public static func shadow(
        color: RGBA8 = RGBA8(0, 0, 0), x: Double = 0, y: Double = 0, blur: Double = 0,
        border: Effects.Shadow.Border = .compatible
    ) -> Self {
        Self(color: color, x: x, y: y, blur: blur, border: border)
    }
}

/// The positions of an image and its shadow on a canvas.
struct ShadowLayout: Hashable, Sendable {
    /// The canvas's size.
    let canvas: PixelSize
    /// The image's rectangle.
    let picture: PixelRect
    /// The canvas relative to the shadow's unblurred shape, which starts at (0, 0) and has the image's size.
    let window: PixelRect
    /// The blur's standard deviation in pixels.
    let sigma: Double

    /// An image of `size` with borders of `across` and `down` pixels and a shadow moved by `x` and `y`.
    init(_ size: PixelSize, x: Int, y: Int, across: Int, down: Int, sigma: Double) {
        canvas = PixelSize(width: size.width + 2 * across, height: size.height + 2 * down)
        picture = PixelRect(x: across, y: down, width: size.width, height: size.height)
        window = PixelRect(x: -across - x, y: -down - y, width: canvas.width, height: canvas.height)
        self.sigma = sigma
    }
}
