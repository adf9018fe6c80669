internal import ArgumentParser
internal import Platform
internal import Tessera

/// The relation of a file at an output's path to the output that is wanted.
enum OutputState: Hashable, Sendable {
    /// There is no file.
    case missing
    /// There was none when the outputs were listed.
    case unlisted
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
    /// In journals, in the hidden folder `.tessera-batch` of the outputs' folder; in a bucket, besides attributes.
    case journal
}

/// The records of what a batch's outputs were made from.
protocol OutputMarks: Sendable {
    /// The state of the file at `path` beneath the root.
    /// - Parameter key: A digest of recipe and input.
    func state(of path: String, key: String) -> OutputState
    /// The same as it is now, never `unlisted`.
    func currentState(of path: String, key: String) -> OutputState
    /// The mark for a new output at `path` beneath the root, of which there was a file of this state.
    func mark(for path: String, key: String, after state: OutputState) -> OutputMark
    /// Completes the records, when the batch has ended.
    func finish()
}

extension OutputMarks {
    func finish() {}
    func currentState(of path: String, key: String) -> OutputState { state(of: path, key: key) }
}

/// Marks as extended attributes: part of the file, so that they appear with its name and go when it is replaced.
///
/// The value is a version, the key and the file's length: a file that lost its end in a power failure isn't current.
struct AttributeMarks: OutputMarks {
    private static let attribute = FileAttribute("user.tessera.batch")

    let root: String

    private struct Mark: FileMark {
        let path: String
        let key: String

        func willName(_ file: CInt, byteCount: Int) throws(ImageError) {
            do {
                try AttributeMarks.attribute.set(AttributeMarks.value(key, byteCount), on: file)
            } catch {
                throw ImageError(.inputOutput, "\(path) can't be marked: \(error); --marks journal needs no attributes")
            }
        }

        func didName(_ file: CInt) {}
    }

    private static func value(_ key: String, _ byteCount: Int) -> [UInt8] { Array("1 \(key) \(byteCount)".utf8) }

    /// Whether files in `folder`, which exists, can have attributes.
    static func isSupported(in folder: String) throws(ImageError) -> Bool {
        // Never committed, so nothing remains of it.
        let probe = try AtomicFile(path: FilePath(".tessera-probe", in: folder).text, overwrites: true)
        return (try? attribute.set([1], on: probe.fileNumber)) != nil
    }

    func state(of path: String, key: String) -> OutputState {
        let path = FilePath(path, in: root).text
        do {
            guard let value = try Self.attribute.value(at: path, maximumByteCount: 128) else { return .foreign }
            guard let byteCount = FileSystem.byteCount(path) else { return .missing }
            return value == Self.value(key, byteCount) ? .current : .stale
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return .missing
            case ERANGE: return .stale
            default: return .foreign
            }
        }
    }

    func mark(for path: String, key: String, after state: OutputState) -> OutputMark {
        .ofFile(Mark(path: FilePath(path, in: root).text, key: key))
    }
}
