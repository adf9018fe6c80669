#if GTK
internal import CTesseraGTK
package import ImageViews
internal import Platform

/// A strong reference to a GTK object. Only this type stores such pointers.
@MainActor
public final class GTKObject {
    /// The `GObject *`. Valid: this object owns a reference from its initialisation to its end.
    public let pointer: OpaquePointer

    /// Retains the object at `pointer`.
    public init(retaining pointer: OpaquePointer) { self.pointer = tessera_retain(pointer) }

    /// Takes over the caller's reference.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// A new object of the type `typeName`; nil if there is no such type.
    package convenience init?(typeName: String) {
        guard let pointer = tessera_new(typeName) else { return nil }
        self.init(owning: pointer)
    }

    isolated deinit { tessera_release(pointer) }
}

// MARK: Properties

extension GTKObject {
    package func set(_ property: String, _ value: Bool) { tessera_set_flag(pointer, property, value) }
    package func set(_ property: String, _ value: Double) { tessera_set_number(pointer, property, value) }
    package func set(_ property: String, _ value: String) { tessera_set_text(pointer, property, value) }
    package func set(_ property: String, _ value: GTKObject) { tessera_set_object(pointer, property, value.pointer) }
    package func flag(_ property: String) -> Bool { tessera_get_flag(pointer, property) }
    package func number(_ property: String) -> Double { tessera_get_number(pointer, property) }

    package func text(_ property: String) -> String {
        guard let text = tessera_get_text(pointer, property) else { return "" }
        defer { free(text) }
        return String(cString: text)
    }
}

// MARK: Widgets

extension GTKObject {
    /// Adds or removes a CSS class.
    package func setClass(_ name: String, _ isOn: Bool = true) { tessera_set_class(pointer, name, isOn) }
    package func focus() { tessera_focus(pointer) }
    /// Runs an action by its full name; false if there is none or it is disabled.
    @discardableResult
    package func activate(_ action: String) -> Bool { tessera_activate(pointer, action) }
    package func present() { tessera_present(pointer) }
    /// Asks a window to close, as its close button does.
    package func close() { tessera_close(pointer) }
    package func destroy() { tessera_destroy(pointer) }
    package func copy(_ texture: Texture) { tessera_copy_texture(pointer, texture.object.pointer) }

    /// Attaches a child to a cell of a grid.
    package func attach(_ child: GTKObject, column: Int, row: Int) {
        tessera_grid_attach(pointer, child.pointer, Int32(column), Int32(row))
    }

    package func removeAllFromGrid() { tessera_grid_clear(pointer) }

    /// Adds a child at the end of a box.
    package func append(_ child: GTKObject) { tessera_box_append(pointer, child.pointer) }

    package func removeAllFromBox() { tessera_box_clear(pointer) }

    /// Sets the pointer's shape over the widget, by a name of CSS; nil for its parent's.
    package func setCursor(_ name: String?) { tessera_set_cursor(pointer, name) }

    /// Opens the menu `menu` at a point of `widget`, which lies in this container.
    package func openMenu(_ menu: GTKObject, at point: ViewPoint, of widget: GTKObject) {
        tessera_popup(pointer, widget.pointer, menu.pointer, point.x, point.y)
    }
}

// MARK: Events

extension GTKObject {
    /// Calls `body` on a signal; its result is the signal's return value, if it has one.
    package func connect(_ signal: String, answer body: @escaping @MainActor (GTKEvent) -> Bool) {
        tessera_connect(pointer, signal, tessera_handler(body))
    }

    /// Calls `body` on a signal without a return value.
    package func connect(_ signal: String, _ body: @escaping @MainActor () -> Void) {
        connect(signal) { _ in
            body()
            return false
        }
    }

    /// Calls `body` for keys that nothing inside the widget has handled; it returns true for a key that it handles.
    package func onKey(_ body: @escaping @MainActor (GTKEvent) -> Bool) {
        tessera_add_keys(pointer, tessera_handler(body))
    }

    /// Calls `body` with the pointer's positions over the widget and its children.
    package func onMotion(_ body: @escaping @MainActor (ViewPoint) -> Void) {
        tessera_add_motion(
            pointer,
            tessera_handler { event in
                body(event.point)
                return false
            })
    }

    /// Calls `body` with a shown window's new sizes.
    package func onLayout(_ body: @escaping @MainActor (ViewSize) -> Void) {
        tessera_on_layout(
            pointer,
            tessera_handler { event in
                body(ViewSize(width: event.point.x, height: event.point.y))
                return false
            })
    }

    /// Calls `body` with the paths and URLs that are dropped on the widget.
    package func onDrop(_ body: @escaping @MainActor ([String]) -> Bool) {
        tessera_add_drop(pointer, tessera_handler { body($0.texts) })
    }
}
#endif
