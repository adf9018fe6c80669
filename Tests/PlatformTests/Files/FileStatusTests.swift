import Foundation
import Platform
import TestSupport
import Testing

@Suite("The status of files")
struct FileStatusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
        try #require(mkdir(folder.file("folder"), 0o700) == 0 && mkfifo(folder.file("pipe"), 0o600) == 0)
        try #require(symlink("file", folder.file("link")) == 0 && symlink("none", folder.file("nowhere")) == 0)
        try #require(link(folder.file("file"), folder.file("same")) == 0)
    }

    @Test(
        "The kind of a file is known",
        arguments: [
            ("file", .regular, .regular), ("folder", .folder, .folder), ("pipe", .stream, .stream),
            ("link", .regular, .link), ("nowhere", nil, .link), ("none", nil, nil), ("file/x", nil, nil),
            ("file\0", nil, nil),
        ] as [(String, FileStatus.Kind?, FileStatus.Kind?)])
    func kinds(_ name: String, _ followed: FileStatus.Kind?, _ own: FileStatus.Kind?) {
        #expect(FileStatus(path: folder.file(name))?.kind == followed)
        #expect(FileStatus(path: folder.file(name), followsLinks: false)?.kind == own)
    }

    @Test("Devices are streams")
    func devicesAreStreams() { #expect(FileStatus(path: "/dev/null")?.kind == .stream) }

    @Test("A missing file's status has the reason")
    func saysWhyThereIsNone() {
        for (path, code) in [(folder.file("none"), ENOENT), (folder.file("file/x"), ENOTDIR), ("a\0", ENOENT)] {
            let status = FileStatus(path: path)
            let error = SystemError.last
            #expect(status == nil && error == SystemError(code), "\(path): \(error)")
        }
        #expect(FileStatus(-1) == nil)
    }

    @Test("Length, permissions and times are known")
    func knowsLengthRightsAndTimes() throws {
        try #require(chmod(folder.file("file"), 0o640) == 0)
        let number = SystemCall.open(folder.file("file"), O_RDWR)
        defer { close(number) }
        var time = FileTime(seconds: 1_234_567_890)
        time.nanoseconds = 5_000
        #expect(time.setTimes(of: number))
        let status = try #require(FileStatus(number))
        #expect(status.byteCount == 3 && status.permissions == 0o640 && status.isRegular && !status.isFolder)
        #expect(status.modificationTime == time && status.accessTime == time && status.changeTime > time)
        var later = time
        later.seconds += 100
        later.setAccessTime(of: number)
        let used = try #require(FileStatus(path: folder.file("file")))
        #expect(used.accessTime == later && used.modificationTime == time)
        #expect(!time.setTimes(of: -1))
    }

    @Test("A file is the same under every name")
    func aFileIsTheSameUnderEveryName() throws {
        let status = { name in try #require(FileStatus(path: self.folder.file(name))) }
        #expect(try status("file").isSameFile(as: status("same")) && status("file").isSameFile(as: status("link")))
        #expect(try !status("file").isSameFile(as: status("folder")))
    }

    @Test(
        "Times are subtracted",
        arguments: [
            (5, 5, 0), (7, 5, 2), (5, 7, 0), (.max, -1, .max), (.min, 1, 0), (0, .min, .max),
        ] as [(Int64, Int64, Int64)])
    func timesBetween(_ one: Int64, _ other: Int64, _ seconds: Int64) {
        #expect(FileTime(seconds: one).seconds(since: FileTime(seconds: other)) == seconds)
    }

    @Test(
        "A file's time in nanoseconds",
        arguments: [(0, 0, 0), (2, 5, 2_000_000_005), (-1, 1, -999_999_999)] as [(Int64, Int64, Int64)])
    func timesAsNumbers(_ seconds: Int64, _ nanoseconds: Int64, _ number: Int64) {
        var time = FileTime(seconds: seconds)
        time.nanoseconds = nanoseconds
        #expect(time.nanosecondsSince1970 == number)
    }
}
