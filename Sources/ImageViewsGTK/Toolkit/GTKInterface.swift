#if GTK
internal import CTesseraGTK

/// What a file of GtkBuilder describes, its objects by their names.
@MainActor
package struct GTKInterface {
    private let builder: GTKObject

    /// The viewer's window, with its style.
    package init() {
        var count = 0
        // Both are constants of the program.
        let description = tessera_viewer_ui(&count)
        self.init(UnsafeBufferPointer(start: description, count: count))
        tessera_add_style(tessera_viewer_css())
    }

    /// What `description` describes.
    package init(_ description: String) {
        self = Array(description.utf8).withUnsafeBufferPointer { GTKInterface($0) }
    }

    /// Traps when the description is wrong: it is part of the program.
    private init(_ description: UnsafeBufferPointer<UInt8>) {
        var message: UnsafeMutablePointer<CChar>?
        guard let pointer = tessera_build(description.baseAddress, description.count, &message) else {
            fatalError("the interface can't be built: \(message.map { String(cString: $0) } ?? "")")
        }
        builder = GTKObject(owning: pointer)
    }

    /// The object called `name`. Traps where there is none.
    package subscript(_ name: String) -> GTKObject {
        guard let object = tessera_built(builder.pointer, name) else { fatalError("the interface has no \(name)") }
        return GTKObject(retaining: object)
    }

    /// Our own widget called `name`. Traps where there is none, or it is another.
    package func widget<Widget: ViewWidget>(_ name: String, as type: Widget.Type) -> Widget {
        guard let widget = ViewWidget.widget(of: self[name]) as? Widget else { fatalError("\(name) is no \(type)") }
        return widget
    }
}

/// Actions of a window, which its buttons, menus and keys run by name.
@MainActor
package struct GTKActions {
    private let group: GTKObject

    /// Actions that `window` and all in it know as `prefix.name`.
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

    /// An action that is on or off.
    package func addSwitch(_ name: String, _ isOn: Bool, _ body: @escaping @MainActor (Bool) -> Void) {
        tessera_add_switch(
            group.pointer, name, isOn,
            tessera_handler { event in
                body(event.isOn)
                return false
            })
    }

    /// Shows a switch in a state, without calling its closure.
    package func setSwitch(_ name: String, _ isOn: Bool) { tessera_set_switch(group.pointer, name, isOn) }

    package func enable(_ name: String, _ isEnabled: Bool) { tessera_enable_action(group.pointer, name, isEnabled) }
}
#endif
