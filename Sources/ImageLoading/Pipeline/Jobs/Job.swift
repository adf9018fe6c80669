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
            case image(JobID, Inbox<ImageOutput>)
            /// A job that goes on with the bytes, perhaps with the first of them.
            case data(JobID, Inbox<DataEvent>, wantsParts: Bool)
            /// Somebody outside who waits for bytes.
            case bytes(Inbox<DataEvent>)
            /// Nobody: work that the pipeline has decided on.
            case pipeline
        }

        let target: Target
        var priority: ImageRequest.Priority
        let isJoined: Bool
    }

    let key: JobKey
    /// Orders jobs by when they were asked for.
    let sequence: UInt64
    var priority: ImageRequest.Priority
    var subscribers: [UInt64: Subscriber] = [:]
    /// The subscriptions that the job has with others, and with whom.
    var upstream: [UInt64: JobID] = [:]
    /// The stage that the job waits for.
    var waitsFor: ImagePipeline.Stage?
    /// What runs it.
    var task: Task<Void, Never>?
    /// How far its bytes are, for those who come later.
    var progress: ImageTask.Progress?
    /// Its newest preview, likewise.
    var preview: ImageOutput?
    /// Its bytes so far, likewise.
    var feed: DataFeed?

    init(key: JobKey, sequence: UInt64, priority: ImageRequest.Priority) {
        self.key = key
        self.sequence = sequence
        self.priority = priority
    }
}
