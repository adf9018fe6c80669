#if GTK
internal import CTesseraGTK
package import ImageViews
internal import Platform

/// The arguments of a handler; those that don't apply are empty.
package struct GTKEvent: Sendable {
    /// The modifier keys held down.
    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: UInt32(TESSERA_SHIFT))
        package static let control = Modifiers(rawValue: UInt32(TESSERA_CONTROL))
        package static let alt = Modifiers(rawValue: UInt32(TESSERA_ALT))
    }

    /// The name of a key.
    package let text: String
    /// Paths or URLs.
    package let texts: [String]
    /// The new state of a switch.
    package let isOn: Bool
    package let modifiers: Modifiers
    /// A pointer's position, or a size.
    package let point: ViewPoint

    init(_ event: tessera_event) {
        text = event.text.map { String(cString: $0) } ?? ""
        // There are `count` strings, valid during the call.
        texts = (0..<Int(event.count)).compactMap { index in event.texts[index].map { String(native: $0) } }
        isOn = event.flag
        modifiers = Modifiers(rawValue: event.modifiers)
        point = ViewPoint(x: event.x, y: event.y)
    }
}

/// Input to a widget from a pointer, wheel, touchpad or touch screen, at a point in it.
package struct WidgetInput: Sendable {
    package enum Kind: Sendable {
        /// In steps of a wheel, or in points of a touchpad.
        case scroll(x: Double, y: Double, isFine: Bool)
        case dragBegan
        /// Points since the start of the drag.
        case dragged(x: Double, y: Double)
        case dragEnded(x: Double, y: Double)
        case pinchBegan
        /// The scale since the start of the pinch.
        case pinched(Double)
        case pinchEnded
        /// The count of successive presses at one place: 1 for a single, 2 for a double click.
        case pressed(count: Int)
        case moved
        case left
        /// A request for the context menu: the second button, or a long press.
        case menu
    }

    package let kind: Kind
    /// The position; of a drag, its start.
    package let point: ViewPoint
    package let modifiers: GTKEvent.Modifiers
    /// Whether it comes from a touch screen.
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
            case TESSERA_MENU: .menu
            default: .left
            }
        point = ViewPoint(x: input.x, y: input.y)
        modifiers = GTKEvent.Modifiers(rawValue: input.modifiers)
        isTouch = input.is_touch
    }
}

/// A closure to which C holds a reference.
@MainActor
private final class HandlerBody {
    let call: @MainActor (GTKEvent) -> Bool
    nonisolated init(_ call: @escaping @MainActor (GTKEvent) -> Bool) { self.call = call }
}

/// Carries a value from a GTK callback into the main actor.
///
/// Unchecked: GTK calls back only on the main thread, so the value never leaves that thread.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension tessera_handler {
    /// A handler that calls `body`, and releases it when C can no longer call it.
    init(_ body: @escaping @MainActor (GTKEvent) -> Bool) {
        self.init(
            call: { context, event in
                guard let context, let event = event?.pointee else { return false }
                let call = OnMainThread((context, GTKEvent(event)))
                return MainActor.assumeIsolated {
                    // Valid: C holds the reference taken below until it calls `release`.
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
