/// The effects that Tessera brings along.
///
/// They are listed here as types; where an effect is asked for, write `.shadow(blur: 12)` and the like.
public enum Effects {
    /// All that can stand in a recipe.
    package static let codable: [any CodableEffect.Type] = [
        Crop.self, Scale.self, ScaleToFit.self, ScaleToFill.self, Cover.self, CropAndScale.self,
        Opacity.self, Mask.self, MaskFromAlpha.self, Flatten.self, Overlay.self, Tint.self, ColorMatrix.self,
        Reflected.self, Reflection.self,
        GaussianBlur.self, Sharpen.self, Shadow.self,
        CornerRadius.self, Circle.self, Border.self,
        Rotate.self, Flip.self, SmartCrop.self,
    ]
}
