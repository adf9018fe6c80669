#if GTK
internal import CTesseraGTK

/// The objects of a GtkBuilder description, by name.
@MainActor
package struct GTKInterface {
    private let builder: GTKObject

    /// The viewer's window and style sheet.
    package init() {
        var count = 0
        // Both are constants of the program.
        let description = tessera_viewer_ui(&count)
        self.init(UnsafeBufferPointer(start: description, count: count))
        tessera_add_style(tessera_viewer_css())
    }

    /// The objects in `description`.
    package init(_ description: String) {
        self = Array(description.utf8).withUnsafeBufferPointer { GTKInterface($0) }
    }

    /// Traps on an invalid description, since it is part of the program.
    private init(_ description: UnsafeBufferPointer<UInt8>) {
        var message: UnsafeMutablePointer<CChar>?
        guard let pointer = tessera_build(description.baseAddress, description.count, &message) else {
            fatalError("the interface can't be built: \(message.map { String(cString: $0) } ?? "")")
        }
        builder = GTKObject(owning: pointer)
    }

    /// The object called `name`. Traps if there is none.
    package subscript(_ name: String) -> GTKObject {
        guard let object = tessera_built(builder.pointer, name) else { fatalError("the interface has no \(name)") }
        return GTKObject(retaining: object)
    }

    /// The Tessera widget called `name`. Traps if there is none, or if it has another type.
    package func widget<Widget: ViewWidget>(_ name: String, as type: Widget.Type) -> Widget {
        guard let widget = ViewWidget.widget(of: self[name]) as? Widget else { fatalError("\(name) is no \(type)") }
        return widget
    }
}

/// The actions of a window, which its buttons, menus and keys run by name.
@MainActor
package struct GTKActions {
    private let group: GTKObject

    /// Actions that `window` and its children refer to as `prefix.name`.
    package init(for window: GTKObject, prefix: String) {
        group = GTKObject(owning: tessera_action_group())
        tessera_insert_actions(window.pointer, prefix, group.pointer)
    }

    package func add(_ name: String, _ body: @escaping @MainActor () -> Void) {
        tessera_add_action(
            group.pointer, name,
            tessera_handler { _ in
                body()
                return false
            })
    }

    /// An action with an on/off state.
    package func addSwitch(_ name: String, _ isOn: Bool, _ body: @escaping @MainActor (Bool) -> Void) {
        tessera_add_switch(
            group.pointer, name, isOn,
            tessera_handler { event in
                body(event.isOn)
                return false
            })
    }

    /// Sets a switch's state without calling its closure.
    package func setSwitch(_ name: String, _ isOn: Bool) { tessera_set_switch(group.pointer, name, isOn) }

    /// An action with one of several values.
    package func addSelection(_ name: String, _ value: String, _ body: @escaping @MainActor (String) -> Void) {
        tessera_add_selection(
            group.pointer, name, value,
            tessera_handler { event in
                body(event.text)
                return false
            })
    }

    /// Sets the value of a selection without calling its closure.
    package func setSelection(_ name: String, _ value: String) { tessera_set_selection(group.pointer, name, value) }

    package func enable(_ name: String, _ isEnabled: Bool) { tessera_enable_action(group.pointer, name, isEnabled) }
}
#endif
