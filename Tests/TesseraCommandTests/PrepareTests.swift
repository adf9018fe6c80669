import Foundation
import TestSupport
import Testing

/// What `Scripts/prepare --benchmarks` makes of a machine where another program is called `convert`.
@Suite("Preparing for the benchmarks") struct PrepareTests {
    @Test(
        "ImageMagick is installed unless its program and its library are present", .needs(CommandLineTool("bash")),
        arguments: [
            ("Version: ImageMagick 6.9.11", "libMagickWand-6.Q16.so.6 (libc6,x86-64)", false),
            ("Version: ImageMagick 6.9.11", "libpng16.so.16 (libc6,x86-64)", true),
            ("convert, a converter of units", "libMagickWand-6.Q16.so.6 (libc6,x86-64)", true),
        ])
    func imageMagick(convert: String, libraries: String, isInstalled: Bool) throws {
        let folder = try TemporaryFolder()
        func program(_ name: String, _ script: String) throws {
            let path = try folder.write(Array("#!/bin/bash\n\(script)\n".utf8), to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        try program("convert", "echo '\(convert)'")
        try program("ldconfig", "echo '\(libraries)'")
        try program("apt-get", "echo \"$*\" >>'\(folder.file("installed"))'")
        try program("sudo", "\"$@\"")
        try program("swift", "echo 'Swift version 6.3'")
        for name in [
            "pkg-config", "Xvfb", "xdotool", "djpeg", "python3", "vipsthumbnail", "nginx", "wrk", "spawn-fcgi",
        ] { try program(name, "exit 0") }
        // Nothing of the machine's but what scripts are made of.
        for name in ["sed", "sort", "head", "grep", "mktemp", "rm", "cat", "env", "bash"] {
            let tool = try #require(CommandLineTool(name).path ?? ["/bin/\(name)"].first)
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name), withDestinationPath: tool)
        }
        let outcome = try Command.run(
            [Repository.file("Scripts/prepare"), "--benchmarks"], in: folder, environment: ["PATH": folder.path],
            program: "/bin/bash")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let installed = (try? folder.read("installed")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(installed.contains("imagemagick") == isInstalled, "\(installed)\(outcome.errors)")
    }
}
