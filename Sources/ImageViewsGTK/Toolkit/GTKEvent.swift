#if GTK
internal import CTesseraGTK

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
#endif
