internal import Raster

/// A picture after the effects of a view.
struct ProcessedImage: Sendable {
    /// What is shown.
    var image: Image
    /// What it was made of, not decoded; nil where the view has that already.
    var original: Image?
}
