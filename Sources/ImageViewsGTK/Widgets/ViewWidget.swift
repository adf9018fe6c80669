#if GTK
internal import CTesseraGTK
package import Essentials
public import ImageViews
internal import Raster

/// Swift's side of a widget, made with it: by `object()`, or by a file of GtkBuilder that names its type.
///
/// The widget owns it. Who holds it longer finds `pointer` nil, and what it draws goes nowhere.
@MainActor
public class ViewWidget {
    /// The `GtkWidget *`. Holds: it is set to nil when the widget is disposed of.
    public private(set) var pointer: OpaquePointer?
    /// Width and height in points; zero before it is laid out.
    public private(set) var size = ViewSize.zero
    private var lastTick: Int64?

    // Of the subclasses' own.
    class var typeName: String { fatalError("a widget without a name") }
    class var isList: Bool { false }
    /// Whether nothing is drawn outside the widget.
    class var clips: Bool { true }
    class var properties: [WidgetProperty] { [] }

    required init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// A new widget of this type, held by whoever asked until it is put into another.
    public static func object() -> GTKObject {
        guard let object = GTKObject(typeName: typeName) else {
            fatalError("widgets are registered by GTKProgram.start")
        }
        return object
    }

    /// The one that belongs to `object`; nil where that is no widget of ours.
    public static func widget(of object: GTKObject) -> Self? {
        // Holds: the widget has a reference to its context while it isn't disposed of.
        guard let context = tessera_context(object.pointer) else { return nil }
        return Unmanaged<ViewWidget>.fromOpaque(context).takeUnretainedValue() as? Self
    }

    /// Draws. The model may have changed since it was laid out.
    func draw(on canvas: Canvas) {}
    /// The least and the usual length, with the other side given or -1.
    func measure(isVertical: Bool, for other: Double) -> (minimum: Double, natural: Double) { (0, 0) }
    /// Called with its first size and for each other one.
    func resized() {}
    /// Called when `scaleFactor` has changed.
    func scaled() {}
    /// True takes the input.
    func receive(_ input: WidgetInput) -> Bool { false }
    /// Called at each frame after `startTicking()`, with the time since the last one, until it returns false.
    func tick(by time: Duration) -> Bool { false }
    func hidden() {}
    func disposed() {}
    func setNumber(_ property: Int, _ value: Double) {}
    func setText(_ property: Int, _ value: String) {}
    func number(_ property: Int) -> Double { 0 }
    func text(_ property: Int) -> String { "" }

    /// Device pixels per point.
    public final var scaleFactor: Double { pointer.map { Double(tessera_scale_factor($0)) } ?? 1 }

    /// Has it drawn again with the next frame.
    public final func redraw() { if let pointer { tessera_redraw(pointer) } }

    /// Has it measured again.
    final func measureAgain() { if let pointer { tessera_resize(pointer) } }

    final func startTicking() {
        // The display's clock says nothing of now: motion begins with the next frame. A clock that is set does, and may be
        // set again before that.
        if lastTick == nil { lastTick = ViewTime.fixed.map(Self.microseconds) }
        if let pointer { tessera_start_ticking(pointer) }
    }

    private static func microseconds(_ time: Duration) -> Int64 { Int64(time / .microseconds(1)) }

    /// What assistive programs call it.
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

/// A property of a widget, for files of GtkBuilder and for other languages.
package enum WidgetProperty: Sendable {
    case number(String, ClosedRange<Double>, standard: Double)
    case flag(String, standard: Bool)
    case text(String)
}

extension URL {
    /// The URL of a file's path, or the one that is written; nil where there is none.
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
