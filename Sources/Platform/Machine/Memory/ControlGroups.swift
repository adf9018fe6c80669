/// The control groups that limit a process's memory.
///
/// Format: Linux, `cgroups(7)`, `/proc/PID/cgroup`.
package struct ControlGroups: Equatable, Sendable {
    /// The group's path in the unified hierarchy (version 2).
    package var unified: String?
    /// The group's path in the memory controller's own hierarchy (version 1).
    package var memory: String?

    package init(unified: String? = nil, memory: String? = nil) {
        self.unified = unified
        self.memory = memory
    }

    /// Reads lines of the form `4:memory:/path`; the unified hierarchy's is `0::/path`. Other lines are ignored.
    package init(_ text: String) {
        self.init()
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
            if fields[0] == "0", fields[1].isEmpty { unified = String(fields[2]) }
            if fields[1].split(separator: ",").contains("memory") { memory = String(fields[2]) }
        }
    }

    /// The folders of `path` in the hierarchy mounted at `mount`, the innermost first.
    ///
    /// In a container the path may be the host's and not exist; the mount is then the container's group.
    package static func folders(of path: String, in mount: String) -> [String] {
        var parts = path.split(separator: "/")
        // A group outside the mounted part.
        if parts.contains("..") { parts = [] }
        var folders: [String] = []
        while !parts.isEmpty {
            folders.append(mount + "/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return folders + [mount]
    }
}
