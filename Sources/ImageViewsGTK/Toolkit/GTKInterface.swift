#if GTK
internal import CTesseraGTK
/// What the viewer's file of GtkBuilder describes, its objects by their names.
@MainActor
package struct GTKInterface {
    private let builder: GTKObject

    /// The viewer's window, with its style. Traps when the description is wrong: it is part of the program.
    package init() {
        var (count, message) = (0, nil as UnsafeMutablePointer<CChar>?)
        // Both are constants of the program.
        let description = tessera_viewer_ui(&count)
        guard let pointer = tessera_build(description, count, &message) else {
            fatalError("the interface can't be built: \(message.map { String(cString: $0) } ?? "")")
        }
        builder = GTKObject(owning: pointer)
        tessera_add_style(tessera_viewer_css())
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
#endif
