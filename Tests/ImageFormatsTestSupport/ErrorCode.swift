package import Raster

/// The kind of failure that `body` throws; nil when it doesn't, or throws something else.
package func errorCode<T: ~Copyable>(_ body: () throws -> T) -> ImageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ImageError)?.code
    }
}
