/// The dynamic range of a rendering.
public enum DynamicRange: Hashable, Sendable {
    /// Nothing brighter than white.
    case standard
    /// Up to `headroom` times as bright as white; infinite for all that the image has.
    case high(headroom: Double)
}
