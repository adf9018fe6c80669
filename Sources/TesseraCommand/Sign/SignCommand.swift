#if Server
internal import ArgumentParser
internal import ImageFormats
internal import ImageServer
internal import Tessera

/// `tessera sign`: signs URLs.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign URLs for a server that requires signatures.",
        discussion: """
            URL is a whole address or its path and query, percent-encoded. The signed addresses are printed, one per line. \
            Nothing in a signed address can be changed, and with --expires it stops working. The server is \
            `tessera serve --key-file FILE` with the same file.

            --prefix signs the image with all its addresses (sizes, tiles, info.json, pages), as zooming viewers need, or \
            with the address of a gallery the folder with all images in it. A page that is opened by such an address leaves \
            the signature in a cookie, so that the rest of the gallery works too.

            A key file holds one key, or a line ID:KEY for each of several, the newest last. The newest signs; a server \
            accepts all of them. To rotate keys, append a line, and delete the oldest once its signatures have expired.

            A signature is HMAC-SHA256 over the path, a question mark, and the query's items sorted by their bytes and \
            joined by &; in base64url without padding, as the item sig; kid is the key's id. /docs has the form of prefixes.

            EXAMPLES
              openssl rand -hex 32 > key
              echo "2026-08:$(openssl rand -hex 32)" >> keys
              tessera sign 'http://localhost:8080/image/a.jpg?w=400' --key-file key
              tessera sign '/image/holiday%2Fb.jpg?w=800&radius=20' --key-file key --expires 1h
              tessera sign --prefix http://localhost:8080/iiif/3/a.jpg/info.json --key-file keys --expires 30d
              tessera sign --prefix 'http://localhost:8080/?folder=holiday' --key-file keys
            """)

    @Argument(help: ArgumentHelp("Addresses.", valueName: "url"))
    var addresses: [String]

    @Option(help: ArgumentHelp("The key file.", valueName: "file"), completion: .file())
    var keyFile: String

    @Option(
        help: ArgumentHelp("The server's --base-path, which signatures don't cover.", valueName: "path"))
    var basePath = ""

    @Flag(help: "Sign all URLs of an image, or of all images in a folder.")
    var prefix = false

    @Option(
        help: ArgumentHelp("Validity of the signature: 90s, 15m, 12h or 7d. Default: unlimited.", valueName: "time"),
        transform: TimeSpan.parse)
    var expires: TimeSpan?

    @Flag(help: "Print JSON lines: one object per address.")
    var json = false

    func validate() throws {
        for address in addresses {
            do throws(ImageError) {
                let target = try URLSignature.target(of: address, basePath: basePath)
                guard !prefix, URLSignature.isPage(target) else { continue }
            } catch {
                throw ValidationError(error.message)
            }
            throw ValidationError("\"\(address)\" is a page, which loads other addresses: sign it with --prefix")
        }
    }

    func run() throws {
        let signature = try URLSignature(keys: try SigningKeyFile.read(keyFile), basePath: basePath)
        let end = expires.map { TimeSpan.now.addingReportingOverflow($0.seconds) }.map {
            $0.overflow ? .max : $0.partialValue
        }
        for address in addresses {
            let signed =
                prefix
                ? try signature.signed(prefixOf: address, expires: end) : try signature.signed(address, expires: end)
            print(
                json
                    ? JSONValue.object([("address", .string(address)), ("signed", .string(signed))]).compactText
                    : signed)
        }
    }
}

/// Reads the file of signing keys.
enum SigningKeyFile {
    /// Reads the keys in the file at `path`, the newest last.
    /// - Throws: `CommandFailure` for a weak key, `ImageError` for a file that can't be read.
    static func read(_ path: String) throws -> [SigningKey] {
        let bytes = try InputLocation(path).open().bytes()
        do throws(ImageError) {
            return try SigningKey.keys(inFile: bytes)
        } catch {
            throw CommandFailure("\(InputLocation(path)): \(error.message)")
        }
    }
}
#endif
