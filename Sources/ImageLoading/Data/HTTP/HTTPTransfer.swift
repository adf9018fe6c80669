#if HTTP
internal import CTesseraCURL
internal import Essentials
internal import Platform
internal import Synchronization

/// A request, and its response as it arrives: filled by the thread of `HTTPConnections` and read by one task at a time.
///
/// Bytes that aren't read yet are kept up to a limit, beyond which the transfer pauses.
final class HTTPTransfer: Sendable {
    /// Where and how a request is sent.
    struct Route: Sendable {
        /// The proxy; nil for none.
        var proxy: HTTPProxy?
        /// The address to connect to instead of looking up the host.
        var address: String?
        /// Whether to make a new connection.
        var isFresh = false
    }

    private struct State: Sendable {
        var statusCode = 0
        var headers = HTTPHeaders()
        var headerByteCount = 0
        var isHeadComplete = false
        /// The bytes of the body that have arrived and weren't read.
        var bytes = Data()
        var isPaused = false
        /// Nil until the transfer has ended.
        var end: Result<Void, any Error>?
        /// Whether a request on a new connection may go better.
        var mayRepeat = false
        /// The reader that waits for the header, or for bytes.
        var waiter: CheckedContinuation<Void, Never>?

        /// Takes the waiting task's continuation, which must be resumed outside of the lock.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    let host: String
    let idleMilliseconds: Int
    private let request: DataRequest
    private let route: Route
    private let connectMilliseconds: Int
    private let state = Mutex(State())

    /// The bytes that are kept for a slow reader.
    private static let keptByteCount = 256 << 10
    /// The bytes for which a waiting reader is resumed before the transfer's turn ends.
    private static let announcedByteCount = 128 << 10
    private static let maximumHeaderByteCount = 256 << 10

    init(_ request: DataRequest, _ route: Route, _ configuration: HTTPDataLoader.Configuration) {
        self.request = request
        self.route = route
        host = request.url.host() ?? "the server"
        connectMilliseconds = Self.milliseconds(configuration.connectTimeout)
        idleMilliseconds = Self.milliseconds(configuration.idleTimeout)
    }

    /// As libcurl takes them: at least one, since none stands for its own limit.
    private static func milliseconds(_ time: Duration) -> Int {
        Int(min(max(time / .milliseconds(1), 1), Double(Int32.max)))
    }

    // MARK: The reader

    /// Sends the request and returns when the response's header has arrived.
    func response() async throws -> (statusCode: Int, headers: HTTPHeaders) {
        try HTTPFailure.check(request)
        do {
            try HTTPConnections.shared.submit(.start(self))
        } catch {
            throw DataLoadingError.transport(error)
        }
        await wait { $0.isHeadComplete }
        return try state.withLock { state in
            if !state.isHeadComplete { try state.end?.get() }
            return (state.statusCode, state.headers)
        }
    }

    /// The next bytes of the body; nil at the end.
    func next() async throws -> Data? {
        await wait { !$0.bytes.isEmpty }
        let (bytes, wasPaused) = state.withLock { state in
            defer { (state.bytes, state.isPaused) = (Data(), false) }
            return (state.bytes, state.isPaused)
        }
        if wasPaused { try? HTTPConnections.shared.submit(.resume(self)) }
        guard bytes.isEmpty else { return bytes }
        try state.withLock { try $0.end?.get() }
        return nil
    }

    /// Waits until the state is so, or the transfer has ended. Cancelling the task ends the transfer.
    private func wait(until isReady: @Sendable (borrowing State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if isReady(state) || state.end != nil { return true }
                    state.waiter = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends the transfer, if it hasn't ended, and closes its connection.
    func stop() {
        guard end(with: .failure(CancellationError()), keepsBytes: false) else { return }
        try? HTTPConnections.shared.submit(.stop(self))
    }

    /// Whether the request failed for what may be the fault of the reused connection that it was sent on.
    var mayRepeat: Bool { state.withLock { $0.mayRepeat } }

    // MARK: The thread of the connections

    var hasEnded: Bool { state.withLock { $0.end != nil } }
    var isPaused: Bool { state.withLock { $0.isPaused } }

    func end(_ failure: any Error) { end(with: .failure(failure)) }

    func end(_ outcome: tessera_curl_outcome) {
        guard let failure = HTTPFailure.error(for: outcome, host: host) else {
            end(with: .success(()))
            return
        }
        // A reused connection that is closed makes libcurl send the request again itself, but not one that answers nonsense.
        state.withLock { $0.mayRepeat = outcome.is_reused && $0.statusCode == 0 }
        end(with: .failure(failure))
    }

    /// - Returns: Whether it hadn't ended before.
    @discardableResult
    private func end(with result: Result<Void, any Error>, keepsBytes: Bool = true) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.end == nil else { return (false, nil as CheckedContinuation<Void, Never>?) }
            state.end = result
            if !keepsBytes { state.bytes = Data() }
            return (true, state.takeWaiter())
        }
        waiter?.resume()
        return isFirst
    }

