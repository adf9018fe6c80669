internal import ImageFormats
internal import ImageLoading
internal import Raster

/// The frames of several animations, decoded or being decoded, and their sizes in bytes.
struct AnimationTracks {
    struct Track {
        let animation: ImageAnimation
        fileprivate(set) var frames: [Int: Image] = [:]
        fileprivate(set) var loading: (frame: Int, byteCount: Int, task: Task<Void, Never>)?
        fileprivate(set) var failed: Set<Int> = []
        /// The bytes of a frame: an estimate until one is decoded, 0 while the size is unknown.
        fileprivate(set) var frameByteCount = 0
    }

    private var tracks: [ObjectIdentifier: Track] = [:]
    private var frameByteCount = 0
    /// The bytes reserved for frames being decoded.
    private(set) var loadingByteCount = 0
    private(set) var highestByteCount = 0

    /// The bytes of decoded frames and of those being decoded.
    var byteCount: Int { frameByteCount + loadingByteCount }
    var ids: [ObjectIdentifier] { Array(tracks.keys) }
    var all: [Track] { Array(tracks.values) }

    subscript(id: ObjectIdentifier) -> Track? { tracks[id] }

    /// The decoded frames of an animation.
    func frames(of id: ObjectIdentifier) -> Set<Int> { tracks[id].map { Set($0.frames.keys) } ?? [] }

    /// Adds an animation.
    /// - Returns: False if it was present.
    mutating func insert(_ animation: ImageAnimation) -> Bool {
        let id = ObjectIdentifier(animation)
        guard tracks[id] == nil else { return false }
        tracks[id] = Track(animation: animation)
        return true
    }

    /// Removes an animation and its frames.
    /// - Returns: False if it wasn't present.
    mutating func remove(_ id: ObjectIdentifier) -> Bool {
        guard let gone = tracks.removeValue(forKey: id) else { return false }
        frameByteCount -= gone.frames.values.reduce(0) { $0 + $1.byteCount }
        loadingByteCount -= gone.loading?.byteCount ?? 0
        return true
    }

    /// Records that a frame is being decoded, and reserves its bytes.
    mutating func begin(_ frame: Int, of id: ObjectIdentifier, _ task: Task<Void, Never>) {
        guard let byteCount = tracks[id]?.frameByteCount else { return }
        tracks[id]?.loading = (frame, byteCount, task)
        loadingByteCount += byteCount
        highestByteCount = max(highestByteCount, self.byteCount)
    }

    /// Records that a frame is no longer being decoded.
    /// - Returns: The bytes reserved for it; nil if another frame or none was being decoded.
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

    /// Estimates frame sizes of animations without a decoded frame, once their dimensions are known.
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
