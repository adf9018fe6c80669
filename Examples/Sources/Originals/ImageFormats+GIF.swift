// The guide's view for animated images, as printed; the initialiser is ours, and `display` belongs to Gifu's view.
import Foundation
import TesseraCompatibility

final class ImageView: UIView {
    private let imageView: GIFImageView
    private let spinner: UIActivityIndicatorView
    private var task: ImageTask?

    init(_ imageView: GIFImageView) {
        self.imageView = imageView
        spinner = UIActivityIndicatorView()
    }

    func setImage(with url: URL) {
        prepareForReuse()

        if let response = ImagePipeline.shared.cachedResponse(for: url) {
            return imageView.display(response: response)
        }

        spinner.startAnimating()
        task = ImagePipeline.shared.loadImage(with: url) { [weak self] result in
            self?.spinner.stopAnimating()
            if case let .success(response) = result {
                self?.imageView.display(response: response)
            }
        }
    }

    private func prepareForReuse() {
        task?.cancel()
        spinner.stopAnimating()
        imageView.prepareForReuse()
    }
}

extension GIFImageView {
    fileprivate func display(response: ImageResponse) {
        if let data = response.container.data {
            animate(withGIFData: data)
        } else {
            image = response.image
        }
    }
}

@MainActor
enum GIFSample {
    static func run(_ disc: UIImage, in folder: String) async throws {
        let url = URL(fileURLWithPath: folder + "/turning.gif")
        let destination = try ImageDestination(format: .gif)
        let file = ByteBuffer()
        let bitmap = try disc.bitmap()
        try destination.encode(count: 3, to: file) { (_) throws(ImageError) in (bitmap, 0.1) }
        try Data(file.bytes).write(to: url)

        // Loaded into the memory cache first, where the second view finds it at once.
        let (first, second) = (GIFImageView(), GIFImageView())
        let view = ImageView(first)
        view.setImage(with: url)
        _ = try await ImagePipeline.shared.image(for: url)
        await wait { first.frames > 0 }
        let other = ImageView(second)
        other.setImage(with: url)
        expect(first.frames == 3 && second.frames == 3)
    }
}
