/// How a pixel of the new size is made from pixels of the old one.
///
/// When a picture shrinks, all but `area` are stretched so that every old pixel counts.
public enum ResamplingFilter: String, Hashable, Sendable, Codable, CaseIterable {
    /// `area` along a side that shrinks or stays, `lanczos3` along one that grows.
    case automatic
    /// The mean of exactly the area that the new pixel covers, pixels cut by its edge counted by the part inside.
    case area
    /// A triangle that reaches one pixel to each side.
    case bilinear
    /// Keys' cubic convolution with a = -0.5, which reaches two pixels to each side (Keys, 1981).
    case bicubic
    /// A sinc windowed by the wider sinc's main lobe, which reaches three pixels to each side (Duchon, 1979).
    case lanczos3
}
