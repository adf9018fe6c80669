#if GTK
internal import ImageViewsGTK
internal import Platform

@MainActor
enum ViewerProgram {
    static let usage = """
        USAGE: tessera-view [FILES|FOLDERS|URLS…]

        Shows pictures in a window. One file brings the others of its folder along. Press F1 for the keys.
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        // Arguments after `--` are names even if they look like options.
        let options = arguments.prefix { $0 != "--" }
        let names = options + arguments.dropFirst(options.count + 1)
        if options.contains("--help") || options.contains("-h") {
            print(usage)
            return
        }
        if let option = options.first(where: { $0.hasPrefix("--") }) {
            ViewerMessage.fail("tessera-view: there is no option \(option)\n\(usage)")
        }
        guard GTKProgram.start(name: "org.tessera.View") else {
            ViewerMessage.fail(
                """
                tessera-view: there is no display to show a window on.
                Neither WAYLAND_DISPLAY nor DISPLAY leads to one.
                """)
        }
        let figures = ViewerFigures()
        let window = ViewerWindow()
        window.present()
        window.open(Array(names))
        GTKProgram.run()
        window.close()
        do {
            try figures?.write()
        } catch {
            ViewerMessage.fail("tessera-view: \(error)")
        }
        // Images may still be decoding on other threads, so nothing is torn down.
        fflush(nil)
        _exit(0)
    }
}
#endif
