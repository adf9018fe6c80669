internal import Tessera

/// Marks as metadata of objects in a bucket, which objects have when they appear.
struct BucketMarks: OutputMarks {
    let root: String

    private struct Mark: OutputMark {
        let text: String?

        func willName(_ file: CInt, byteCount: Int) throws(ImageError) {}
        func didName(_ file: CInt, byteCount: Int) {}
    }

    private static func text(_ key: String) -> String { "1 \(key)" }

    func state(of path: String, key: String) -> OutputState {
        // A store that can't be asked fails when the output is written.
        guard let status = (try? BucketFiles.status(FilePath(path, in: root).text)) ?? nil else { return .missing }
        guard let mark = status.mark else { return .foreign }
        return mark == Self.text(key) ? .current : .stale
    }

    func mark(for path: String, key: String) -> any OutputMark { Mark(text: Self.text(key)) }
}
