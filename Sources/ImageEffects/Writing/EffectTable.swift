/// Every effect's written form, in the order in which effects are applied unless said otherwise: what changes the
/// geometry, then what changes colours and lays pictures over another, then corners, border, shadow and reflection, as
/// `FXImageView` has them.
package enum EffectTable {
    /// All forms.
    package static let forms: [EffectForm] = geometry + colors + layers + shape

    private static let places: [String: Int] = Dictionary(
        uniqueKeysWithValues: forms.enumerated().map { ($1.name, $0) })

    /// The form of this name.
    package static subscript(name: String) -> EffectForm? { places[name].map { forms[$0] } }

    /// The place of a form in the order, from 0 on.
    package static func place(of form: EffectForm) -> Int { places[form.name] ?? forms.count }

    /// `written` in the table's order; those of one form stay in the order they have.
    package static func ordered(_ written: [WrittenEffect]) -> [WrittenEffect] {
        written.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }

    // MARK: Ranges

    /// Sides of pictures.
    static let sides = 1.0...65535
    /// Distances from an edge.
    static let offsets = -65535.0...65535
}

extension WrittenEffect {
    fileprivate var place: Int { EffectTable.place(of: form) }
}
