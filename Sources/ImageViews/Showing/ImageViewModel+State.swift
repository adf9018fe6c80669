public import ImageLoading

extension ImageViewModel {
    /// What has become of what a view was asked to show.
    public enum State: Sendable {
        /// Nothing is asked for, or nothing came before it was cancelled.
        case empty
        /// The picture is on its way; the placeholder is drawn.
        case placeholder
        /// The picture is on its way; what was there before is drawn, or nothing.
        case loading
        /// A preview of the picture is drawn.
        case preview(ImageContainer)
        /// The picture is drawn.
        case showing(ImageContainer)
        /// There won't be a picture unless it is asked for again.
        case failed(ImagePipeline.Error)
    }
}
