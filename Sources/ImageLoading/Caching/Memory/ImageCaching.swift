/// A cache of decoded pictures. Called from any thread; answers at once.
public protocol ImageCaching: AnyObject, Sendable {
    /// The picture under `key`. Setting nil removes it.
    subscript(key: ImageCacheKey) -> ImageContainer? { get set }
    /// The keys under which variants of the picture `group` are kept, in any order.
    func keys(in group: String) -> [ImageCacheKey]
    /// Removes everything.
    func removeAll()
}
