#if GTK
internal import CTesseraGTK
package import ImageViews

/// Input to a widget by pointer, wheel, touchpad or touch screen, at a place in it.
package struct WidgetInput: Sendable {
    package enum Kind: Sendable {
        /// By steps of a wheel, or by points of a touchpad.
        case scroll(x: Double, y: Double, isFine: Bool)
        case dragBegan
        /// Points since the drag's beginning.
        case dragged(x: Double, y: Double)
        case dragEnded(x: Double, y: Double)
        case pinchBegan
        /// The scale since the pinch's beginning.
        case pinched(Double)
        case pinchEnded
        /// Which press of several at one place: 1, 2.
        case pressed(count: Int)
        case moved
        case left
    }

    package let kind: Kind
    /// Where; of a drag, where it began.
    package let point: ViewPoint
    package let modifiers: GTKEvent.Modifiers
    /// Whether it is a finger.
    package let isTouch: Bool

    package init(_ kind: Kind, at point: ViewPoint, modifiers: GTKEvent.Modifiers = [], isTouch: Bool = false) {
        self.kind = kind
        self.point = point
        self.modifiers = modifiers
        self.isTouch = isTouch
    }

    init(_ input: tessera_input) {
        kind =
            switch input.kind {
            case TESSERA_SCROLL: .scroll(x: input.dx, y: input.dy, isFine: input.is_fine)
            case TESSERA_DRAG_BEGIN: .dragBegan
            case TESSERA_DRAG: .dragged(x: input.dx, y: input.dy)
            case TESSERA_DRAG_END: .dragEnded(x: input.dx, y: input.dy)
            case TESSERA_PINCH_BEGIN: .pinchBegan
            case TESSERA_PINCH: .pinched(input.scale)
            case TESSERA_PINCH_END: .pinchEnded
            case TESSERA_PRESS: .pressed(count: Int(input.count))
            case TESSERA_MOTION: .moved
            default: .left
            }
        point = ViewPoint(x: input.x, y: input.y)
        modifiers = GTKEvent.Modifiers(rawValue: input.modifiers)
        isTouch = input.is_touch
    }
}
#endif
