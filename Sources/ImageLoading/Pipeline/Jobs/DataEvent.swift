/// What a job for bytes tells those who wait for them.
enum DataEvent: Sendable {
    /// There are more than before.
    case more(DataFeed)
    /// They are all there.
    case complete(DataOutput)
}
