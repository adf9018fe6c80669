internal import Platform
internal import Raster

/// An image on its way into a file: of an image that is still encoded, its source's rows; else its pixels.
struct ImageEncoding {
    private enum Pixels {
        case encoded(EncodedImage, DecodingOptions, Orientation)
        case image(Image)
    }

    private let pixels: Pixels
    private let destination: ImageDestination

    /// Checks that `image` can be written in `format`.
    /// - Throws: `unsupported` where it can't be, `invalidParameter` for options that make no sense.
    init(
        _ image: Image, as format: ImageFormat, options: EncodingOptions, keeping policy: MetadataPolicy
    ) throws(ImageError) {
        guard let encoded = image.provider as? EncodedImage else {
            destination = try ImageDestination(format: format, options: options)
            pixels = .image(image)
            return
        }
        var options = options
        if options.metadata == ImageMetadata() { options.metadata = policy.metadata(of: encoded.header) }
        destination = try ImageDestination(format: format, options: options)
        var decoding = encoded.options
        if policy != .none { decoding.color = policy.color }
        decoding.maximumBitsPerChannel = max(decoding.maximumBitsPerChannel, destination.maximumBitsPerChannel)
        pixels = .encoded(encoded, decoding, image.orientation)
    }

    /// Writes the file.
    /// - Throws: What decoding, encoding or `output` reports. What `output` got until then is no image.
    func write(to output: any ByteSink) throws(ImageError) {
        switch pixels {
        case .image(let image):
            try destination.encode(image, to: output)
        case .encoded(let encoded, let options, let orientation):
            try encoded.withRows(.full, options: options) { (rows) throws(ImageError) in
                guard orientation == .up else {
                    return try destination.encode(rows.makeBitmap().oriented(by: orientation), to: output)
                }
                try destination.encodeWholeIfSmall(rows, to: output)
            }
        }
    }
}

extension ImageDestination {
    /// Bits of a channel, at most, in files that it writes: 8 or 16.
    var maximumBitsPerChannel: Int {
        let deepest = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba16, alpha: .straight)
        return codec.encodableInfo(for: deepest, options: options).format.bitsPerChannel
    }
}
