extension ImageProcessing {
    /// The container with the processed picture: its animation's frames are processed when they are shown, and the encoded
    /// bytes, which are of other pixels, are gone.
    ///
    /// What isn't decoded here, such as a video, stays as it is.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        guard !container.isPlaceholder else { return container }
        var result = container
        result.image = try process(container.image)
        result.data = nil
        result.animation = container.animation?.processed(by: self)
        return result
    }
}
