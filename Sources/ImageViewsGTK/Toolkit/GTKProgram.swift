internal import CTesseraGTK

/// Whether widgets can be had: the trait `GTK` was on when this was built, and the library was there.
public let isGTKAvailable = tessera_gtk_available()

#if GTK
internal import Dispatch
internal import Raster

/// The program as GTK runs it. Tasks of the main actor run within its loop.
@MainActor
public enum GTKProgram {
    /// Connects to the display and registers the widgets, for files of GtkBuilder too; false where there is no display.
    ///
    /// Sets `DisplayScale.current`, which widgets keep up to date.
    /// - Parameter name: That of the program's .desktop file.
    public static func start(name: String) -> Bool {
        guard tessera_start(name) else { return false }
        DisplayScale.current = Double(tessera_display_scale())
        ViewWidget.registerAll()
        return true
    }

    /// Runs until `stop()`.
    public static func run() { tessera_run() }

    /// Ends `run()`.
    public static func stop() { tessera_stop() }

    /// Has the time noted that each call of the loop into the program takes, from now on.
    package static func watchCalls() { tessera_watch() }

    /// How long each call took since `watchCalls`, in their order.
    package static var watchedCalls: [Duration] {
        var times: UnsafePointer<UInt32>?
        let count = tessera_watched(&times)
        // Nothing is noted while they are read: that is done on this thread.
        return UnsafeBufferPointer(start: times, count: count).map { .microseconds(Int64($0)) }
    }

    /// Has windows dark.
    package static func prefersDark(_ isDark: Bool) { tessera_prefer_dark(isDark) }

    /// Whether things may move by themselves, as the desktop's settings have it.
    package static var animates: Bool { tessera_animates() }

    /// Asks for files and calls `body` once, with their paths or none.
    package static func choose(
        _ choice: FileChoice, title: String, suggestion: String? = nil, for window: GTKObject,
        _ body: @escaping @MainActor ([String]) -> Void
    ) {
        let kind =
            switch choice {
            case .openFiles: TESSERA_OPEN_FILES
            case .openFolder: TESSERA_OPEN_FOLDER
            case .saveFile: TESSERA_SAVE_FILE
            }
        tessera_choose(
            window.pointer, kind, title, suggestion,
            tessera_handler { event in
                body(event.texts)
                return false
            })
    }

    package enum FileChoice { case openFiles, openFolder, saveFile }
}
#endif
