#if GTK
import CTesseraGTK
import ImageViewsGTK
import Raster
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A window with one widget, and a clock that is set.
@MainActor
final class Scene {
    private var window: GTKObject?
    private var picture: GTKObject?

    init() { ViewTime.fixed = .zero }

    nonisolated static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// Does what a line says:
    ///
    ///     show TYPE NAME=VALUE…   a widget of that type by a file of GtkBuilder, with these properties
    ///     set NAME=VALUE          a property
    ///     get NAME                says what a text property is
    ///     number NAME             says what a number is
    ///     flag NAME               says whether a flag is on
    ///     display                 says the display's scale, as the process has it
    ///     rescale                 forgets it, and has the widget told of its own
    ///     time MILLISECONDS       sets the clock
    ///     send KIND NAME=VALUE…   input, as a gesture sends it
    func answer(_ words: [String]) -> String {
        guard let command = words.first else { return "empty" }
        let rest = Array(words.dropFirst())
        switch command {
        case "show": show(rest[0], Self.pairs(rest.dropFirst()))
        case "set": for (name, value) in Self.pairs(rest[...]) { set(name, value) }
        case "get": return picture?.text(rest[0]) ?? ""
        case "number": return "\(picture?.number(rest[0]) ?? .nan)"
        case "flag": return "\(picture?.flag(rest[0]) ?? false)"
        case "display": return "\(DisplayScale.current)"
        case "rescale":
            DisplayScale.current = 9
            if let picture { tessera_notify(picture.pointer, "scale-factor") }
        case "time": ViewTime.fixed = .milliseconds(Int(rest[0])!)
        case "send": return "\(send(rest[0], Self.pairs(rest.dropFirst())))"
        default: return "unknown"
        }
        return "done"
    }

    private static func pairs(_ words: ArraySlice<String>) -> [(String, String)] {
        words.map { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
    }

    private func show(_ type: String, _ properties: [(String, String)]) {
        window?.destroy()
        let lines = properties.map { "<property name=\"\($0)\">\($1)</property>" }.joined()
        let interface = GTKInterface(
            """
            <interface><object class="GtkWindow" id="window">
              <property name="title">Scene</property>
              <property name="decorated">false</property>
              <property name="default-width">800</property><property name="default-height">600</property>
              <child><object class="\(type)" id="picture">\(lines)</object></child>
            </object></interface>
            """)
        (window, picture) = (interface["window"], interface["picture"])
        window?.present()
    }

    private func set(_ name: String, _ value: String) {
        if let isOn = Bool(value) {
            picture?.set(name, isOn)
        } else if let number = Double(value) {
            picture?.set(name, number)
        } else {
            picture?.set(name, value)
        }
    }

    private static let kinds: [String: tessera_input_kind] = [
        "scroll": TESSERA_SCROLL, "drag-begin": TESSERA_DRAG_BEGIN, "drag": TESSERA_DRAG, "drag-end": TESSERA_DRAG_END,
        "pinch-begin": TESSERA_PINCH_BEGIN, "pinch": TESSERA_PINCH, "pinch-end": TESSERA_PINCH_END,
        "press": TESSERA_PRESS,
    ]

    private func send(_ kind: String, _ values: [(String, String)]) -> Bool {
        guard let picture, let kind = Self.kinds[kind] else { return false }
        var input = tessera_input()
        input.kind = kind
        input.is_touch = true
        for (name, value) in values {
            switch name {
            case "x": input.x = Double(value)!
            case "y": input.y = Double(value)!
            case "dx": input.dx = Double(value)!
            case "dy": input.dy = Double(value)!
            case "scale": input.scale = Double(value)!
            case "count": input.count = Int32(value)!
            default: return false
            }
        }
        return tessera_send(picture.pointer, &input)
    }
}
#endif
