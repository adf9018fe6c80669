import Raster
import Synchronization

/// A picture that is decoded on demand, as a decoder would: exactly, or at sizes that come easily to it.
final class StandInProvider: BitmapProvider {
    /// What it delivers.
    enum Habit: Sendable, CaseIterable {
        /// What is asked for at full size, whatever the target.
        case full
        /// What is asked for at the target's size.
        case exact
        /// What is asked for halved as often as it stays large enough, as JPEG does.
        case halved
    }

    let bitmap: Bitmap
    private let habit: Habit
    private let asked = Mutex<[DecodingPlan]>([])

    init(_ bitmap: Bitmap, _ habit: Habit = .full) {
        self.bitmap = bitmap
        self.habit = habit
    }

    var info: BitmapInfo { bitmap.info }

    /// What has been asked for.
    var plans: [DecodingPlan] { asked.withLock { $0 } }

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: bitmap.size)
        asked.withLock { $0.append(plan) }
        let part = try plan.region.map { region throws(ImageError) in try bitmap.cropped(to: region) } ?? bitmap
        guard let target = plan.targetSize else { return part }
        var size = part.size
        switch habit {
        case .full: break
        case .exact: size = PixelSize(width: min(size.width, target.width), height: min(size.height, target.height))
        case .halved:
            while (size.width + 1) / 2 >= target.width, (size.height + 1) / 2 >= target.height, size.width > 1,
                size.height > 1
            {
                size = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            }
        }
        return try part.resampled(to: size, filter: .area)
    }
}
