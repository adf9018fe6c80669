package import Essentials

/// Fetches bytes by a loader: asks again what failed, continues what broke off, keeps to the rate, has requests
/// authorised, and checks status and size.
package struct DataFetcher: Sendable {
    /// What a fetch reports.
    package enum Event: Sendable {
        /// The final response: a success, or 304 where the request was conditional. Of a transfer that is continued, what
        /// was said of the whole.
        case response(DataResponse)
        /// Bytes that follow those before.
        case data(Data)
        /// Response and bytes so far are void: the server has another version by now.
        case restart
    }

    let loader: any DataLoading
    let configuration: DataFetching
    let clock: FetchingClock
    let random: @Sendable () -> Double

    /// A fetcher by `loader`.
    package init(loader: any DataLoading, configuration: DataFetching) {
        self.init(loader: loader, configuration: configuration, clock: .system)
    }

    /// A fetcher by `loader`.
    /// - Parameter random: A number from 0 up to 1, exclusive.
    package init(
        loader: any DataLoading, configuration: DataFetching, clock: FetchingClock,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.loader = loader
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// Fetches the bytes that `request` asks for; calls `receive` for each event in order and waits for it.
    ///
    /// Cancelling the task ends the transfer.
    /// - Parameter metadata: Of cached bytes: the server is asked only for another version.
    /// - Throws: `DataLoadingError`, `CancellationError`, what the loader, the authorising hook or `receive` throws.
    nonisolated(nonsending) package func fetch(
        _ request: DataRequest, conditionalOn metadata: DataCacheMetadata? = nil,
        receive: (Event) async throws -> Void
    ) async throws {
        var transfer = DataTransfer(request, metadata, configuration)
        let key = request.url.isLocal ? "" : request.url.absoluteString
        // Only one at a time can continue what is kept.
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

    /// Sends the request as often as the policy says.
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

    /// One request and its answer, and what a server may answer to be asked once more at once.
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
                // Nothing is left to be continued, so this doesn't come twice.
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
        // Between a file or a data URL and here there is no server that counts requests, or asks who sends them.
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
        // A sequence that ends when it is cancelled looks like one that is complete.
        try Task.checkCancellation()
        try transfer.finish()
    }

    nonisolated(nonsending) private static func report(
        _ event: Event, _ receive: (Event) async throws -> Void
    ) async throws {
        do { try await receive(event) } catch { throw ReceiverFailure(error: error) }
    }

    /// What the receiver threw, which is no failure of the download.
    private struct ReceiverFailure: Error {
        var error: any Error
    }
}

/// The times that fetching goes by, so that tests can set them.
package struct FetchingClock: Sendable {
    /// Time since some moment, never going back.
    package var now: @Sendable () -> Duration
    /// Seconds since 1970.
    package var secondsSince1970: @Sendable () -> Int64
    /// Returns after the time, or throws when cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// A clock made of these.
    package init(
        now: @escaping @Sendable () -> Duration, secondsSince1970: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.secondsSince1970 = secondsSince1970
        self.sleep = sleep
    }

    /// The system's.
    package static let system: FetchingClock = {
        let start = ContinuousClock.now
        return FetchingClock(
            now: { start.duration(to: .now) }, secondsSince1970: { Int64(Date().timeIntervalSince1970) },
            sleep: { try await Task.sleep(for: $0) })
    }()
}
