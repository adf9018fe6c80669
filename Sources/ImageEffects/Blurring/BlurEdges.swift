/// What a blur finds beyond a picture's edges.
enum BlurEdges: Sendable {
    /// The nearest pixel of the edge: what is opaque stays so.
    case repeated
    /// Nothing.
    case transparent
}
