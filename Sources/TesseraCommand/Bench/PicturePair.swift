internal import Tessera

/// A picture as a PNG and as a JPNG, to be compared.
struct PicturePair {
    let name: String
    let size: PixelSize
    let png: [UInt8]
    let jpng: [UInt8]

    /// Encodes `bitmap` both ways.
    init(_ name: String, _ bitmap: Bitmap, options: EncodingOptions) throws(ImageError) {
        self.name = name
        size = bitmap.size
        png = try ImageDestination(format: .png).encode(bitmap)
        jpng = try ImageDestination(format: .jpng, options: options).encode(bitmap)
    }

    /// Takes the file at `path` for the one and makes the other, or both of a file of another format.
    init(path: String, options: EncodingOptions) throws(ImageError) {
        let bytes = try WholeFile.read(path)
        do throws(ImageError) {
            let decoded = try ImageSource.decode(bytes)
            if let error = decoded.error { throw error }
            name = FilePath(path).name
            size = decoded.bitmap.size
            let format = decoded.header.format
            png = format == .png ? bytes : try ImageDestination(format: .png).encode(decoded.bitmap)
            jpng =
                format == .jpng ? bytes : try ImageDestination(format: .jpng, options: options).encode(decoded.bitmap)
        } catch {
            throw ImageError(error.code, "\(path): \(error.message)", byteOffset: error.byteOffset)
        }
    }

    /// The JPNG's bytes over the PNG's.
    var ratio: Double { Double(jpng.count) / Double(png.count) }
}
