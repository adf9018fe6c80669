import Foundation
import Platform
import TestSupport
import Testing

/// Changes in a folder, noticed.
@Suite("Watching a folder")
struct FolderWatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func changes(_ watch: FolderWatch) -> Bool {
        // The event may be some milliseconds late on a busy machine.
        for _ in 0..<100 {
            if watch.hasChanged() { return true }
            usleep(20_000)
        }
        return false
    }

    @Test("New, changed and removed files are noticed, and each only once")
    func files() throws {
        let watch = try FolderWatch(path: folder.path, isRecursive: false)
        #expect(!watch.hasChanged())
        try folder.write([1], to: "a")
        #expect(changes(watch))
        while watch.hasChanged() {}
        try folder.write([1, 2], to: "a")
        #expect(changes(watch))
        while watch.hasChanged() {}
        try FileManager.default.removeItem(atPath: folder.file("a"))
        #expect(changes(watch))
        while watch.hasChanged() {}
        #expect(!watch.hasChanged())
    }

    @Test("Subfolders are watched, new ones too, if that is wanted")
    func subfolders() throws {
        try folder.write([1], to: "old/a")
        let (flat, deep) = (
            try FolderWatch(path: folder.path, isRecursive: false),
            try FolderWatch(path: folder.path, isRecursive: true)
        )
        try folder.write([1], to: "old/b")
        #expect(changes(deep))
        #expect(!flat.hasChanged())
        try FileManager.default.createDirectory(atPath: folder.file("new"), withIntermediateDirectories: false)
        #expect(changes(deep))
        while deep.hasChanged() {}
        try folder.write([1], to: "new/c")
        #expect(changes(deep))
    }

    @Test("A folder that doesn't exist can't be watched")
    func missing() {
        let error = #expect(throws: ImageError.self) {
            try FolderWatch(path: folder.file("nosuch"), isRecursive: true)
        }
        #expect(error?.code == .inputOutput)
    }
}
