#if GTK
internal import ImageFormats
internal import ImageIsolation
internal import ImageViewsGTK
internal import Platform

@MainActor
enum ViewerProgram {
    static let usage = """
        USAGE: tessera-view [-r] [FILES|FOLDERS|URLS…]

        Shows pictures in a window. One file brings the others of its folder along. Press F1 for the keys.

        OPTIONS
          -r, --recursive  Show the pictures in subfolders too.
          -h, --help       Show this help.

        EXAMPLES
          tessera-view photo.jpg
          tessera-view -r ~/Pictures
          tessera-view -- -dash.jpg
        """

    static func main() {
        // Names of files are bytes, which needn't be text.
        let arguments = ProgramArguments.all
        // Arguments after `--` are names even if they look like options.
        let options = arguments.prefix { $0 != "--" }
        let names = options.filter { $0 != "-r" && $0 != "--recursive" } + arguments.dropFirst(options.count + 1)
        if options.contains("--help") || options.contains("-h") {
            print(usage)
            return
        }
        let includesSubfolders = options.contains { $0 == "-r" || $0 == "--recursive" }
        if let option = options.first(where: { $0.hasPrefix("--") && $0 != "--recursive" }) {
            ViewerMessage.fail("tessera-view: there is no option \(option)\n\(usage)")
        }
        guard GTKProgram.start(name: "org.tessera.View") else {
            ViewerMessage.fail(
                """
                tessera-view: there is no display to show a window on.
                Neither WAYLAND_DISPLAY nor DISPLAY leads to one.
                """)
        }
        if let registry = IsolatedDecoding.registryForPrograms { CodecRegistry.default = registry }
        let figures = ViewerFigures()
        let window = ViewerWindow(includesSubfolders: includesSubfolders)
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
