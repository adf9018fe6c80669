internal import ImageFormats

/// Work that is being done, for whom, and how soon.
///
/// Unchecked: read and written under the graph's lock only, and by one thread after it has been taken out of the graph.
final class Job: @unchecked Sendable {
    /// One that waits for the job's results.
    struct Subscriber {
        enum Target {
            /// The task of somebody outside.
            case task(ImageTask)
            /// A job that goes on with the picture.
            case image(JobID, ImageInbox)
            /// A job that goes on with the bytes, perhaps with the first of them.
            case data(JobID, DataInbox, wantsParts: Bool)
            /// Somebody outside who waits for bytes.
            case bytes(DataInbox)
            /// Nobody: work that the pipeline has decided on.
            case pipeline
        }

        let number: UInt64
        let target: Target
        var priority: ImageRequest.Priority
        let isJoined: Bool
        /// The job whose work asked for it, and waits, as a data source that loads another image does.
        var caller: JobID?

        var waitingJob: JobID? { target.consumer ?? caller }
    }

    let id: JobID
    let key: JobKey
    /// Orders jobs by when they were asked for.
    let sequence: UInt64
    var priority: ImageRequest.Priority
    /// Nearly always one, or few.
    var subscribers: [Subscriber] = []
    /// The subscriptions that the job has with others.
    var upstream: [JobGraph.Subscription] = []
    var waitsFor: ImagePipeline.Stage?
    var task: Task<Void, Never>?
    /// How far its bytes are, for those who come later.
    var progress: ImageTask.Progress?
    /// Its newest preview, likewise.
    var preview: ImageOutput?
    /// Its bytes so far, likewise.
    var feed: DataFeed?

    init(_ id: JobID, _ key: JobKey, sequence: UInt64, priority: ImageRequest.Priority) {
        self.id = id
        self.key = key
        self.sequence = sequence
        self.priority = priority
    }
}

extension Job.Subscriber.Target {
    /// Says that there will be nothing.
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

/// What jobs that may be shared are known by.
enum JobKey: Hashable, Sendable {
    case data(DataJobKey)
    case image(ImageJobKey)
    /// A picture's bytes, for the disk cache.
    case encoding(DataCacheKey)
}

/// Which bytes, and from where they may come.
struct DataJobKey: Hashable, Sendable {
    let group: String
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    /// Whether no more is wanted than to know if they have changed.
    let isValidation: Bool
}

/// Which picture, made how, and from where it may come.
struct ImageJobKey: Hashable, Sendable {
    let picture: ImageCacheKey
    let options: ImageRequest.Options
    let cachePolicy: ImageRequest.CachePolicy
    let headers: HTTPHeaders
    let isProgressive: Bool
}

/// The job whose work is being done: what data sources, decoders and processors that ask for images are called by.
struct JobContext: Sendable {
    /// The job of the running task, of those that it started, and of no other.
    @TaskLocal static var current: JobContext?

    private let graph: ObjectIdentifier
    private let id: JobID
    /// Tells the job's own task from others that were started in it, which it needn't wait for.
    private let task: Int?

    init(_ graph: JobGraph, _ id: JobID) {
        self.graph = ObjectIdentifier(graph)
        self.id = id
        task = Self.currentTask
    }

    /// The job of `graph` in whose own task this is called; nil elsewhere.
    static func caller(in graph: JobGraph) -> JobID? {
        guard let current, current.graph == ObjectIdentifier(graph), current.task == currentTask else { return nil }
        return current.id
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
