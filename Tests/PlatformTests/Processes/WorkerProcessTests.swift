import Foundation
import Platform
import TestSupport
import Testing

@Suite("Worker processes", .timeLimit(.minutes(5)))
struct WorkerProcessTests {
    private static func worker(_ script: String) throws(SystemError) -> WorkerProcess {
        try WorkerProcess("/bin/sh", arguments: ["-c", script], environment: ["NAME=value"], memoryByteCount: 1 << 20)
    }

    private static func answer(_ worker: borrowing WorkerProcess) -> String {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let arrival = bytes.withUnsafeMutableBytes {
            worker.conversation.receive(into: $0, until: MonotonicClock.milliseconds + 60_000)
        }
        guard case .bytes(let count) = arrival else { return "\(arrival)" }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test("A worker exchanges messages and shares memory")
    func hasAConversationAndMemory() throws {
        // The memory's first bytes come back by the conversation, which is its descriptor 0.
        var worker = try Self.worker("read word; echo $word $NAME $(/usr/bin/head -c 4 <&4) >&0; exit 3")
        let bytes = Array("abcd".utf8)
        let (memory, conversation) = (worker.memory.number, worker.conversation.number)
        #expect(FileStatus(memory)?.byteCount == 1 << 20)
        #expect(pwrite(memory, bytes, 4, 0) == 4)
        if Confinement.isPossible {
            // Nobody makes it less.
            #expect(ftruncate(memory, 1) == -1)
        }
        for file in [memory, conversation] { #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0) }
        let isSaid = worker.conversation.sendAll(Array("word\n".utf8))
        let answer = Self.answer(worker)
        let ending = worker.end(isEnding: true)
        #expect(isSaid && answer == "word value abcd\n" && ending == .exited(3))
    }

    @Test("A worker that uses up its processor time is ended", .needsLinux("nothing else limits another process"))
    func isEndedWhenItTakesTooLong() throws {
        var worker = try Self.worker("read word; while :; do :; done")
        try worker.limit(processorSeconds: 0, addressByteCount: -1)
        let isSaid = worker.conversation.sendAll(Array("go\n".utf8))
        let answer = Self.answer(worker)
        let ending = worker.end(isEnding: true)
        #expect(isSaid && answer == "ended" && ending == .signalled(SIGXCPU))
    }

    @Test("A worker ends with its value")
    func endsWithItsValue() throws {
        var number: pid_t = 0
        do {
            let worker = try Self.worker("read word")
            number = worker.number
            #expect(kill(number, 0) == 0)
        }
        #expect(kill(number, 0) == -1)
    }

    @Test("A confined worker can't open files", .needsLinux("nothing else confines a process"))
    func whatIsConfinedOpensNothing() async {
        await #expect(processExitsWith: .exitCode(EACCES)) {
            try Confinement.openNothing()
            _exit(SystemCall.open("/dev/null", O_RDONLY) < 0 ? errno : 0)
        }
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try Confinement.openNothing()
            _ = socket(AF_UNIX, SocketOptions.stream, 0)
        }
    }

    @Test(
        "A worker isn't started where it can't be confined",
        .enabled(if: SystemForms.arePOSIX, "this system confines processes"))
    func isRefusedWhereItCantBeConfined() {
        #expect(!Confinement.isPossible)
        do throws(SystemError) {
            let worker = try Self.worker("exit 0")
            try worker.limit(processorSeconds: 1, addressByteCount: -1)
            Issue.record("it is limited")
        } catch {
            #expect(error.isLacking)
        }
        do throws(SystemError) {
            try Confinement.openNothing()
            Issue.record("it is confined")
        } catch {
            #expect(error.isLacking)
        }
    }
}
