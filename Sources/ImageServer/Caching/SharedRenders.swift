internal import Synchronization

/// Merges equal concurrent requests, so that they wait for one shared render.
package final class SharedRenders<Value: Sendable>: Sendable {
    private struct Render {
        let number: UInt64
        let task: Task<Result<Value, RequestFailure>, Never>
        var waiterCount: Int
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var renders: [String: Render] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of requests that wait for `key`.
    package func waiterCount(for key: String) -> Int { state.withLock { $0.renders[key]?.waiterCount ?? 0 } }

    /// Returns the result of `make`, which runs once at a time for each key, until all waiting tasks are cancelled.
    package func value(
        for key: String, _ make: @escaping @Sendable () async throws(RequestFailure) -> Value
    ) async throws(RequestFailure) -> Value {
        let (number, task) = state.withLock { state in
            if let render = state.renders[key] {
                state.renders[key]?.waiterCount += 1
                return (render.number, render.task)
            }
            state.nextNumber += 1
            let number = state.nextNumber
            let task = Task { [weak self] () -> Result<Value, RequestFailure> in
                let result = await Result(of: make)
                self?.end(key, number)
                return result
            }
            state.renders[key] = Render(number: number, task: task, waiterCount: 1)
            return (number, task)
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(key, number)
        }
        return try result.get()
    }

    private func end(_ key: String, _ number: UInt64) {
        let ended = state.withLock { state -> Render? in
            guard state.renders[key]?.number == number else { return nil }
            return state.renders.removeValue(forKey: key)
        }
        withExtendedLifetime(ended) {}
    }

    private func leave(_ key: String, _ number: UInt64) {
        let abandoned = state.withLock { state -> Render? in
            guard state.renders[key]?.number == number, let count = state.renders[key]?.waiterCount else { return nil }
            state.renders[key]?.waiterCount = count - 1
            // Requests from now on start a new render, as this one is being cancelled.
            return count == 1 ? state.renders.removeValue(forKey: key) : nil
        }
        abandoned?.task.cancel()
    }
}
