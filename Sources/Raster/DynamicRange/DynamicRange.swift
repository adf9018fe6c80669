/// The dynamic range of a rendering.
public enum DynamicRange: Hashable, Sendable {
    /// Nothing brighter than white. Brighter light is compressed, not clipped.
    case standard
    /// Up to `headroom` times as bright as white; infinite for all that the image has.
    case high(headroom: Double)
    /// The range of the file.
    case asStored
}
