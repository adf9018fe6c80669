#if GTK
internal import CTesseraGTK
internal import Platform

/// A dialog that asks for files, with further choices if the desktop's dialogs have room for them.
@MainActor
package final class FileDialog {
    /// The purpose of a dialog.
    package enum Purpose: Sendable { case openFiles, openFolder, saveFile }

    private let object: GTKObject

    /// - Parameters:
    ///   - suggestion: The name to save under.
    ///   - folder: The path of the folder that the dialog begins in; nil for the desktop's choice.
    package init(
        _ purpose: Purpose, title: String, suggestion: String? = nil, folder: String? = nil, for window: GTKObject
    ) {
        let kind =
            switch purpose {
            case .openFiles: TESSERA_OPEN_FILES
            case .openFolder: TESSERA_OPEN_FOLDER
            case .saveFile: TESSERA_SAVE_FILE
            }
        let suggestion = suggestion.map(\.printable)
        let dialog =
            if let folder {
                tessera_file_dialog(window.pointer, kind, title, suggestion, folder.native)
            } else {
                tessera_file_dialog(window.pointer, kind, title, suggestion, nil)
            }
        object = GTKObject(owning: dialog!)
    }

    /// Adds a list to choose from; the first value is chosen.
    package func addChoice(_ name: String, _ label: String, values: [(value: String, label: String)]) {
        // Copies that live until the call returns, each list with a terminating null pointer.
        let identifiers: [UnsafePointer<CChar>?] = values.map { UnsafePointer(strdup($0.value)) } + [nil]
        let labels: [UnsafePointer<CChar>?] = values.map { UnsafePointer(strdup($0.label)) } + [nil]
        defer { for string in identifiers + labels { free(UnsafeMutablePointer(mutating: string)) } }
        tessera_add_choice(object.pointer, name, label, identifiers, labels)
    }

    /// The value that is chosen; nil without such a choice.
    package func chosen(_ name: String) -> String? {
        tessera_chosen(object.pointer, name).map { String(cString: $0) }
    }

    /// Shows the dialog and calls `body` once, with the chosen paths, or with none.
    package func show(_ body: @escaping @MainActor (FileDialog, [String]) -> Void) {
        tessera_show_dialog(
            object.pointer,
            tessera_handler { event in
                body(self, event.texts)
                return false
            })
    }
}
#endif
