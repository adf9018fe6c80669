package import Platform
package import Raster

/// An image being written to a file: from the rows of its source if it is still encoded, else from its pixels.
package struct EncodingPlan {
    private enum Pixels {
        case encoded(EncodedImage, DecodingOptions, Orientation, GainMap?)
        case image(Image)
    }

    private let pixels: Pixels
    private let destination: ImageDestination

    /// Checks that `image` can be written in `format`.
    /// - Throws: `unsupported` for a format that can't be written, `invalidParameter` for invalid options.
    package init(
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
        pixels = .encoded(
            encoded, decoding, image.orientation, destination.canWriteGainMap ? image.gainMap : nil)
    }

    /// Writes the file.
    /// - Parameter observe: Returns the source to encode in place of one that decodes, to follow its rows.
    /// - Throws: Errors of decoding, encoding or `output`. After an error, `output` doesn't hold a valid file.
    package func write(
        to output: any ByteSink, observing observe: (any RowSource) -> any RowSource = { $0 }
    ) throws(ImageError) {
        switch pixels {
        case .image(let image):
            try destination.encode(image, to: output)
        case .encoded(let encoded, let options, let orientation, let map):
            try encoded.withRows(.full, options: options) { (rows) throws(ImageError) in
                guard orientation == .up else {
                    let upright = try observe(rows).makeBitmap().oriented(by: orientation)
                    guard map == nil else {
                        return try destination.encode(upright.makeRowSource(), gainMap: map, to: output)
                    }
                    return try destination.encode(upright, to: output)
                }
                guard map == nil else { return try destination.encode(observe(rows), gainMap: map, to: output) }
                try destination.encodeWholeIfSmall(observe(rows), to: output)
            }
        }
    }
}

extension ImageDestination {
    /// The maximum depth of the files that it writes: 8 or 16 bits per channel.
    var maximumBitsPerChannel: Int {
        let deepest = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba16, alpha: .straight)
        return codec.encodableInfo(for: deepest, options: options).format.bitsPerChannel
    }
}
