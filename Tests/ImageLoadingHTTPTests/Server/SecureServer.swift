#if HTTP
import Foundation
import TestSupport

/// A server with TLS and a certificate that it has signed itself, by openssl.
final class SecureServer: Sendable {
    static let tool = CommandLineTool("openssl")

    let url: URL
    private let process: Process

    init() throws {
        // The files are read before the server listens.
        let folder = try TemporaryFolder()
        let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
        let names = ["-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", certificate]
        guard try Self.tool.run(["req", "-x509", "-newkey", "rsa:2048", "-nodes"] + names) else {
            throw POSIXError(.EINVAL)
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.tool.path!)
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", certificate]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = Pipe()
        try process.run()
        // It says where it listens: ACCEPT 127.0.0.1:39321
        var text = ""
        while !text.contains("\n") || !text.contains("ACCEPT") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw POSIXError(.EADDRNOTAVAIL) }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let port = text.split(separator: "ACCEPT").last?.split(whereSeparator: \.isNewline).first?.split(separator: ":")
            .last
        guard let url = URL(string: "https://localhost:\(port ?? "")/") else { throw POSIXError(.EADDRNOTAVAIL) }
        self.url = url
    }

    deinit { process.terminate() }
}
#endif
