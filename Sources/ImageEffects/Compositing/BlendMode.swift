/// How the colours of two pictures come together where they overlap: the separable modes of W3C's Compositing and
/// Blending Level 1, section 9.1.
public enum BlendMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The upper colour.
    case normal
    /// The product: at least as dark as either.
    case multiply
    /// The product of what both lack of white: at least as light as either.
    case screen
    /// `multiply` or `screen`, depending on the lower colour.
    case overlay
    /// The darker one, channel by channel.
    case darken
    /// The lighter one, channel by channel.
    case lighten
    /// The lower colour made lighter to reflect the upper.
    case colorDodge
    /// The lower colour made darker to reflect the upper.
    case colorBurn
    /// `multiply` or `screen`, depending on the upper colour.
    case hardLight
    /// `hardLight` with less contrast.
    case softLight
    /// The difference.
    case difference
    /// As `difference`, with less contrast.
    case exclusion
}
