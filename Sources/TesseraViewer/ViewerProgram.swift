#if GTK
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import ImageViewsGTK

/// The program `tessera-view`.
@MainActor
enum ViewerProgram {
    static let usage = """
        USAGE: tessera-view [FILES|FOLDERS|URLS…]

        Shows pictures in a window. One file brings the others of its folder along. Press F1 for the keys.
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            print(usage)
            return
        }
        if let option = arguments.first(where: { $0.hasPrefix("--") }) {
            ViewerMessage.fail("tessera-view: there is no option \(option)\n\(usage)")
        }
        guard GTKProgram.start(name: "org.tessera.View") else {
            ViewerMessage.fail(
                """
                tessera-view: there is no display to show a window on.
                Neither WAYLAND_DISPLAY nor DISPLAY leads to one.
                """)
        }
        let window = ViewerWindow()
        window.present()
        window.open(arguments)
        GTKProgram.run()
        window.close()
        // Pictures may still be decoded on other threads: nothing is taken down under them.
        fflush(nil)
        _exit(0)
    }
}
#endif