    /// Takes a line of the response's header.
    /// - Returns: False if the header is too long.
    private func receive(line bytes: UnsafeRawBufferPointer) -> Bool {
        let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
        let (isAccepted, waiter) = state.withLock { state in
            let none: CheckedContinuation<Void, Never>? = nil
            // Trailers come after the body.
            guard !state.isHeadComplete else { return (true, none) }
            state.headerByteCount += bytes.count
            guard state.headerByteCount <= Self.maximumHeaderByteCount else { return (false, none) }
            if line.isEmpty {
                // Interim responses (1xx) come before the one that counts.
                state.isHeadComplete = state.statusCode >= 200
                return (true, state.isHeadComplete ? state.takeWaiter() : none)
            }
            if line.hasPrefix("HTTP/") {
                let words = line.split(separator: " ", maxSplits: 2)
                state.statusCode = words.count > 1 ? Int(words[1]) ?? 0 : 0
                state.headers = HTTPHeaders()
            } else if let colon = line.firstIndex(of: ":") {
                state.headers.add(String(line[..<colon]), line[line.index(after: colon)...].trimmedHTTPWhitespace)
            }
            return (true, none)
        }
        waiter?.resume()
        return isAccepted
    }

    /// Takes bytes of the body.
    /// - Returns: False if there are enough for now.
    private func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (isAccepted, waiter) = state.withLock { state in
            let none: CheckedContinuation<Void, Never>? = nil
            guard state.end == nil else { return (true, none) }
            if !state.bytes.isEmpty, state.bytes.count + bytes.count > Self.keptByteCount {
                state.isPaused = true
                return (false, none)
            }
            state.bytes.append(bytes)
            return (true, state.bytes.count < Self.announcedByteCount ? none : state.takeWaiter())
        }
        waiter?.resume()
        return isAccepted
    }

    /// Resumes a reader that waits for bytes if there are any.
    ///
    /// libcurl delivers at most 16 KiB at a time, and waking a task for each would take longer than copying them.
    func announceBytes() {
        let waiter = state.withLock { $0.bytes.isEmpty ? nil : $0.takeWaiter() }
        waiter?.resume()
    }

    /// Begins the transfer in a group of libcurl's.
    func start(in group: OpaquePointer) throws -> OpaquePointer {
        let receiver = tessera_curl_receiver(
            // The connections keep the transfer for as long as libcurl knows it.
            context: Unmanaged.passUnretained(self).toOpaque(),
            line: { context, bytes, count in
                let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context!).takeUnretainedValue()
                return transfer.receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
            },
            bytes: { context, bytes, count in
                let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context!).takeUnretainedValue()
                return transfer.receive(UnsafeBufferPointer(start: bytes, count: count))
            })
        var code: Int32 = 0
        let started = withRequest { tessera_curl_start(group, $0, receiver, &code) }
        guard let started else { throw HTTPFailure.refusal(code, host: host) }
        return started
    }

    private func withRequest<R>(_ body: (UnsafePointer<tessera_curl_request>) -> R) -> R {
        var fields = request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // libcurl's own idea of a body's type.
        if request.headers["Content-Type"] == nil { fields.append("Content-Type:") }
        let credentials = route.proxy?.credentials.map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        let strings: [String?] =
            [
                request.method, request.url.absoluteString, route.proxy?.url, credentials?.first,
                credentials.map { $0.count > 1 ? $0[1] : "" },
                route.address.map { "::\($0.contains(":") ? "[\($0)]" : $0):" },
            ] + fields
        let pointers = strings.map { $0.map { strdup($0)! } }
        defer { for pointer in pointers { free(pointer) } }
        let texts = pointers.map { UnsafePointer<CChar>($0) }
        // Servers want a length, even of nothing, where a method has a body by its nature.
        let content = request.body ?? (["POST", "PUT"].contains(request.method) ? [] : nil)
        return texts.dropFirst(6).withContiguousStorageIfAvailable { fields in
            (content ?? []).withUnsafeBufferPointer { bytes in
                var nothing: UInt8 = 0
                return withUnsafePointer(to: &nothing) { nothing in
                    var request = tessera_curl_request()
                    request.method = texts[0]
                    request.url = texts[1]
                    request.fields = fields.baseAddress
                    request.field_count = fields.count
                    request.body = content == nil ? nil : bytes.baseAddress ?? nothing
                    request.body_length = bytes.count
                    request.proxy = texts[2]
                    request.proxy_name = texts[3]
                    request.proxy_password = texts[4]
                    request.connect_to = texts[5]
                    request.connect_milliseconds = Int64(connectMilliseconds)
                    request.is_fresh = route.isFresh
                    return body(&request)
                }
            }
        }!
    }
}
#endif
