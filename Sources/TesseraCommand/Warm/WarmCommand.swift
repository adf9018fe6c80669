#if Server && HTTP
internal import ArgumentParser
internal import Essentials
internal import ImageFormats
internal import ImageLoading
internal import ImageServer
internal import Tessera

/// `tessera warm`: requests addresses, so that a server or a cache has their responses.
struct WarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Request a list of addresses from a server, so that it has the responses in its caches.",
        discussion: """
            LIST is a file, or `-` for standard input, with an address on each line: /image/a.jpg?w=400, or a whole URL of the \
            server. Empty lines and lines that begin with # are skipped, and so are repeated ones. Responses are read and \
            dropped. A server that is busy (503, 429) is asked again after the time that it names, five times.

            The exit status is 1 if an address failed. With --json there is a line for each: its address, status, bytes, \
            seconds and, if it failed, the reason.

            EXAMPLES
              tessera warm popular.txt --server http://localhost:8080
              tessera warm - --server https://example.org/images --jobs 8 < addresses.txt
              sed 's|.*|/image/&?preset=small|' names.txt | tessera warm - --server http://localhost:8080
              tessera warm popular.txt --server http://localhost:8080 --key-file key
            """)

    @Argument(help: ArgumentHelp("The list of addresses.", valueName: "list"), completion: .file())
    var list: String

    @Option(help: ArgumentHelp("The server: a scheme, a host and the base path, if any.", valueName: "url"))
    var server: String

    @Option(name: .shortAndLong, help: "Number of concurrent requests. Default: 4.")
    var jobs = 4

    @Option(
        help: ArgumentHelp("Sign the addresses with the newest key in this file.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @OptionGroup var report: ReportArguments

    func validate() throws {
        guard (1...256).contains(jobs) else { throw ValidationError("--jobs is 1 to 256, not \(jobs)") }
        guard server.hasPrefix("http://") || server.hasPrefix("https://"), URL(string: server)?.host() != nil else {
            throw ValidationError("--server is a URL, as in http://localhost:8080, not \"\(server)\"")
        }
    }

    func run() async throws {
        let addresses = try readList()
        guard !addresses.isEmpty else { throw CommandFailure("\(InputLocation(list)): there are no addresses") }
        let loader = HTTPDataLoader()
        let bar = ProgressBar(total: addresses.count, isQuiet: report.quiet)
        let start = ContinuousClock.now
        var (failureCount, byteCount) = (0, 0)
        await withTaskGroup(of: WarmedAddress.self) { group in
            var waiting = addresses.makeIterator()
            func startNext() {
                guard let (address, url) = waiting.next() else { return }
                group.addTask { await WarmedAddress(address, url, by: loader) }
            }
            for _ in 0..<jobs { startNext() }
            for await result in group {
                byteCount += result.byteCount
                if result.failure != nil { failureCount += 1 }
                bar.advance(message: result.failure.map { "\(result.address): \($0)\n" })
                report.record(result.json, "\(result.address): \(ByteCount(result.byteCount))")
                startNext()
            }
        }
        bar.finish()
        if !report.quiet, !report.json {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let tenths = Int((seconds * 10).rounded())
            let time = "\(tenths / 10).\(tenths % 10) s"
            print("\(addresses.count) addresses, \(failureCount) failed; \(ByteCount(byteCount)) in \(time)")
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    /// The list's distinct addresses, and their URLs.
    private func readList() throws -> [(address: String, url: URL)] {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        // The part after the authority, which signatures don't cover.
        let path = URL(string: base)?.path(percentEncoded: true) ?? ""
        let signature = try keyFile.map { try URLSignature(keys: SigningKeyFile.read($0), basePath: path) }
        var known: Set<String> = []
        var addresses: [(String, URL)] = []
        let bytes = try InputLocation(list).open().bytes()
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            var address = String(line.drop(while: \.isWhitespace))
            while address.last?.isWhitespace == true { address.removeLast() }
            guard !address.isEmpty, !address.hasPrefix("#"), known.insert(address).inserted else { continue }
            var whole = address.hasPrefix("/") ? base + address : address
            guard whole.hasPrefix(base + "/") else {
                throw CommandFailure(
                    "\"\(address)\" is no address of \(base): write its path, as in /image/a.jpg?w=400")
            }
            if let signature { whole = try signature.signed(whole) }
            guard let url = URL(string: whole) else {
                throw CommandFailure("\"\(address)\" isn't percent-encoded")
            }
            addresses.append((address, url))
        }
        return addresses
    }
}

/// A requested address, and how that ended.
private struct WarmedAddress: Sendable {
    let address: String
    private(set) var status: Int?
    private(set) var byteCount = 0
    private(set) var failure: String?
    private let seconds: Double

    /// Requests `url`, again after the time that a busy server names.
    init(_ address: String, _ url: URL, by loader: HTTPDataLoader) async {
        self.address = address
        let start = ContinuousClock.now
        for attempt in 0...5 {
            do {
                let download = try await loader.load(DataRequest(url: url))
                status = download.response.statusCode
                var text: [UInt8] = []
                for try await piece in download.body {
                    byteCount += piece.count
                    if text.count < 500 { text += piece.prefix(500) }
                }
                guard let status, !(200..<300).contains(status) else {
                    failure = nil
                    break
                }
                let reason = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
                failure = "\(status) \(reason)"
                byteCount = 0
                guard status == 503 || status == 429, attempt < 5 else { break }
                let wait = download.response.headers["Retry-After"].flatMap { Int($0) } ?? 1
                try await Task.sleep(for: .seconds(min(max(1, wait), 30)))
            } catch {
                failure = "\(error)"
                break
            }
        }
        seconds = (ContinuousClock.now - start) / .seconds(1)
    }

    var json: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("address", .string(address))]
        if let status { members.append(("status", .integer(status))) }
        members += [("bytes", .integer(byteCount)), ("seconds", JSONValue((seconds * 1000).rounded() / 1000))]
        if let failure { members.append(("reason", .string(failure))) }
        return members
    }
}
#endif
