internal import CTesseraGTK

/// Whether widgets are available: the trait `GTK` was on in the build, and the library was installed.
public let isGTKAvailable = tessera_gtk_available()

#if GTK
internal import Dispatch
internal import Raster

/// The GTK application. Tasks of the main actor run in its main loop.
@MainActor
public enum GTKProgram {
    /// Connects to the display and registers the widget types, also for GtkBuilder; false if there is no display.
    ///
    /// Sets `DisplayScale.current`, which widgets keep up to date. SIGINT, SIGTERM and SIGHUP end `run()` as `stop()` does;
    /// a second signal ends the process.
    /// - Parameter name: The name of the application's .desktop file.
    public static func start(name: String) -> Bool {
        guard tessera_start(name) else { return false }
        DisplayScale.current = Double(tessera_display_scale())
        ViewWidget.registerAll()
        return true
    }

    /// Runs the main loop until `stop()`.
    public static func run() { tessera_run() }

    /// Ends `run()`.
    public static func stop() { tessera_stop() }

    /// Starts to record the duration of each call from the main loop into Swift.
    package static func watchCalls() { tessera_watch() }

    /// The durations of the calls since `watchCalls`, in order.
    package static var watchedCalls: [Duration] {
        var times: UnsafePointer<UInt32>?
        let count = tessera_watched(&times)
        // Calls are recorded on this thread, so none is added meanwhile.
        return UnsafeBufferPointer(start: times, count: count).map { .microseconds(Int64($0)) }
    }

    /// Prefers the dark theme while the desktop does.
    package static func followColorScheme() { tessera_follow_color_scheme() }

    /// Whether the desktop's settings allow animations.
    package static var animates: Bool { tessera_animates() }
}
#endif
