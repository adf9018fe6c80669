import Foundation
import Platform
import TestSupport
import Testing

@Suite("Child processes", .timeLimit(.minutes(5)))
struct ChildProcessTests {
    private static func shell(_ script: String, files: [(file: CInt, number: CInt)] = []) throws -> ChildProcess {
        try ChildProcess("/bin/sh", arguments: ["-c", script], files: files)
    }

    @Test(
        "The exit status or the signal is reported",
        arguments: [
            ("exit 0", .exited(0)), ("exit 7", .exited(7)), ("exit 255", .exited(255)),
            ("kill -9 $$", .signalled(SIGKILL)),
        ] as [(String, ChildProcess.Ending)])
    func saysHowItEnded(_ script: String, _ ending: ChildProcess.Ending) throws {
        var process = try Self.shell(script)
        let found = process.wait()
        #expect(found == ending)
    }

    @Test("A program that can't be started is an error with the reason")
    func whatCantBeStartedSaysWhy() {
        for (path, code) in [("/none/at/all", ENOENT), ("/dev/null", EACCES)] {
            do throws(SystemError) {
                let process = try ChildProcess(path, arguments: [], files: [])
                Issue.record("\(path) runs: \(process.number)")
            } catch {
                #expect(error == SystemError(code))
            }
        }
    }

    @Test("A child gets its files and its environment")
    func findsItsFilesAndItsEnvironment() throws {
        let folder = try TemporaryFolder()
        let output = try FileDescriptor(
            opening: folder.file("output"), O_WRONLY | O_CREAT | O_APPEND, purpose: .writing)
        // The numbers change places on the way.
        var process = try ChildProcess(
            "/bin/sh", arguments: ["-c", "echo 5 >&5; echo $NAME-$HOME >&6; echo lost"], environment: ["NAME=value"],
            files: [(output.number, 6), (output.number, 5)], silent: [1, 2])
        let ending = process.wait()
        #expect(ending == .exited(0))
        #expect(try String(decoding: folder.read("output"), as: UTF8.self) == "5\nvalue-\n")
    }

    @Test("A child starts with no signal blocked")
    func startsWithNoSignalBlocked() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTERM)
        try #require(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        // It ends itself before it can leave with 0.
        var process = try Self.shell("kill -TERM $$; exit 0")
        let ending = process.wait()
        #expect(ending == .signalled(SIGTERM))
    }

    @Test("A child ends with its value")
    func endsWithItsValue() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let writing = ends[1]
        let input = FileDescriptor(ends[0], name: "pipe", isOwned: true)
        var number: pid_t = 0
        do {
            let process = try Self.shell("echo; exec sleep 1000", files: [(writing, 1)])
            number = process.number
            close(writing)
            var byte: UInt8 = 0
            #expect(try withUnsafeMutableBytes(of: &byte) { try input.read(into: $0) } == 1)
            #expect(kill(number, 0) == 0)
        }
        // It is gone, and waited for: nobody has the other end.
        #expect(kill(number, 0) == -1)
        var byte: UInt8 = 0
        #expect(try withUnsafeMutableBytes(of: &byte) { try input.read(into: $0) } == 0)
    }

    @Test("Waiting for a child's end times out, and succeeds after the end")
    func oneThatEndsIsWaitedForAWhile() throws {
        var process = try Self.shell("exec sleep 1000")
        // The first wait must time out; the second has half a minute for what takes no time.
        let hasEnded = process.waitForEnd(centiseconds: 2)
        process.end()
        let hasEndedThen = process.waitForEnd(centiseconds: 3000)
        #expect(!hasEnded && hasEndedThen)
        let ending = process.wait()
        #expect(ending == .signalled(SIGKILL))
    }

    @Test("The running program's own file is found")
    func thisProgramIsFound() throws {
        let path = try #require(OwnProgram.path)
        let folder = try #require(OwnProgram.folder)
        let file = try #require(OwnProgram.file)
        #expect(path.hasPrefix(folder + "/") && !folder.hasSuffix("/"))
        #expect(access(path, X_OK) == 0)
        let (named, opened) = (FileStatus(path: path), FileStatus(path: file))
        #expect(named != nil && named?.inode == opened?.inode && named?.isRegular == true)
    }
}
