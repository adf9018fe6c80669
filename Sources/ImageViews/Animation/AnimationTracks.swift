internal import ImageFormats
internal import ImageLoading
internal import Raster

/// The frames of several animations that are there or being decoded, and the bytes that they take.
struct AnimationTracks {
    struct Track {
        let animation: ImageAnimation
        fileprivate(set) var frames: [Int: Image] = [:]
        fileprivate(set) var loading: (frame: Int, byteCount: Int, task: Task<Void, Never>)?
        fileprivate(set) var failed: Set<Int> = []
        /// What a frame takes: estimated, until one is there; 0 while the size isn't known.
        fileprivate(set) var frameByteCount = 0
    }

    private var tracks: [ObjectIdentifier: Track] = [:]
    private var frameByteCount = 0
    /// Bytes that frames being decoded will take.
    private(set) var loadingByteCount = 0
    private(set) var highestByteCount = 0

    /// Bytes of frames that are there or being decoded.
    var byteCount: Int { frameByteCount + loadingByteCount }
    var ids: [ObjectIdentifier] { Array(tracks.keys) }
    var all: [Track] { Array(tracks.values) }

    subscript(id: ObjectIdentifier) -> Track? { tracks[id] }

    /// Which frames of an animation are there.
    func frames(of id: ObjectIdentifier) -> Set<Int> { tracks[id].map { Set($0.frames.keys) } ?? [] }

    /// Takes in an animation.
    /// - Returns: False where it was there before.
    mutating func insert(_ animation: ImageAnimation) -> Bool {
        let id = ObjectIdentifier(animation)
        guard tracks[id] == nil else { return false }
        tracks[id] = Track(animation: animation)
        return true
    }

    /// Lets go of an animation and its frames.
    /// - Returns: False where it wasn't there.
    mutating func remove(_ id: ObjectIdentifier) -> Bool {
        guard let gone = tracks.removeValue(forKey: id) else { return false }
        frameByteCount -= gone.frames.values.reduce(0) { $0 + $1.byteCount }
        loadingByteCount -= gone.loading?.byteCount ?? 0
        return true
    }

    /// Notes that a frame is being decoded, and reserves what it will take.
    mutating func begin(_ frame: Int, of id: ObjectIdentifier, _ task: Task<Void, Never>) {
        guard let byteCount = tracks[id]?.frameByteCount else { return }
        tracks[id]?.loading = (frame, byteCount, task)
        loadingByteCount += byteCount
        highestByteCount = max(highestByteCount, self.byteCount)
    }

    /// Notes that a frame is no longer being decoded.
    /// - Returns: What was reserved for it; nil where it wasn't that frame.
    mutating func end(_ frame: Int, of id: ObjectIdentifier) -> Int? {
        guard let loading = tracks[id]?.loading, loading.frame == frame else { return nil }
        loadingByteCount -= loading.byteCount
        tracks[id]?.loading = nil
        return loading.byteCount
    }

    mutating func keep(_ image: Image, _ frame: Int, of id: ObjectIdentifier) {
        tracks[id]?.frames[frame] = image
        frameByteCount += image.byteCount
        highestByteCount = max(highestByteCount, byteCount)
    }

    mutating func fail(_ frame: Int, of id: ObjectIdentifier) { tracks[id]?.failed.insert(frame) }

    mutating func removeFrame(_ frame: Int, of id: ObjectIdentifier) {
        guard let image = tracks[id]?.frames.removeValue(forKey: frame) else { return }
        frameByteCount -= image.byteCount
    }

    mutating func setFrameByteCount(_ byteCount: Int, of id: ObjectIdentifier) {
        tracks[id]?.frameByteCount = max(byteCount, 1)
    }

    /// Estimates what frames will take of animations of which none is there, once their size is known.
    mutating func estimate() {
        for (id, track) in tracks where track.frameByteCount == 0 {
            guard let size = track.animation.size else { continue }
            let isDeep = (track.animation.header?.bitsPerChannel ?? 8) > 8
            let rowByteCount = size.width.multipliedReportingOverflow(by: isDeep ? 8 : 4)
            guard !rowByteCount.overflow, rowByteCount.partialValue < .max - 64 else { continue }
            let byteCount = ((rowByteCount.partialValue + 63) & ~63).multipliedReportingOverflow(by: size.height)
            tracks[id]?.frameByteCount = byteCount.overflow ? .max / 4 : min(byteCount.partialValue, .max / 4)
        }
    }
}
