internal import Synchronization

/// The loading of one image, with its progress, previews and result.
///
/// Starts when a pipeline creates it. Late readers of its events receive the newest progress, the newest preview and
/// the result.
///
/// ```swift
/// let task = pipeline.imageTask(with: request)
/// for await preview in task.previews { show(preview.image) }
/// show(try await task.response.image)
/// ```
public final class ImageTask: Sendable {
    /// The progress of loading bytes.
    public struct Progress: Hashable, Sendable {
        /// The number of bytes received.
        public var completedByteCount: Int
        /// The total number of bytes; nil if unknown.
        public var totalByteCount: Int?

        /// Creates a progress value.
        public init(completedByteCount: Int = 0, totalByteCount: Int? = nil) {
            self.completedByteCount = completedByteCount
            self.totalByteCount = totalByteCount
        }

        /// The fraction received, from 0 to 1; 0 while the total is unknown.
        public var fraction: Double {
            guard let totalByteCount, totalByteCount > 0 else { return 0 }
            return min(1, Double(completedByteCount) / Double(totalByteCount))
        }
    }

    /// An event of a task.
    public enum Event: Sendable {
        /// More bytes have been received.
        case progress(Progress)
        /// A preview is available.
        case preview(ImageResponse)
        /// The task has ended. This is the last event.
        case finished(Result<ImageResponse, ImagePipeline.Error>)
    }

    /// The state of a task.
    public enum Status: Hashable, Sendable {
        /// The task hasn't ended yet.
        case running
        /// The task has ended with an image or an error.
        case completed
        /// The task was cancelled.
        case cancelled
    }

    struct State {
        var priority: ImageRequest.Priority
        var status = Status.running
        /// Counts progress and previews together, to deliver them in order.
        var version = 0
        var progress = (value: Progress(), version: 0)
        var preview: (value: ImageResponse, version: Int)?
        var result: Result<ImageResponse, ImagePipeline.Error>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private static let lastID = Atomic(0)

    /// The request being loaded.
    public let request: ImageRequest
    /// The task's number, unique within the process.
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

    /// The priority, which can be changed while the task runs. Shared work runs at the highest priority of its tasks.
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

    /// The state of the task.
    public var status: Status { state.withLock { $0.status } }
    /// The current loading progress.
    public var currentProgress: Progress { state.withLock { $0.progress.value } }
    /// The newest preview; nil if there is none.
    public var currentPreview: ImageResponse? { state.withLock { $0.preview?.value } }
    /// The result; nil while the task runs. It is available immediately if the image was in the memory cache.
    public var currentResult: Result<ImageResponse, ImagePipeline.Error>? { state.withLock { $0.result } }

    /// Cancels the task: its response throws `cancelled`. Work that no other request needs stops, down to the
    /// connection.
    public func cancel() { graph.cancel(self) }

    /// Waits for the image. Cancelling the waiting task cancels this one.
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
            // Needs no cancellation handler: cancelling the waiting task cancels and thus ends this one.
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
    /// Hashes the task's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageTask {
    func report(_ progress: Progress) {
        update { state in
            state.version += 1
            state.progress = (progress, state.version)
        }
    }

    /// Stores a preview; slow readers see only the newest.
    func report(_ preview: ImageResponse) {
        update { state in
            state.version += 1
            state.preview = (preview, state.version)
        }
    }

    /// Ends the task, unless it has already ended.
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
