internal import Raster

extension EffectContext {
    /// A part of a whole.
    ///
    /// `name` says in the error what it is.
    /// - Throws: `invalidParameter` when it isn't a number from 0 to 1.
    @discardableResult
    func fraction(_ value: Double, _ name: @autoclosure () -> String) throws(ImageError) -> Double {
        guard value >= 0, value <= 1 else {
            throw ImageError(.invalidParameter, "\(name()) of \(value) is not from 0 to 1")
        }
        return value
    }
}
