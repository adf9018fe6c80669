import ImageViews
import Tessera

/// A ride through the pictures as fast as nobody scrolls, forth and back, in which every view of every frame is looked at.
@MainActor
struct Ride {
    private let duration: Double
    private var time = 0.0
    /// Frames, and views in them that showed their picture, the placeholder, nothing, or another's picture.
    private(set) var frames = 0
    private(set) var right = 0
    private(set) var waiting = 0
    private(set) var blank = 0
    private(set) var wrong = 0

    init(seconds: Double) { duration = seconds }

    var isOver: Bool { time >= duration }

    /// How far to go in the next frame: three pictures in each sixtieth of a second, then slower, and back.
    mutating func way(in seconds: Double) -> Double {
        time += seconds
        let part = (time / duration * 6).truncatingRemainder(dividingBy: 6)
        let speeds = [180.0, 20, 4, -180, -20, -4]
        return speeds[min(5, Int(part))] * seconds
    }

    mutating func check(_ views: [(picture: Picture, model: EffectImageView, placeholder: Image)]) {
        frames += 1
        for view in views {
            guard case .drawn(_, let color) = view.picture else { continue }
            guard let shown = view.model.processedImage, let seen = Self.middle(of: shown) else {
                blank += 1
                continue
            }
            if Self.isClose(seen, color) {
                right += 1
            } else if let grey = Self.middle(of: view.placeholder), Self.isClose(seen, grey) {
                waiting += 1
            } else {
                wrong += 1
            }
        }
    }

    private static func middle(of image: Image) -> RGBA8? {
        guard let bitmap = try? image.bitmap() else { return nil }
        return bitmap.rows.row(bitmap.height / 2, as: RGBA8.self)[bitmap.width / 2]
    }

    private static func isClose(_ a: RGBA8, _ b: RGBA8) -> Bool {
        [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)].allSatisfy { abs(Int($0) - Int($1)) <= 4 }
    }

    var holds: Bool { blank == 0 && wrong == 0 && right > 0 }
    var report: String {
        "\(frames) frames: \(right) views showed their picture, \(waiting) the placeholder, \(blank) nothing, "
            + "\(wrong) another's"
    }
}
