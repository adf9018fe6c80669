// Stand-ins for UIKit and for other authors' renderers: just enough that the samples compile and can be observed.
import Foundation
import TesseraCompatibility

@MainActor class UIView {
    var bounds = CGRect.zero
    var center = CGPoint.zero
    private(set) var subviews: [UIView] = []

    func addSubview(_ view: UIView) { subviews.append(view) }
}

class UIImageView: UIView {
    var image: UIImage?
}

class UIActivityIndicatorView: UIView {
    private(set) var isAnimating = false

    func startAnimating() { isAnimating = true }
    func stopAnimating() { isAnimating = false }
}

struct UIColor: Sendable {
    let cgColor: RGBA8
    static let orange = UIColor(cgColor: RGBA8(255, 149, 0))
}

/// Gifu's view.
class GIFImageView: UIImageView {
    private(set) var frames = 0

    func animate(withGIFData data: Data) { frames = (try? AnimatedImage(data: data))?.frames.count ?? 0 }
    func prepareForReuse() { (image, frames) = (nil, 0) }
}

/// SwiftSVG's layer.
@MainActor final class SVGLayer {
    var fillColor: RGBA8?
    private(set) var bounds = CGRect.zero

    func resizeToFit(_ rect: CGRect) { bounds = rect }
}

extension UIView {
    convenience init(SVGData data: Data, completion: (SVGLayer) -> Void) {
        self.init()
        completion(SVGLayer())
    }
}

/// GLKit's loader, which takes an image's bytes from here.
enum GLKTextureLoader {
    static func texture(with image: CGImage, options: [String: Any]?) throws -> TextureBuffer {
        try image.textureBuffer()
    }
}
