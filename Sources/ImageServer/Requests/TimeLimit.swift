extension Result where Success: Sendable {
    /// Captures the value that `body` returns or the error that it throws.
    init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

/// Runs `body`, and cancels it after `limit`. Returns when `body` has ended, even if that is later.
/// - Throws: `failure` after `limit`, and the errors of `body`.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, orThrow failure: RequestFailure,
    _ body: @escaping @Sendable () async throws(RequestFailure) -> Value
) async throws(RequestFailure) -> Value {
    let result = await withTaskGroup(of: Result<Value, RequestFailure>?.self) { group in
        group.addTask { await Result(of: body) }
        group.addTask {
            do {
                try await Task.sleep(for: limit)
                return .failure(failure)
            } catch {
                // The caller was cancelled, which isn't the limit: the result is that of `body`.
                return nil
            }
        }
        defer { group.cancelAll() }
        for await case let result? in group { return result }
        return .failure(failure)
    }
    return try result.get()
}
