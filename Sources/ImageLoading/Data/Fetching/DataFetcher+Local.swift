internal import Essentials

extension DataFetcher {
    /// Fetches a file or a data URL: there is no network in between, and so nothing to try again, to continue or to wait
    /// for. Size and status are checked as a server's are.
    nonisolated(nonsending) func fetchLocal(
        _ request: DataRequest, _ receive: (Event) async throws -> Void
    ) async throws {
        try Task.checkCancellation()
        let download = try await loader.load(request)
        let response = download.response
        guard 200..<300 ~= response.statusCode else {
            throw response.statusCode == 401
                ? DataLoadingError.unauthorized(response) : DataLoadingError.status(response)
        }
        try check(response.expectedByteCount ?? 0)
        try await receive(.response(response))
        var count = 0
        for try await chunk in download.body where !chunk.isEmpty {
            count += chunk.count
            try check(count)
            try await receive(.data(chunk))
        }
        // A sequence that ends when it is cancelled looks like one that is complete.
        try Task.checkCancellation()
        if let expected = response.expectedByteCount, count < expected {
            throw DataLoadingError.truncated(expected: expected, received: count)
        }
    }

    private func check(_ count: Int) throws {
        guard let limit = configuration.maximumByteCount, count > limit else { return }
        throw DataLoadingError.tooLarge(maximumByteCount: limit)
    }
}
