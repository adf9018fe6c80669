internal import ImageFormats
public import ImageLoading
internal import Raster

/// The decoded frames of all players that share it, within one budget of bytes.
///
/// Frames are decoded off the main actor, the next needed first. Frames on screen are kept; of the others, those needed
/// last are evicted first when room is needed. A player without room waits, and shows nothing, until there is some; a
/// single player always plays. A quarter of the budget is for canvases that decoders keep to find frames sooner; the
/// canvas that a decoder draws on is additional.
@MainActor public final class AnimationFramePool {
    /// The default pool of players.
    public static let shared = AnimationFramePool()
    /// 256 MiB.
    nonisolated public static let defaultByteBudget = 256 << 20

    /// The largest number of bytes. A lower budget takes effect immediately, except for frames on screen.
    public var byteBudget: Int {
        didSet {
            shareCanvases()
            makeRoom(for: 0, before: nil)
            serve()
        }
    }

    /// The bytes of decoded frames and of those being decoded.
    public var byteCount: Int { tracks.byteCount }

    /// The highest `byteCount` so far.
    package var highestByteCount: Int { tracks.highestByteCount }
    private var tracks = AnimationTracks()
    /// In the order in which they were added.
    private var players: [Member] = []
    private var observation: MemoryPressureObservation?
    /// Whether `serve` is running: a player that gets a frame calls it again.
    private var isServing = false

    /// The number of frames decoded ahead of need.
    private static let lookahead = 8
    /// The lag behind the other players' clock after which a player's frames are evicted first.
    private static let patience = Duration.seconds(2)

    private struct Member {
        let id: ObjectIdentifier
        let track: ObjectIdentifier
        weak var player: AnimationPlayer?
        /// Whether there is room for its frames.
        var isAdmitted = false
    }

    /// An empty pool.
    /// - Parameter memoryPressure: The source of memory warnings; nil for none.
    public init(
        byteBudget: Int = AnimationFramePool.defaultByteBudget,
        memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure.shared
    ) {
        self.byteBudget = byteBudget
        observation = memoryPressure?.observe { [weak self] _ in
            Task { @MainActor in self?.removeUnshownFrames() }
        }
    }

    /// Removes all frames that aren't on screen, as on memory pressure.
    public func removeUnshownFrames() {
        let shown = shownFrames
        for id in tracks.ids {
            for frame in tracks.frames(of: id) where shown[id]?.contains(frame) != true {
                tracks.removeFrame(frame, of: id)
            }
        }
    }

    // MARK: Players

    func add(_ player: AnimationPlayer) {
        let track = ObjectIdentifier(player.animation)
        if tracks.insert(player.animation) { shareCanvases() }
        players.append(Member(id: ObjectIdentifier(player), track: track, player: player))
    }

    func remove(_ id: ObjectIdentifier) {
        guard let index = players.firstIndex(where: { $0.id == id }) else { return }
        let track = players.remove(at: index).track
        if !players.contains(where: { $0.track == track }), tracks.remove(track) { shareCanvases() }
        serve()
    }

    /// A decoded frame, if the player is admitted.
    func frame(_ index: Int, of player: AnimationPlayer) -> Image? {
        let track = ObjectIdentifier(player.animation)
        guard let frame = tracks[track]?.frames[index] else { return nil }
        let id = ObjectIdentifier(player)
        return players.contains { $0.id == id && $0.isAdmitted } ? frame : nil
    }

    /// The decoded frames of an animation.
    package func heldFrames(of animation: ImageAnimation) -> Set<Int> {
        tracks.frames(of: ObjectIdentifier(animation))
    }

    private func shareCanvases() {
        let all = tracks.all
        for track in all { track.animation.limitKeptPixels(byteCount: max(0, byteBudget) / 4 / all.count) }
    }

    private var frameBudget: Int { max(0, byteBudget - byteBudget / 4) }

    private var shownFrames: [ObjectIdentifier: Set<Int>] {
        var shown: [ObjectIdentifier: Set<Int>] = [:]
        for member in players {
            if let frame = member.player?.imageIndex { shown[member.track, default: []].insert(frame) }
        }
        return shown
    }

    // MARK: Decoding

    /// Starts to decode the frames needed next, as far as there is room.
    func serve() {
        guard !isServing else { return }
        isServing = true
        defer { isServing = false }
        admit()
        var busy = tracks.all.count { $0.loading != nil }
        guard busy < ImageExecutor.shared.width else { return }
        for want in wants() {
            guard let track = tracks[want.track], track.loading == nil else { continue }
            guard makeRoom(for: track.frameByteCount, before: want) else { return }
            decode(want.frame, of: want.track)
            busy += 1
            if busy == ImageExecutor.shared.width { return }
        }
    }

    /// A frame that a player needs.
    private struct Want {
        let track: ObjectIdentifier
        let frame: Int
        let time: Duration
    }

    /// The frames that are needed and missing, the next first. Each animation has at most one, since it decodes one at
    /// a time.
    private func wants() -> [Want] {
        var first: [ObjectIdentifier: Want] = [:]
        for member in players where member.isAdmitted {
            guard let track = tracks[member.track], track.loading == nil, let player = member.player else { continue }
            let missing = player.wantedFrames(Self.lookahead).first { wanted in
                track.frames[wanted.frame] == nil && !track.failed.contains(wanted.frame)
            }
            guard let missing, missing.time < first[member.track]?.time ?? .seconds(Int64.max / 4) else { continue }
            first[member.track] = Want(track: member.track, frame: missing.frame, time: missing.time)
        }
        return first.values.sorted { $0.time < $1.time }
    }

