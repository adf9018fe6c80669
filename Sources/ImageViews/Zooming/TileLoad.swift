/// A tile that is being loaded, for as long as somebody holds this.
final class TileLoad: Sendable {
    let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
}
