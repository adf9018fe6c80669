package import Essentials

/// Fetches bytes with a loader: retries failures, resumes interrupted transfers, limits the rate, authorises requests,
/// and checks status and size.
package struct DataFetcher: Sendable {
    /// The events of a fetch.
    package enum Event: Sendable {
        /// The final response: a success, or 304 if the request was conditional. For a resumed transfer, the response
        /// describes the whole.
        case response(DataResponse)
        /// The next bytes.
        case data(Data)
        /// The response and bytes so far are invalid: the server has another version now.
        case restart
    }

    let loader: any DataLoading
    let configuration: DataFetching
    let clock: FetchingClock
    let random: @Sendable () -> Double

    /// Creates a fetcher with the system's clock and random numbers.
    package init(loader: any DataLoading, configuration: DataFetching) {
        self.init(loader: loader, configuration: configuration, clock: .system)
    }

    /// Creates a fetcher.
    /// - Parameter random: Returns a number in 0..<1.
    package init(
        loader: any DataLoading, configuration: DataFetching, clock: FetchingClock,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.loader = loader
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// Fetches the bytes for `request`; calls `receive` for each event in order and waits for it.
    ///
    /// Cancelling the task ends the transfer.
    /// - Parameter metadata: The metadata of cached bytes; the server sends only a different version.
    /// - Throws: `DataLoadingError`, `CancellationError`, or an error of the loader, the authorising closure or
    ///   `receive`.
    nonisolated(nonsending) package func fetch(
        _ request: DataRequest, conditionalOn metadata: DataCacheMetadata? = nil,
        receive: (Event) async throws -> Void
    ) async throws {
        var transfer = DataTransfer(request, metadata, configuration)
        let key = request.url.isLocal ? "" : request.url.absoluteString
        // Taken from the store, so that only one transfer resumes it.
        if transfer.canContinueEarlier, let earlier = configuration.resumableData?.take(key) {
            transfer.beginning = earlier
        }
        do {
            try await attempt(&transfer, receive)
        } catch {
            if let beginning = transfer.resumable { configuration.resumableData?.store(beginning, for: key) }
            throw error
        }
    }

    /// Repeats the exchange as the retry policy allows.
    nonisolated(nonsending) private func attempt(
        _ transfer: inout DataTransfer, _ receive: (Event) async throws -> Void
    ) async throws {
        var attempt = 1
        while true {
            do {
                return try await exchange(&transfer, receive)
            } catch let failure as ReceiverFailure {
                throw failure.error
            } catch let error {
                try Task.checkCancellation()
                if transfer.request.url.isLocal { throw error }
                let delay = configuration.retry.delay(
                    after: error, attempt: attempt, time: clock.secondsSince1970(), random: random())
                guard let delay else { throw error }
                attempt += 1
                try await clock.sleep(delay)
            }
        }
    }

    /// Sends one request, and repeats it at once if the server rejects the resumption or the authorisation.
    nonisolated(nonsending) private func exchange(
        _ transfer: inout DataTransfer, _ receive: (Event) async throws -> Void
    ) async throws {
        var rejection: DataResponse?
        while true {
            let download = try await send(transfer.nextRequest(), rejection)
            switch transfer.judge(download.response) {
            case .accept(let events):
                for event in events { try await Self.report(event, receive) }
                return try await take(download.body, &transfer, receive)
            case .startOver:
                // Nothing is left to resume, so this happens only once.
                continue
            case .authorize:
                guard configuration.authorize != nil, rejection == nil, !transfer.request.url.isLocal else {
                    throw DataLoadingError.unauthorized(download.response)
                }
                rejection = download.response
            case .refuse(let error):
                throw error
            }
        }
    }

    nonisolated(nonsending) private func send(
        _ request: DataRequest, _ rejection: DataResponse?
    ) async throws -> DataDownload {
        var request = request
        // File and data URLs need no rate limit and no authorisation.
        if !request.url.isLocal {
            try await configuration.rateLimiter?.wait()
            try await configuration.authorize?(&request, DataAuthorization(rejection: rejection))
        }
        try Task.checkCancellation()
        return try await loader.load(request)
    }

    nonisolated(nonsending) private func take(
        _ body: DataChunks, _ transfer: inout DataTransfer, _ receive: (Event) async throws -> Void
    ) async throws {
        for try await chunk in body where !chunk.isEmpty {
            try transfer.append(chunk)
            try await Self.report(.data(chunk), receive)
        }
        // A sequence that ends because of cancellation looks complete.
        try Task.checkCancellation()
        try transfer.finish()
    }

    nonisolated(nonsending) private static func report(
        _ event: Event, _ receive: (Event) async throws -> Void
    ) async throws {
        do { try await receive(event) } catch { throw ReceiverFailure(error: error) }
    }

    /// An error thrown by the receiver, which isn't a failure of the download.
    private struct ReceiverFailure: Error {
        var error: any Error
    }
}

/// The clock of a fetcher, which tests can replace.
package struct FetchingClock: Sendable {
    /// The time since a fixed moment; monotonic.
    package var now: @Sendable () -> Duration
    /// Seconds since 1970.
    package var secondsSince1970: @Sendable () -> Int64
    /// Suspends for the duration; throws when cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// A clock that consists of these functions.
    package init(
        now: @escaping @Sendable () -> Duration, secondsSince1970: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.secondsSince1970 = secondsSince1970
        self.sleep = sleep
    }

    /// The system's clocks.
    package static let system: FetchingClock = {
        let start = ContinuousClock.now
        return FetchingClock(
            now: { start.duration(to: .now) }, secondsSince1970: { Int64(Date().timeIntervalSince1970) },
            sleep: { try await Task.sleep(for: $0) })
    }()
}
