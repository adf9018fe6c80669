/// What bytes on disk are known by.
///
/// Of one picture all variants are in one group, so that they can be removed together.
public struct DataCacheKey: Hashable, Sendable {
    /// The picture: its URL, as normalised by the pipeline, or its name.
    public var group: String
    /// What was made of it, as length-delimited parts; empty for the original's bytes.
    public var variant: [UInt8]

    /// A key of these parts.
    public init(group: String, variant: [UInt8] = []) {
        self.group = group
        self.variant = variant
    }
}
