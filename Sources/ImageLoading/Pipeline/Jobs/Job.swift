internal import ImageFormats

/// A unit of work with its subscribers and priority.
///
/// `@unchecked Sendable`: accessed only under the graph's lock, and by a single thread after removal from the graph.
final class Job: @unchecked Sendable {
    /// A consumer of the job's results.
    struct Subscriber {
        enum Target {
            /// A task outside of the graph.
            case task(ImageTask)
            /// A job that continues with the image.
            case image(JobID, ImageInbox)
            /// A job that continues with the bytes, optionally with partial ones.
            case data(JobID, DataInbox, wantsParts: Bool)
            /// A reader of bytes outside of the graph.
            case bytes(DataInbox)
            /// The pipeline itself, for background work.
            case pipeline
        }

        let number: UInt64
        let target: Target
        var priority: ImageRequest.Priority
        let isJoined: Bool
        /// The job whose code made the request and waits for it, such as a data source that loads another image.
        var caller: JobID?

        var waitingJob: JobID? { target.consumer ?? caller }
    }

    let id: JobID
    let key: JobKey
    /// The position in the order of requests.
    let sequence: UInt64
    var priority: ImageRequest.Priority
    /// Usually one, seldom more than a few.
    var subscribers: [Subscriber] = []
    /// The job's own subscriptions to other jobs.
    var upstream: [JobGraph.Subscription] = []
    var waitsFor: ImagePipeline.Stage?
    var task: Task<Void, Never>?
    /// The newest progress, for late subscribers.
    var progress: ImageTask.Progress?
    /// The newest preview, for late subscribers.
    var preview: ImageOutput?
    /// The bytes so far, for late subscribers.
    var feed: DataFeed?

    init(_ id: JobID, _ key: JobKey, sequence: UInt64, priority: ImageRequest.Priority) {
        self.id = id
        self.key = key
        self.sequence = sequence
        self.priority = priority
    }
}

extension Job.Subscriber.Target {
    /// Delivers an error to a waiting job or reader.
    func fail(_ error: any Error) {
        switch self {
        case .task, .pipeline: break
        case .image(_, let inbox): inbox.finish(.failure(error))
        case .data(_, let inbox, _), .bytes(let inbox): inbox.finish(.failure(error))
        }
    }

    var consumer: JobID? {
        switch self {
        case .image(let id, _), .data(let id, _, _): id
        case .task, .bytes, .pipeline: nil
        }
    }
}

struct JobID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Identifies shareable jobs.
enum JobKey: Hashable, Sendable {
    case data(DataJobKey)
    case image(ImageJobKey)
    /// Encoding an image for the disk cache.
    case encoding(DataCacheKey)
}

/// The bytes to load, and their permitted sources.
struct DataJobKey: Hashable, Sendable {
    let group: String
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    /// Whether to check only if they have changed.
    let isValidation: Bool
}

/// The image to make, and its permitted sources.
struct ImageJobKey: Hashable, Sendable {
    let picture: ImageCacheKey
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    let isProgressive: Bool
}

/// The running job, by which requests made by its data source, decoder or processor are recognised.
struct JobContext: Sendable {
    /// The job of the current task and the tasks it started.
    @TaskLocal static var current: JobContext?

    private let graph: ObjectIdentifier
    private let id: JobID
    /// Distinguishes the job's own task from its child tasks, which it doesn't necessarily wait for.
    private let task: Int?

    init(_ graph: JobGraph, _ id: JobID) {
        self.graph = ObjectIdentifier(graph)
        self.id = id
        task = Self.currentTask
    }

    /// The job of `graph` whose own task is calling; nil elsewhere.
    static func caller(in graph: JobGraph) -> JobID? {
        guard let current, current.graph == ObjectIdentifier(graph), current.task == currentTask else { return nil }
        return current.id
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
