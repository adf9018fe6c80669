extension Result where Success: Sendable {
    /// What `body` returns or throws.
    init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

/// What `body` returns, which is cancelled when it has taken as long as `limit`.
/// - Throws: `failure` in that case, and what `body` throws.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, orThrow failure: RequestFailure,
    _ body: @escaping @Sendable () async throws(RequestFailure) -> Value
) async throws(RequestFailure) -> Value {
    let result = await withTaskGroup(of: Result<Value, RequestFailure>.self) { group in
        group.addTask { await Result(of: body) }
        group.addTask {
            try? await Task.sleep(for: limit)
            return .failure(failure)
        }
        defer { group.cancelAll() }
        return await group.next() ?? .failure(failure)
    }
    return try result.get()
}
