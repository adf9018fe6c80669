import Foundation
import Platform
import TestSupport
import Testing

/// Nothing is reached that isn't beneath the folder, however that is made sure of.
@Suite("Open folders")
struct OpenFolderTests {
    private let folder: TemporaryFolder
    private var top: String { folder.file("top") }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["top", "top/inner", "top/inner/deep", "outside"] {
            try #require(mkdir(folder.file(name), 0o700) == 0)
        }
        for name in ["top/a", "top/inner/b", "top/inner/deep/c", "outside/secret", "secret"] {
            try folder.write(Array(name.utf8), to: name)
        }
        for (name, target) in [
            ("out", "../outside/secret"), ("absolute", folder.file("outside/secret")), ("outer", "../outside"),
            ("in", "inner/b"), ("loop", "loop"),
        ] {
            try #require(symlink(target, folder.file("top/" + name)) == 0)
        }
        try #require(mkfifo(folder.file("top/pipe"), 0o600) == 0)
    }

    private func content(_ path: String, _ open: borrowing OpenFolder) throws -> String {
        let file = FileDescriptor(try open.descriptor(of: path, for: .reading), name: path, isOwned: true)
        return try String(decoding: file.bytes(100, at: 0), as: UTF8.self)
    }

    @Test("Paths beneath the folder are found", arguments: [false, true])
    func findsWhatIsBeneath(goesByStep: Bool) throws {
        let open = try OpenFolder(path: top, goesByStep: goesByStep)
        for path in ["a", "inner/b", "inner/deep/c"] {
            #expect(try content(path, open) == "top/" + path)
            #expect(open.status(of: path)?.kind == .regular)
        }
        #expect(open.status(of: "inner")?.kind == .folder && open.status(of: "inner/deep")?.kind == .folder)
        // A pipe is opened without waiting for who writes.
        #expect(open.status(of: "pipe")?.kind == .stream)
        close(try open.descriptor(of: "pipe", for: .reading))
        var names: [String] = []
        FolderListing.forEach(inOpen: try open.descriptor(of: "inner", for: .listing)) { entry in
            names.append(entry.name)
            return true
        }
        #expect(names.sorted() == ["b", "deep"])
    }

    private static let refused = [
        "", "..", "../secret", "inner/..", "inner/../a/../../secret", "inner/../../secret", "/etc/passwd", "/", "none",
        "a/b", "inner/none", "out", "absolute", "outer/secret", "loop", "loop/a", "inner//b", "inner/",
        String(repeating: "x", count: 300),
    ]

    @Test("Paths that leave the folder are refused", arguments: [false, true])
    func refusesWhatIsNot(goesByStep: Bool) throws {
        let open = try OpenFolder(path: top, goesByStep: goesByStep)
        // The system's own way bears with empty names and with ".." that stay beneath.
        let harmless = goesByStep || SystemForms.arePOSIX ? [] : ["inner/..", "inner//b", "inner/"]
        for path in Self.refused where !harmless.contains(path) {
            #expect(throws: SystemError.self, "\(path)") { try open.descriptor(of: path, for: .reading) }
            // A link may be looked at, never what it leads to.
            #expect([nil, .link].contains(open.status(of: path)?.kind), "\(path)")
        }
    }

    @Test("Links are followed only where the system can confine them")
    func followsLinksOnlyWhereTheSystemMakesSureOfThem() throws {
        #expect(throws: SystemError.self) { try content("in", OpenFolder(path: top, goesByStep: true)) }
        let open = try OpenFolder(path: top)
        if SystemForms.arePOSIX {
            #expect(throws: SystemError.self) { try content("in", open) }
            #expect(open.status(of: "in")?.kind == .link)
        } else {
            #expect(try content("in", open) == "top/inner/b")
            #expect(open.status(of: "in")?.kind == .regular)
        }
    }

    @Test("The open folder stays the same when its path is renamed")
    func staysTheFolderThatWasOpened() throws {
        let open = try OpenFolder(path: top)
        try #require(rename(top, folder.file("moved")) == 0 && symlink("outside", top) == 0)
        #expect(try content("a", open) == "top/a")
        #expect(throws: SystemError.self) { try content("secret", open) }
    }

    @Test("A path that is no folder is an error with the reason")
    func saysWhyItIsNone() {
        for (name, code) in [("none", ENOENT), ("secret", ENOTDIR), ("top\0", ENOENT)] {
            do throws(SystemError) {
                let open = try OpenFolder(path: folder.file(name))
                Issue.record("\(name) is open: \(open.number)")
            } catch {
                #expect(error == SystemError(code))
            }
        }
    }
}
