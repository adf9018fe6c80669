import Foundation
import Platform
import TestSupport
import Testing

@Suite("Conversations over a socket", .timeLimit(.minutes(5)))
struct ConversationSocketTests {
    private static func text(
        _ socket: borrowing ConversationSocket, until deadline: Int
    ) -> (arrival: ConversationSocket.Arrival, text: String) {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let arrival = bytes.withUnsafeMutableBytes { socket.receive(into: $0, until: deadline) }
        guard case .bytes(let count) = arrival else { return (arrival, "") }
        return (arrival, String(decoding: bytes[..<count], as: UTF8.self))
    }

    @Test("A process answers over the socket")
    func aProcessAnswers() throws {
        var end: CInt = -1
        let socket = try ConversationSocket.makePair(&end)
        let own = socket.number
        #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0 && fcntl(own, F_GETFD) & FD_CLOEXEC != 0)
        let other = FileDescriptor(end, name: "other", isOwned: true)
        var process = try ChildProcess(
            "/bin/sh", arguments: ["-c", "read line; echo got $line"], files: [(other.number, 0), (other.number, 1)])
        let isQuiet = socket.isQuiet
        let isSaid = socket.sendAll(Array("this\n".utf8))
        let answer = Self.text(socket, until: MonotonicClock.milliseconds + 60_000).text
        let ending = process.wait()
        #expect(isQuiet && isSaid && answer == "got this\n" && ending == .exited(0))
    }

    @Test("Receiving times out")
    func waitingHasAnEnd() throws {
        var end: CInt = -1
        let socket = try ConversationSocket.makePair(&end)
        defer { close(end) }
        let start = MonotonicClock.milliseconds
        guard case .nothing = Self.text(socket, until: start + 50).arrival else {
            Issue.record("nothing was said")
            return
        }
        #expect(MonotonicClock.milliseconds - start >= 50)
        guard case .nothing = Self.text(socket, until: start - 50).arrival else {
            Issue.record("nothing was said")
            return
        }
    }

    /// In a process of its own: others may ignore the signal that must not come.
    @Test("A peer that has left is an error, not a signal")
    func whoIsGoneHearsNothingAndKillsNobody() async {
        await #expect(processExitsWith: .exitCode(5)) {
            signal(SIGPIPE, SIG_DFL)
            var end: CInt = -1
            let socket = try ConversationSocket.makePair(&end)
            close(end)
            guard !socket.isQuiet else { exit(3) }
            guard !socket.sendAll([1, 2, 3]) else { exit(1) }
            guard case .ended = Self.text(socket, until: MonotonicClock.milliseconds + 60_000).arrival else { exit(2) }
            exit(5)
        }
    }

    @Test("Messages larger than the socket's buffer are sent in pieces")
    func moreThanASocketHoldsIsSaidInPieces() async throws {
        var end: CInt = -1
        let socket = try ConversationSocket.makePair(&end)
        let number = end
        let reader = Thread.detachedResult { () -> Int in
            let file = FileDescriptor(number, name: "other", isOwned: true)
            var bytes = [UInt8](repeating: 0, count: 3_000_000)
            return bytes.withUnsafeMutableBytes { (try? file.readAll(into: $0)) ?? -1 }
        }
        let isSaid = socket.sendAll([UInt8](repeating: 3, count: 3_000_000))
        #expect(isSaid)
        // The reader's end comes with the conversation's.
        _ = consume socket
        #expect(await reader.value == 3_000_000)
    }
}
