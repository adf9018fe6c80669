import Foundation
import ImageLoading
import Tessera

/// A decoder that has its picture already.
struct StubDecoder: ImageDecoding {
    private let container: ImageContainer

    init() throws {
        let info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .premultiplied)
        container = ImageContainer(image: Image(try MutableBitmap(info).freeze()))
    }

    func decode(_ data: Data) throws -> ImageContainer { container }
}
