internal import Raster

/// The colours of a frame or a file in the order of their indices.
struct GIFPalette {
    /// Opaque colours.
    var colors: [RGBA8]
    /// Whether the index behind the colours stands for transparency.
    var reservesTransparency: Bool

    /// The index that leaves the canvas as it is.
    var transparentIndex: Int? { reservesTransparency ? colors.count : nil }
    /// How many indices there are.
    var count: Int { colors.count + (reservesTransparency ? 1 : 0) }
    /// The bits that tell all indices apart, 1 to 8.
    var bitDepth: Int { max(1, Int.bitWidth - (count - 1).leadingZeroBitCount) }
}
