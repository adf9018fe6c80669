import CMemory
import Foundation

/// Answers the comparison: a line in, a line of JSON out.
///
/// `run` does the work once and answers with its time; `save PATH` writes what the last run made. The end of the input
/// ends the session.
struct Session {
    private let subject: any Subject

    init(_ arguments: [String]) throws {
        guard let name = arguments.first, let type = subjects[name] else {
            throw MeasureError("usage: measure \(subjects.keys.sorted().joined(separator: "|")) ARGS…")
        }
        subject = try type.init(Array(arguments.dropFirst()))
    }

    func serve() throws {
        answer(["ready": true])
        while let line = readLine() {
            if line == "run" {
                subject.prepare()
                memory_release()
                let clock = ContinuousClock()
                let start = clock.now
                try subject.run()
                let seconds = (clock.now - start) / .seconds(1)
                if let peak = subject.peakByteCount {
                    answer(["seconds": seconds, "peak": peak])
                } else {
                    answer(["seconds": seconds])
                }
            } else if line.hasPrefix("save ") {
                try save(to: URL(filePath: String(line.dropFirst(5))))
            } else {
                throw MeasureError("not understood: \(line)")
            }
        }
    }

    private func save(to file: URL) throws {
        switch try subject.output() {
        case .pixels(let bytes, let width, let height):
            try Data(bytes).write(to: file)
            answer(["width": width, "height": height])
        case .file(let bytes):
            try Data(bytes).write(to: file)
            answer(["bytes": bytes.count])
        }
    }

    private func answer(_ fields: [String: Any]) {
        Self.answer(fields)
    }

    static func answer(_ fields: [String: Any]) {
        // Numbers and strings only, which JSON has.
        let line = try! JSONSerialization.data(withJSONObject: fields)
        FileHandle.standardOutput.write(line + Data("\n".utf8))
    }
}
