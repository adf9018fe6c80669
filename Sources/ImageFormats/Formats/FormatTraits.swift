/// What can be told of a file beside its format before its header is read.
public struct FormatTraits: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Traits of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It holds frames to be shown one after the other.
    public static let animated = FormatTraits(rawValue: 1)
}
