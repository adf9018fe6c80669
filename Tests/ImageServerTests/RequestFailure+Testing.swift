import ImageServer

/// The status of the failure that `body` ends in; nil where it doesn't fail.
func failureStatus<R>(_ body: () throws(RequestFailure) -> R) -> Int? {
    do {
        _ = try body()
        return nil
    } catch {
        return error.status
    }
}
