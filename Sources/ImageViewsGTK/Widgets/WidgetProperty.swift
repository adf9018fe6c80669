#if GTK
/// A property of a widget, for files of GtkBuilder and for other languages.
package struct WidgetProperty: Sendable {
    enum Kind: Sendable {
        case number(ClosedRange<Double>, standard: Double)
        case flag(standard: Bool)
        case text
    }

    let name: String
    let kind: Kind

    static func number(_ name: String, _ range: ClosedRange<Double>, standard: Double) -> WidgetProperty {
        WidgetProperty(name: name, kind: .number(range, standard: standard))
    }

    static func flag(_ name: String, standard: Bool = false) -> WidgetProperty {
        WidgetProperty(name: name, kind: .flag(standard: standard))
    }

    static func text(_ name: String) -> WidgetProperty { WidgetProperty(name: name, kind: .text) }
}
#endif
