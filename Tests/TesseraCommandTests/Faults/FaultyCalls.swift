import Foundation
import TestSupport
import Testing

/// The library that makes calls of the system go wrong, built for the tests that want it.
struct FaultyCalls {
    /// The compiler that builds it.
    static let compiler = CommandLineTool("clang")

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let source = Repository.file("Tests/Faults/faults.c")
        let isBuilt = try Self.compiler.run(["-O1", "-shared", "-fPIC", "-o", folder.file("faults.so"), source])
        try #require(isBuilt, "the library can't be built")
    }

    /// The environment in which calls of one kind that concern `folder` fail, from the `first` on.
    func environment(_ call: String, _ error: String, from first: Int, in target: TemporaryFolder) -> [String: String] {
        try? FileManager.default.removeItem(atPath: folder.file("log"))
        // A sanitizer may have brought libraries and options.
        func joined(_ name: String, _ value: String) -> String {
            [value, ProcessInfo.processInfo.environment[name]].compactMap(\.self).joined(separator: ":")
        }
        return [
            "LD_PRELOAD": joined("LD_PRELOAD", folder.file("faults.so")), "TESSERA_FAULT": "\(call):\(error):\(first)",
            "TESSERA_FAULT_FOLDER": target.path, "TESSERA_FAULT_LOG": folder.file("log"),
            // The address sanitizer wants to be the first library.
            "ASAN_OPTIONS": joined("ASAN_OPTIONS", "verify_asan_link_order=0"),
        ]
    }

    /// Whether a call has failed since the environment was asked for.
    var wereFelt: Bool { FileManager.default.fileExists(atPath: folder.file("log")) }
}
