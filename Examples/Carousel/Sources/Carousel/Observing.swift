import ImageViews
import Observation
import Tessera

/// Says what becomes of a view's pictures: by Observation, which tells that something changes, and by the sequence of what
/// there was.
@MainActor
enum Observing {
    static func run(_ picture: Picture) async {
        let view = EffectImageView()
        view.size = ViewSize(width: 320, height: 200)
        view.contentMode = .aspectFit
        view.asynchronous = true

        follow(view)
        // A sequence begins with what there is when it is asked for.
        let images = view.processedImages
        let reading = Task {
            var count = 0
            for await image in images {
                print("processedImages: \(name(image))")
                // Nothing, the picture, and the picture with a reflection.
                count += 1
                if count == 2 { (view.reflectionScale, view.reflectionAlpha) = (0.5, 0.5) }
                if count == 3 { break }
            }
        }
        picture.set(in: view)
        await reading.value
        // What Observation has told is said when control comes back.
        await Task.yield()
    }

    private static func follow(_ view: EffectImageView) {
        withObservationTracking {
            print("observed: image \(name(view.image)), processedImage \(name(view.processedImage))")
        } onChange: {
            // The new value is there after this call.
            Task { @MainActor in follow(view) }
        }
    }

    private static func name(_ image: Image?) -> String {
        image.map { "\($0.size.width) × \($0.size.height)" } ?? "none"
    }
}
