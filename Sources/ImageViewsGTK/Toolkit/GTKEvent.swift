#if GTK
internal import CTesseraGTK
package import ImageViews

/// What a handler is told; what doesn't apply is empty.
package struct GTKEvent: Sendable {
    /// Keys that are held.
    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: UInt32(TESSERA_SHIFT))
        package static let control = Modifiers(rawValue: UInt32(TESSERA_CONTROL))
        package static let alt = Modifiers(rawValue: UInt32(TESSERA_ALT))
    }

    /// A key's name.
    package let text: String
    /// Paths or addresses.
    package let texts: [String]
    /// A switch's new state.
    package let isOn: Bool
    package let modifiers: Modifiers

    init(_ event: tessera_event) {
        text = event.text.map { String(cString: $0) } ?? ""
        // There are as many strings as `count` says for the length of the call.
        texts = (0..<Int(event.count)).compactMap { index in event.texts[index].map { String(cString: $0) } }
        isOn = event.flag
        modifiers = Modifiers(rawValue: event.modifiers)
    }
}

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

/// A closure that C holds by a reference.
@MainActor
private final class HandlerBody {
    let call: @MainActor (GTKEvent) -> Bool
    nonisolated init(_ call: @escaping @MainActor (GTKEvent) -> Bool) { self.call = call }
}

/// A value that GTK hands to a callback, on the way into the main actor.
///
/// Unchecked: GTK calls back on the main thread alone, so that it goes from that thread to itself.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension tessera_handler {
    /// A handler that calls `body`, and lets go of it when nobody can call it any more.
    init(_ body: @escaping @MainActor (GTKEvent) -> Bool) {
        self.init(
            call: { context, event in
                guard let context, let event = event?.pointee else { return false }
                let call = OnMainThread((context, GTKEvent(event)))
                return MainActor.assumeIsolated {
                    // Holds: C has the reference that was taken for it below until it calls `release`.
                    Unmanaged<HandlerBody>.fromOpaque(call.value.0).takeUnretainedValue().call(call.value.1)
                }
            },
            release: { context in
                if let context { Unmanaged<HandlerBody>.fromOpaque(context).release() }
            },
            context: Unmanaged.passRetained(HandlerBody(body)).toOpaque())
    }
}
#endif
