#if GTK
internal import CTesseraGTK
package import Essentials
public import ImageViews
internal import Raster

/// The Swift part of a widget, created with it: by `object()`, or by a GtkBuilder file that names its type.
///
/// The GTK widget owns it. After the widget is disposed of, `pointer` is nil, and drawing has no effect.
@MainActor
public class ViewWidget {
    /// The `GtkWidget *`. Valid: it is set to nil when the widget is disposed of.
    public private(set) var pointer: OpaquePointer?
    /// The size in points; zero before layout.
    public private(set) var size = ViewSize.zero
    private var lastTick: Int64?

    // Subclasses override these.
    class var typeName: String { fatalError("a widget without a name") }
    class var isList: Bool { false }
    /// Whether drawing is clipped to the widget.
    class var clips: Bool { true }
    class var properties: [WidgetProperty] { [] }

    required init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// A new widget of this type. The caller owns it until it is added to another widget.
    public static func object() -> GTKObject {
        guard let object = GTKObject(typeName: typeName) else {
            fatalError("widgets are registered by GTKProgram.start")
        }
        return object
    }

    /// The Swift part of `object`; nil if that isn't a Tessera widget.
    public static func widget(of object: GTKObject) -> Self? {
        // Valid: the widget holds a reference to its context until it is disposed of.
        guard let context = tessera_context(object.pointer) else { return nil }
        return Unmanaged<ViewWidget>.fromOpaque(context).takeUnretainedValue() as? Self
    }

    /// Draws. The model may have changed since layout.
    func draw(on canvas: Canvas) {}
    /// The minimum and the natural length; `other` is the length of the other side, or -1.
    func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) { (0, 0) }
    /// Called with the first size and after each change of size.
    func resized() {}
    /// Called when `scaleFactor` has changed.
    func scaled() {}
    /// Handles input; returns true if it was handled.
    func receive(_ input: WidgetInput) -> Bool { false }
    /// Called for each frame after `startTicking()`, with the time since the last frame, until it returns false.
    func tick(by time: Duration) -> Bool { false }
    func hidden() {}
    func disposed() {}
    func setNumber(_ property: Int, _ value: Double) {}
    func setText(_ property: Int, _ value: String) {}
    func number(_ property: Int) -> Double { 0 }
    func text(_ property: Int) -> String { "" }

    /// Device pixels per point.
    public final var scaleFactor: Double { pointer.map { Double(tessera_scale_factor($0)) } ?? 1 }

    /// The colour of text in the current theme, as 0xRRGGBBAA.
    final var textColor: UInt32 { pointer.map { tessera_text_color($0) } ?? 0x8080_80FF }

    /// Requests drawing in the next frame.
    public final func redraw() { if let pointer { tessera_redraw(pointer) } }

    /// Requests a new measurement.
    final func measureAgain() { if let pointer { tessera_resize(pointer) } }

    final func startTicking() {
        // The frame clock has no current time between frames, so motion starts with the next frame. A fixed clock has
        // one, and may be set again before that frame.
        if lastTick == nil { lastTick = ViewTime.fixed.map(Self.microseconds) }
        if let pointer { tessera_start_ticking(pointer) }
    }

    private static func microseconds(_ time: Duration) -> Int64 { Int64(time / .microseconds(1)) }

    /// Sets the name for assistive technology.
    public final func setLabel(_ label: String) { if let pointer { tessera_set_label(pointer, label) } }

}

extension ViewWidget {
    final func dispose() {
        pointer = nil
        disposed()
    }

    final func lay(out size: ViewSize) {
        self.size = size
        DisplayScale.current = scaleFactor
        resized()
    }

    final func scaleFactorChanged() {
        DisplayScale.current = scaleFactor
        scaled()
        redraw()
    }

    final func tick(at frameTime: Int64) -> Bool {
        let time = ViewTime.fixed.map(Self.microseconds) ?? frameTime
        let passed = lastTick.map { max(0, time - $0) } ?? 0
        let goesOn = tick(by: .microseconds(passed))
        lastTick = goesOn ? time : nil
        return goesOn
    }
}

/// A property of a widget, for GtkBuilder files and other languages.
package enum WidgetProperty: Sendable {
    case number(String, ClosedRange<Double>, standard: Double)
    case flag(String, standard: Bool)
    case text(String)
}

extension URL {
    /// The URL of a file path or of an address; nil for an invalid one.
    package init?(pathOrAddress text: String) {
        let scheme = text.prefix { $0 != ":" }
        let hasScheme = text.contains(":") && scheme.count > 1 && scheme.allSatisfy { $0.isLetter || $0.isNumber }
        guard hasScheme else {
            self.init(filePath: text)
            return
        }
        self.init(string: text)
    }
}
#endif
