import ImageFormats
import ImagePyramid
import JPEGBitstream
import Raster

extension FuzzTarget {
    /// The index that lies beside a JPEG. Whatever it says, its checksum made right, the picture's pixels are the same.
    static let keptIndex = FuzzTarget(
        name: "kept-index", seedExtensions: [], seeds: { [KeptIndexes.index] }
    ) { input in
        // One made before is replaced: what is tested is the one that is read.
        _ = KeptIndexes.index
        var bytes = input
        let end = bytes.count - 8
        if end >= 8, end % 8 == 0 {
            bytes.set(JPEGTileIndex.checksum(bytes.span.bytes.extracting(first: end)), at: end, 8)
        }
        Scratch.write(bytes, to: KeptIndexes.name)
        precondition(KeptIndexes.pixels() == KeptIndexes.sound, "an index changed the picture")
    }
}

private enum KeptIndexes {
    static let name = "photo.jpg.tessera-index"

    /// The index that opening the picture leaves.
    static let index: [UInt8] = {
        _ = sound
        return Scratch.read(Scratch.path(name))
    }()

    static let sound: [UInt8] = {
        let info = BitmapInfo(size: PixelSize(width: 600, height: 48), format: .rgba8, alpha: .none)
        let buffer = ByteBuffer()
        guard let picture = try? Fixtures.gradient(info),
            (try? JPEGCodec().encode(picture, options: EncodingOptions(), output: buffer)) != nil
        else { fatalError("cannot make a JPEG") }
        Scratch.write(buffer.bytes, to: "photo.jpg")
        return pixels()
    }()

    static func pixels() -> [UInt8] {
        Blocking.run {
            do {
                let options = TiledImage.Options(index: .besidePicture)
                let picture = try await TiledImage(contentsOf: Scratch.path("photo.jpg"), options: options)
                precondition(picture.access == .indexed)
                var pixels: [UInt8] = []
                for rect in [
                    PixelRect(x: 0, y: 0, width: 600, height: 48), PixelRect(x: 250, y: 10, width: 40, height: 30),
                ] { pixels += try await picture.region(rect).tightBytes() }
                return pixels
            } catch {
                preconditionFailure("the picture can't be read: \(error)")
            }
        }
    }
}
