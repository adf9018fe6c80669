import Foundation
import ImageServer
import Raster
import TestSupport

/// A folder of pictures with everything around it that mustn't be served, for real: links, pipes, devices, hidden files.
struct PictureTree {
    let folder: TemporaryFolder

    /// The folder that is served.
    var served: String { folder.file("served") }

    init() throws {
        folder = try TemporaryFolder()
        let manager = FileManager.default
        for name in ["served/sub/deep", "served/.hidden", "served/folder.jpg", "served/empty", "outside"] {
            try manager.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        for name in [
            "served/a.jpg", "served/b.png", "served/sub/c.jpg", "served/sub/deep/d.webp", "served/UPPER.JPG",
            "served/two.jpg", "served/two.png", "served/dots.v2.jpg", "served/ä ö+%41.png", "served/%2e%2e.jpg",
            "served/no-extension", "served/notes.txt", "served/passwd", "served/.hidden.jpg", "served/.hidden/e.jpg",
            "served/same.jpg", "served/..jpg", "served/a\\b.jpg", "served/line\nbreak.jpg",
            "outside/secret.jpg", "outside/secret", "secret.jpg", "served-too.jpg",
        ] {
            try folder.write(Array(name.utf8), to: name)
        }
        for (name, target) in [
            ("out.jpg", "../outside/secret.jpg"), ("out-absolute.jpg", folder.file("outside/secret.jpg")),
            ("out-folder", "../outside"), ("out-twice.jpg", "out-folder/secret.jpg"), ("in.jpg", "sub/c.jpg"),
            ("in-folder", "sub"), ("sub/up.jpg", "../a.jpg"), ("sub/up-and-out.jpg", "../../secret.jpg"),
            ("loop.jpg", "loop.jpg"), ("loop-folder", "."), ("nowhere.jpg", "not-there.jpg"),
            ("passwd.jpg", "/etc/passwd"), ("null.jpg", "/dev/null"), ("self.jpg", "/proc/self/environ"),
            ("root", "/"), ("fd.jpg", "/proc/self/fd/0"), ("up", ".."), ("back.jpg", "../served/a.jpg"),
            ("tty.jpg", "/dev/tty"), ("to-pipe.jpg", "pipe.jpg"), ("cwd", "/proc/self/cwd"),
        ] {
            try manager.createSymbolicLink(atPath: served + "/" + name, withDestinationPath: target)
        }
        try manager.linkItem(atPath: served + "/same.jpg", toPath: served + "/same.png")
        guard mkfifo(served + "/pipe.jpg", 0o600) == 0, chmod(folder.file("outside/secret.jpg"), 0o600) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        let address = sockaddr_un.path(served + "/socket.jpg")
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        _ = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

extension sockaddr_un {
    /// The address of a socket in the file system; cut off where it is too long.
    fileprivate static func path(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return address
    }
}