    /// Admits players, first come, first served. Each needs room for the frame that it shows, and each animation for
    /// one in progress.
    private func admit() {
        var (reserved, admitted, counts) = (0, 0, [ObjectIdentifier: Int]())
        func cost(_ track: ObjectIdentifier) -> Int {
            (tracks[track]?.frameByteCount ?? 0) * (counts[track] == nil ? 2 : 1)
        }
        tracks.estimate()
        for member in players where member.isAdmitted {
            reserved += cost(member.track)
            counts[member.track, default: 0] += 1
            admitted += 1
        }
        for index in players.indices where !players[index].isAdmitted {
            let track = players[index].track
            guard let byteCount = tracks[track]?.frameByteCount, byteCount > 0 else { continue }
            guard admitted == 0 || reserved + cost(track) <= frameBudget else { continue }
            players[index].isAdmitted = true
            reserved += cost(track)
            counts[track, default: 0] += 1
            admitted += 1
        }
    }

    private func decode(_ frame: Int, of id: ObjectIdentifier) {
        guard let track = tracks[id] else { return }
        let animation = track.animation
        let task = Task { [weak self] in
            let result = await Self.decoded(frame, of: animation)
            self?.finish(frame, of: id, result)
        }
        tracks.begin(frame, of: id, task)
    }

    nonisolated private static func decoded(
        _ frame: Int, of animation: ImageAnimation
    ) async -> Result<Image, any Error> {
        do {
            return .success(
                try await ImageExecutor.shared.run { () throws -> Image in
                    let image = try animation.frame(at: frame)
                    // The decoder may have deferred the work.
                    _ = try image.storedBitmap()
                    return image
                })
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ frame: Int, of id: ObjectIdentifier, _ result: Result<Image, any Error>) {
        guard let reserved = tracks.end(frame, of: id) else { return }
        let players = players.filter { $0.track == id }.compactMap { $0.player }
        switch result {
        case .success(let image):
            tracks.setFrameByteCount(image.byteCount, of: id)
            let isFirst = self.players.count { $0.isAdmitted } <= 1
            // A frame larger than estimated may find no room.
            if image.byteCount <= reserved || makeRoom(for: image.byteCount, before: nil) || isFirst {
                tracks.keep(image, frame, of: id)
                for player in players { player.showNewest() }
            } else {
                for index in self.players.indices where self.players[index].track == id {
                    if self.players[index].player?.imageIndex == nil { self.players[index].isAdmitted = false }
                }
            }
        case .failure(let error):
            tracks.fail(frame, of: id)
            for player in players { player.error = error }
        }
        serve()
    }

    /// Waits until nothing is being decoded.
    package func settle() async {
        while let task = tracks.all.lazy.compactMap(\.loading?.task).first { await task.value }
    }

    // MARK: Room

    /// Evicts frames needed later than `want`, the last first, until there is room for `count` bytes.
    /// - Parameter want: The frame that needs room; nil to evict any frame that isn't on screen.
    /// - Returns: Whether there is room; also true if the only player shows every frame that is decoded.
    @discardableResult
    private func makeRoom(for count: Int, before want: Want?) -> Bool {
        guard byteCount > frameBudget - count else { return true }
        // A little more than needed, since the search looks at all frames.
        let goal = frameBudget - count - frameBudget / 16
        for (track, frame) in evictable(before: want) {
            guard byteCount > goal else { break }
            tracks.removeFrame(frame, of: track)
        }
        if byteCount <= frameBudget - count { return true }
        guard want != nil, tracks.loadingByteCount == 0, players.count(where: { $0.isAdmitted }) == 1 else {
            return false
        }
        let shown = shownFrames
        return tracks.ids.allSatisfy { shown[$0, default: []].isSuperset(of: tracks.frames(of: $0)) }
    }

    private func evictable(before want: Want?) -> [(track: ObjectIdentifier, frame: Int)] {
        var needs: [ObjectIdentifier: [Int: Duration]] = [:]
        let latest = players.reduce(Duration.zero) { max($0, $1.player?.time ?? .zero) }
        for member in players {
            guard member.isAdmitted, let player = member.player else { continue }
            // A player without recent ticks isn't visible and needs nothing.
            guard player.time >= latest - Self.patience else { continue }
            for (frame, time) in player.wantedFrames(512) {
                let known = needs[member.track]?[frame]
                needs[member.track, default: [:]][frame] = known.map { min($0, time) } ?? time
            }
        }
        let shown = shownFrames
        let never = Duration.seconds(Int64.max / 4)
        var candidates: [(time: Duration, track: ObjectIdentifier, frame: Int)] = []
        for id in tracks.ids {
            for frame in tracks.frames(of: id) where shown[id]?.contains(frame) != true {
                let time = needs[id]?[frame] ?? never
                if let want, time <= want.time { continue }
                candidates.append((time, id, frame))
            }
        }
        return candidates.sorted { $0.time > $1.time }.map { ($0.track, $0.frame) }
    }
}
