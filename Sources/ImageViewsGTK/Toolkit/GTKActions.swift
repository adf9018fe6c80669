#if GTK
internal import CTesseraGTK

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
