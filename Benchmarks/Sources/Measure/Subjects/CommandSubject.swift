import CMemory
import Glibc

/// A whole command, from its start to its end, and the peak of its resident memory.
final class CommandSubject: Subject {
    private let arguments: [String]
    private(set) var peakByteCount: Int?

    init(_ arguments: [String]) throws {
        guard !arguments.isEmpty else { throw MeasureError("argument 1, a command, is missing") }
        self.arguments = arguments
    }

    func prepare() {}

    func run() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)

        var list: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { list.forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, arguments[0], &actions, nil, &list, environ)
        guard failure == 0 else { throw MeasureError("\(arguments[0]): \(String(cString: strerror(failure)))") }

        var peak = 0
        let status = memory_wait(child, &peak)
        guard status == 0 else { throw MeasureError("\(arguments.joined(separator: " ")): status \(status)") }
        peakByteCount = peak
    }

    func output() throws -> Output { throw MeasureError("a command's output is its own") }
}
