#if GTK
internal import CTesseraGTK
internal import Platform
package import Raster

/// The desktop's services: recent files, other programs, the background, printing, dates as people there write them.
@MainActor
package enum Desktop {
    /// Adds a file to the list of recent ones.
    package static func addRecent(_ path: String) { tessera_add_recent(path.native) }

    /// The paths of the recent files that this program added, the newest first. They may be gone.
    package static var recentFiles: [String] {
        var paths: [String] = []
        tessera_recent(
            tessera_handler { event in
                paths = event.texts
                return false
            })
        return paths
    }

    /// Asks for a program to open the files at `paths` with; `failed` gets the reason if it doesn't start.
    package static func openWith(
        _ paths: [String], for window: GTKObject, failed: @escaping @MainActor (String) -> Void
    ) {
        guard !paths.isEmpty else { return }
        // Copies that live until the call returns.
        let names: [UnsafePointer<CChar>?] = paths.map { UnsafePointer(strdup($0.native)) }
        defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
        tessera_open_with(
            window.pointer, names, Int32(names.count),
            tessera_handler { event in
                failed(event.text)
                return false
            })
    }

    /// Shows the image at `path` as the desktop's background; false where the desktop has no such setting.
    package static func setWallpaper(_ path: String) -> Bool { tessera_set_wallpaper(path.native) }

    /// Shows the print dialog for one page with an image; `failed` gets the reason if printing fails.
    /// - Throws: `outOfMemory`.
    package static func print(
        _ bitmap: Bitmap, name: String, for window: GTKObject, failed: @escaping @MainActor (String) -> Void
    ) throws(ImageError) {
        let pixels = try bitmap.converted(to: .rgba8, alpha: .premultiplied)
        let handler = tessera_handler { event in
            failed(event.text)
            return false
        }
        let isCopied = pixels.rows.withUnsafeBase { base in
            tessera_print(
                window.pointer, name, base, Int32(pixels.width), Int32(pixels.height), pixels.bytesPerRow, handler)
        }
        guard isCopied else { throw ImageError(.outOfMemory, "no memory for the page") }
    }

    /// Follows the colour profile of the monitor that a shown window is on, as colord has it. Calls `body` with the path of an
    /// ICC profile, or nil for none, first when that is known. Without colord nothing is called.
    package static func followMonitorProfile(of window: GTKObject, _ body: @escaping @MainActor (String?) -> Void) {
        tessera_follow_monitor_profile(
            window.pointer,
            tessera_handler { event in
                body(event.texts.first)
                return false
            })
    }

    /// A date in the form of the user's language; nil for an invalid one.
    package static func text(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> String? {
        taken(
            tessera_date_text(
                Int32(clamping: year), Int32(clamping: month), Int32(clamping: day), Int32(clamping: hour),
                Int32(clamping: minute), Int32(clamping: second)))
    }

    /// A time in seconds since 1970, in the form of the user's language and in local time; nil for an invalid one.
    package static func text(time: Int64) -> String? { taken(tessera_time_text(time)) }

    private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
#endif
