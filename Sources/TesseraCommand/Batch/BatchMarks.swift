internal import ArgumentParser
internal import CTesseraAttributes
internal import Platform
internal import Tessera

/// The relation of a file at an output's path to the output that is wanted.
enum OutputState: Hashable, Sendable {
    /// There is no file.
    case missing
    /// The output, made by the same recipe from the same version of the input.
    case current
    /// An output of a batch, made otherwise or incomplete.
    case stale
    /// A file that no batch has written.
    case foreign
}

/// Where a batch records what its outputs were made from.
enum MarkPlace: String, ExpressibleByArgument, CaseIterable {
    /// In an extended attribute of each output, which it has before it has its name.
    case attributes
    /// In journals, in the hidden folder `.tessera-batch` of the outputs' folder.
    case journal
}

/// The records of what a batch's outputs were made from.
protocol OutputMarks: Sendable {
    /// The state of the file at `path` beneath the root.
    /// - Parameter key: A digest of recipe and input.
    func state(of path: String, key: String) -> OutputState
    /// The mark for a new output at `path` beneath the root.
    func mark(for path: String, key: String) -> any OutputMark
}

/// Marks as extended attributes: part of the file, so that they appear with its name and go when it is replaced.
///
/// The value is a version, the key and the file's length: a file that lost its end in a power failure isn't current.
struct AttributeMarks: OutputMarks {
    /// In the namespace that Linux leaves to users.
    private static let name = "user.tessera.batch"

    let root: String

    private struct Mark: OutputMark {
        let path: String
        let key: String

        func willName(_ file: CInt, byteCount: Int) throws(ImageError) {
            let value = AttributeMarks.value(key, byteCount)
            guard tessera_attribute_set(file, AttributeMarks.name, value, value.count) == 0 else {
                throw ImageError(
                    .inputOutput,
                    "\(path) can't be marked: \(String(cString: strerror(errno))); --marks journal needs no attributes")
            }
        }

        func didName(_ file: CInt, byteCount: Int) {}
    }

    private static func value(_ key: String, _ byteCount: Int) -> [UInt8] { Array("1 \(key) \(byteCount)".utf8) }

    /// Whether files in `folder`, which exists, can have attributes.
    static func isSupported(in folder: String) throws(ImageError) -> Bool {
        // Never committed, so nothing remains of it.
        let probe = try AtomicFile(path: FilePath(".tessera-probe", in: folder).text, overwrites: true)
        return tessera_attribute_set(probe.fileNumber, name, "1", 1) == 0
    }

    func state(of path: String, key: String) -> OutputState {
        let path = FilePath(path, in: root).text
        var value = [UInt8](repeating: 0, count: 128)
        let length = value.withUnsafeMutableBytes { buffer in
            tessera_attribute_get(path.native, Self.name, buffer.baseAddress, buffer.count)
        }
        guard length >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : errno == ERANGE ? .stale : .foreign
        }
        guard let byteCount = FileSystem.byteCount(path) else { return .missing }
        return value.prefix(length).elementsEqual(Self.value(key, byteCount)) ? .current : .stale
    }

    func mark(for path: String, key: String) -> any OutputMark {
        Mark(path: FilePath(path, in: root).text, key: key)
    }
}
