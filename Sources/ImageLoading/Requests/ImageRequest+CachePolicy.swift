extension ImageRequest {
    /// How much of what is cached is used without asking its server.
    public enum CachePolicy: Hashable, Sendable {
        /// Everything, however old: the default, for pictures that never change behind their URL.
        case useCache
        /// What is still fresh by its server's word; of the rest, the server is asked whether it has changed.
        case revalidate
        /// Everything; the server is asked afterwards about what is no longer fresh, for the next time.
        case staleWhileRevalidate
        /// Nothing: the picture is loaded and what is cached replaced.
        case reload
    }
}
