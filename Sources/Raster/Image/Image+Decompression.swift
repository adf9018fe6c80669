extension Image {
    /// The same picture with its pixels there and turned upright, so that showing it costs nothing more.
    /// - Throws: What the decoder reports, or `outOfMemory`.
    public func decompressed() throws(ImageError) -> Image {
        if isDecoded, orientation == .up { return self }
        return Image(try uprightBitmap(), scale: scale)
    }

    /// The pixels as they are shown.
    package func uprightBitmap() throws(ImageError) -> Bitmap { try bitmap().oriented(by: orientation) }

    /// The pixels as a GPU wants them for a texture, upright, decoded now if they weren't yet.
    /// - Throws: What the decoder reports, or `outOfMemory`.
    public func textureBuffer(_ order: TextureBuffer.Order = .rgba) throws(ImageError) -> TextureBuffer {
        try TextureBuffer(uprightBitmap(), order: order)
    }
}
