package import Raster

extension EffectChain {
    /// `written` in the table's order, as `FXImageView` would apply them: a shadow that can't be seen is left out, and
    /// with one the gap of a reflection is what is seen of it. A border follows the corners that are cut before it.
    /// - Throws: What `read` throws.
    package init(ordering written: [WrittenEffect], _ read: WrittenEffect.PictureReader) throws(ImageError) {
        self.init()
        var corners = 0.0
        var shadow: Effects.Shadow?
        for written in EffectTable.ordered(written) {
            switch try written.effect(read) {
            case let corner as Effects.CornerRadius:
                if Set([corner.topLeft, corner.topRight, corner.bottomLeft, corner.bottomRight]).count == 1 {
                    corners = corner.topLeft
                }
                effects.append(corner)
            case let circle as Effects.Circle:
                corners = Self.circleRadius
                effects.append(circle)
            case var border as Effects.Border:
                if border.radius == 0 { border.radius = corners }
                effects.append(border)
            case let cast as Effects.Shadow:
                guard cast.isVisible else { continue }
                shadow = cast
                effects.append(cast)
            case let reflection as Effects.Reflection:
                effects.append(shadow.map { reflection.below($0) } ?? reflection)
            case let effect:
                effects.append(effect)
            }
        }
    }

    /// More than half of any picture's side, which makes a border round.
    private static var circleRadius: Double { 1e6 }
}
