#if Server
internal import ArgumentParser
internal import ImageServer

/// `tessera sign`: addresses in, signed addresses out.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign addresses of pictures for a server that makes nothing unsigned.",
        discussion: """
            URL is a whole address or its path and query, percent-encoded. The signed ones are printed, one to a line. \
            What they ask for can't be changed, nor, with --expires, be had any longer than that. The server is \
            `tessera serve --key-file FILE` with the same file.

            A signature is made of the path and the query alone: HMAC-SHA256 by the key, over the path, a question mark, \
            and the query's items sorted by their bytes and joined by &; in base64url without padding, as the item sig. \
            The key is what the file holds, without a line end after it.

            EXAMPLES
              openssl rand -hex 32 > key
              tessera sign 'http://localhost:8080/image/a.jpg?w=400' --key-file key
              tessera sign '/image/holiday%2Fb.jpg?w=800&radius=20' --key-file key --expires 1h
              tessera sign /iiif/3/a.jpg/full/max/0/default.jpg --key-file key --expires 30d
            """)

    @Argument(help: ArgumentHelp("Addresses.", valueName: "url"))
    var addresses: [String]

    @Option(help: ArgumentHelp("The file that the key is in.", valueName: "file"), completion: .file())
    var keyFile: String

    @Option(
        help: ArgumentHelp("For how long they are good: 90s, 15m, 12h or 7d. Default: for ever.", valueName: "time"),
        transform: TimeSpan.parse)
    var expires: TimeSpan?

    func validate() throws {
        for address in addresses { _ = try Self.parts(of: address) }
    }

    func run() throws {
        let signature = URLSignature(keys: [try SigningKey.read(keyFile)])
        let end = expires.map { TimeSpan.now.addingReportingOverflow($0.seconds) }.map {
            $0.overflow ? .max : $0.partialValue
        }
        for address in addresses {
            let (server, target) = try Self.parts(of: address)
            print("\(server)\(signature.signed(String(target), expires: end))")
        }
    }

    /// Scheme and authority, which may be empty, and the rest without a fragment.
    private static func parts(of address: String) throws -> (server: Substring, target: Substring) {
        if let byte = address.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) {
            let digits = String(byte, radix: 16, uppercase: true)
            throw ValidationError(
                "\"\(address)\" isn't percent-encoded, so browsers send another; there is a byte to be written as %\(byte < 16 ? "0" : "")\(digits)"
            )
        }
        let whole = address.prefix { $0 != "#" }
        guard !whole.hasPrefix("/") else { return ("", whole) }
        guard let scheme = whole.firstRange(of: "://") else {
            throw ValidationError("\"\(address)\" is no address; write http://host/path or /path")
        }
        guard let slash = whole[scheme.upperBound...].firstIndex(of: "/"), slash > scheme.upperBound else {
            throw ValidationError("\"\(address)\" has no path; write http://host/path or /path")
        }
        return (whole[..<slash], whole[slash...])
    }
}
#endif
