public import Foundation
internal import ImageFormats
internal import ImageLoading
public import Raster

extension Image {
    /// The image in `data`, as `UIImage(data:)`: nil if it isn't an image. Pixels are decoded when they are needed.
    public init?(data: Data) { self.init(data: data, scale: 1) }

    /// The image in `data` with `scale` pixels per point, 0 for the display's; nil if it isn't an image.
    public init?(data: Data, scale: CGFloat) {
        guard let image = try? ImageSource.image(data, scale: scale) else { return nil }
        self = image
    }

    /// The image in the file at `path`, as `UIImage(contentsOfFile:)`: nil if there is none. A name with `@2x` or `@3x`
    /// determines the scale, and of several files the one for the display is read.
    public init?(contentsOfFile path: String) {
        let file = ImageFileVariants.file(for: path, scale: DisplayScale.current)
        guard let bytes = try? Source(path: file.path).bytes(),
            let image = try? ImageSource.image(bytes, scale: file.scale)
        else { return nil }
        self = image
    }

    /// The image called `name` in the program's resources, decoded, as `UIImage(named:)`; nil if there is none. The
    /// same image is returned while there is memory for it.
    public init?(named name: String) {
        guard let image = try? Self.resources.image(named: name) else { return nil }
        self = image
    }

    /// The folder of resources beside the program, or its bundle's.
    private static let resources = NamedImages(folders: [Bundle.main.resourcePath ?? "."])
}
