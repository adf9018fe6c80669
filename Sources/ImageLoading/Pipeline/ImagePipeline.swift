/// Loads pictures: from caches, files, servers, closures or bytes, decoded and processed, each only once however many
/// ask for it.
public final class ImagePipeline: Sendable {}
