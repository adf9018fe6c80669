import Foundation
import TestSupport
import Testing

/// `tessera view`: which program it becomes, and what it says where there is none.
@Suite("tessera view")
struct ViewTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a copy of the program that lies in the folder, with these folders in PATH.
    private func run(_ arguments: [String], path: String) throws -> Command.Outcome {
        let program = folder.file("tessera")
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.copyItem(atPath: Command.program, toPath: program)
        }
        return try Command.run(arguments, in: folder, environment: ["PATH": path], program: program)
    }

    /// A program that writes its arguments, each on a line, and ends with status 7.
    private func writeProgram(_ name: String) throws {
        try folder.write(Array("#!/bin/sh\necho \(name)\nprintf '%s\\n' \"$@\"\nexit 7\n".utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file(name))
    }

    @Test("A missing viewer is reported")
    func saysThatThereIsNoViewer() throws {
        let outcome = try run(["view", "a.png"], path: folder.file("nothing"))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("tessera-view is neither beside this program nor in PATH"), "\(outcome.errors)")
    }

    @Test("The viewer beside the program is started")
    func becomesTheViewerBesideIt() throws {
        try writeProgram("tessera-view")
        let outcome = try run(["view", "a b.png", "https://example.org/c.jpg"], path: "/bin")
        #expect(outcome.status == 7)
        #expect(outcome.text == "tessera-view\n--\na b.png\nhttps://example.org/c.jpg\n")
        let recursive = try run(["view", "-r", "--", "-a.png"], path: "/bin")
        #expect(recursive.text == "tessera-view\n-r\n--\n-a.png\n")
    }

    @Test("The viewer in PATH is started")
    func findsTheViewerInPath() throws {
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: false)
        // A folder of that name is no program.
        try FileManager.default.createDirectory(atPath: folder.file("tessera-view"), withIntermediateDirectories: false)
        try writeProgram("bin/tessera-view")
        let outcome = try run(["view"], path: "\(folder.path):\(folder.file("bin")):/bin")
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("bin/tessera-view\n"))
    }
}
