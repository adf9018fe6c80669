import Foundation
import Platform
import TestSupport
import Testing

@Suite("Listing folders")
struct FolderListingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a", ".hidden", "ä ö", "..."] { try folder.write([1], to: name) }
        try #require(mkdir(folder.file("inner"), 0o700) == 0 && symlink("a", folder.file("link")) == 0)
    }

    @Test("A listing has every entry but . and ..")
    func listsAllButItselfAndTheOneAround() {
        var kinds: [String: FileStatus.Kind] = [:]
        let isThere = FolderListing.forEach(in: folder.path) { entry in
            let status = entry.status()
            #expect(entry.kind == nil || entry.kind == status?.kind)
            kinds[entry.name] = status?.kind
            #expect(entry.nameBytes == Array(entry.name.utf8))
        }
        #expect(isThere)
        #expect(
            kinds == [
                "a": .regular, ".hidden": .regular, "ä ö": .regular, "...": .regular, "inner": .folder, "link": .link,
            ])
    }

    @Test("A listing can be stopped early")
    func endsWhenItIsEnough() {
        var count = 0
        let number = SystemCall.open(folder.path, O_RDONLY | O_DIRECTORY)
        FolderListing.forEach(inOpen: number) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }

    @Test("A listing closes its descriptor")
    func closesWhatItWasGiven() throws {
        let number = SystemCall.open(folder.file("inner"), O_RDONLY | O_DIRECTORY)
        // A number that nobody else is given meanwhile.
        let high = fcntl(number, F_DUPFD_CLOEXEC, 900)
        close(number)
        try #require(high >= 900)
        FolderListing.forEach(inOpen: high) { _ in true }
        #expect(fcntl(high, F_GETFD) == -1)
        // What is no folder is closed too.
        let file = SystemCall.open(folder.file("a"), O_RDONLY)
        let other = fcntl(file, F_DUPFD_CLOEXEC, 900)
        close(file)
        FolderListing.forEach(inOpen: other) { _ in true }
        #expect(fcntl(other, F_GETFD) == -1)
    }

    @Test("A missing folder is an error")
    func saysWhereThereIsNoFolder() {
        for name in ["none", "a"] {
            #expect(!FolderListing.forEach(in: folder.file(name)) { _ in Issue.record("nothing is in it") })
        }
    }
}
