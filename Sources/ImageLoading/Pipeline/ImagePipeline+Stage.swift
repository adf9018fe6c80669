extension ImagePipeline {
    /// One of the stages that a picture passes.
    public enum Stage: String, Hashable, Sendable {
        /// Looking into the disk cache.
        case cache
        /// Loading bytes.
        case data
        /// Making a picture of bytes.
        case decode
        /// Doing to it what was asked for.
        case process
        /// Making bytes of it for the disk cache.
        case encode
    }
}
