internal import Synchronization

/// The loading of one picture: its progress, its previews and its end.
///
/// Begins when a pipeline makes it. What has happened so far can be had at any time: events are replayed to whoever
/// comes late, the newest progress and the newest preview for all of their kind, and the one end.
///
/// ```swift
/// let task = pipeline.imageTask(with: request)
/// for await preview in task.previews { show(preview.image) }
/// show(try await task.response.image)
/// ```
public final class ImageTask: Sendable {
    /// How far the loading of bytes is.
    public struct Progress: Hashable, Sendable {
        /// Bytes that are there.
        public var completedByteCount: Int
        /// Bytes that there will be; nil where the server doesn't say.
        public var totalByteCount: Int?

        /// Progress of these counts.
        public init(completedByteCount: Int = 0, totalByteCount: Int? = nil) {
            self.completedByteCount = completedByteCount
            self.totalByteCount = totalByteCount
        }

        /// From 0 to 1; 0 while the total isn't known.
        public var fraction: Double {
            guard let totalByteCount, totalByteCount > 0 else { return 0 }
            return min(1, Double(completedByteCount) / Double(totalByteCount))
        }
    }

    /// Something that happened.
    public enum Event: Sendable {
        /// More bytes are there.
        case progress(Progress)
        /// A preview of the picture.
        case preview(ImageResponse)
        /// The end. Nothing follows.
        case finished(Result<ImageResponse, ImagePipeline.Error>)
    }

    /// Where a task is.
    public enum Status: Hashable, Sendable {
        /// On its way.
        case running
        /// At its end, by itself.
        case completed
        /// At its end, by `cancel()`.
        case cancelled
    }

    struct State {
        var priority: ImageRequest.Priority
        var status = Status.running
        /// Counts progress and previews together, so that they are told in their order.
        var version = 0
        var progress = (value: Progress(), version: 0)
        var preview: (value: ImageResponse, version: Int)?
        var result: Result<ImageResponse, ImagePipeline.Error>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private static let lastID = Atomic(0)

    /// What is asked for.
    public let request: ImageRequest
    /// A number that no other task of the process has.
    public let id: Int
    let state: Mutex<State>
    let start: ContinuousClock.Instant
    private let graph: JobGraph

    init(_ request: ImageRequest, graph: JobGraph) {
        self.request = request
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.graph = graph
        start = .now
        state = Mutex(State(priority: request.priority))
    }

    /// How soon the picture is needed. What is shared with other tasks runs at the highest of their priorities.
    public var priority: ImageRequest.Priority {
        get { state.withLock { $0.priority } }
        set {
            let changes = state.withLock { state in
                guard state.priority != newValue, state.status == .running else { return false }
                state.priority = newValue
                return true
            }
            if changes { graph.setPriority(newValue, of: self) }
        }
    }

    /// Where the task is.
    public var status: Status { state.withLock { $0.status } }
    /// How far the loading of bytes is.
    public var currentProgress: Progress { state.withLock { $0.progress.value } }
    /// The newest preview; nil where there was none.
    public var currentPreview: ImageResponse? { state.withLock { $0.preview?.value } }
    /// How the task ended, nil while it runs. A picture that is in memory has ended its task when that is made.
    public var currentResult: Result<ImageResponse, ImagePipeline.Error>? { state.withLock { $0.result } }

    /// Ends the task: its response throws `cancelled`. Work that nobody else waits for stops, down to the connection.
    public func cancel() { graph.cancel(self) }

    /// The picture, when it is there. Cancelling who waits cancels the task.
    public var response: ImageResponse {
        get async throws(ImagePipeline.Error) {
            let result = await withTaskCancellationHandler {
                await waitForResult()
            } onCancel: {
                cancel()
            }
            return try result.get()
        }
    }

    private func waitForResult() async -> Result<ImageResponse, ImagePipeline.Error> {
        while true {
            if let result = state.withLock({ $0.result }) { return result }
            // Not to be ended by cancelling the waiting task: that cancels this one, which ends it.
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.result == nil else { return true }
                    state.waiters[state.nextWaiter] = continuation
                    state.nextWaiter += 1
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }
}

extension ImageTask: Hashable {
    /// Whether both are the same task.
    public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }
    /// Hashes which task it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageTask {
    func report(_ progress: Progress) {
        update { state in
            state.version += 1
            state.progress = (progress, state.version)
        }
    }

    /// Takes in a preview; a slow reader sees the newest.
    func report(_ preview: ImageResponse) {
        update { state in
            state.version += 1
            state.preview = (preview, state.version)
        }
    }

    /// Ends the task, if nothing has ended it yet.
    func finish(_ result: Result<ImageResponse, ImagePipeline.Error>, as status: Status = .completed) {
        update { state in
            state.result = result
            state.status = status
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard state.status == .running else { return [] }
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}
