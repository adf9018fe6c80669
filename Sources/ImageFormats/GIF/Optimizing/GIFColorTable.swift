internal import Raster

/// The colours of an optimized GIF file or of one of its images. The first index is the transparent one, if any, so that
/// indices of images with few colours stay small.
struct GIFColorTable {
    private(set) var colors: [UInt32]
    let hasTransparency: Bool
    /// The colour stored for the transparent index.
    private let placeholder: UInt32

    init(_ colors: [UInt32], hasTransparency: Bool, placeholder: UInt32 = 0) {
        (self.colors, self.hasTransparency, self.placeholder) = (colors, hasTransparency, placeholder)
    }

    private var first: Int { hasTransparency ? 1 : 0 }

    /// The number of indices.
    var count: Int { colors.count + first }

    /// The bits of an index as the table's size, 1 to 8.
    var bitDepth: Int { Self.bits(for: count) }

    /// The table as stored, padded with black to a power of two.
    var bytes: [UInt8] {
        let stored = (hasTransparency ? [placeholder] : []) + colors
        let bytes = stored.flatMap { [UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
        return bytes + [UInt8](repeating: 0, count: (3 << bitDepth) - bytes.count)
    }

    /// The index of a colour; nil if the table hasn't got it.
    func index(of color: UInt32) -> UInt8? {
        color == 0
            ? hasTransparency ? 0 : nil : colors.firstIndex(of: color).map { UInt8(truncatingIfNeeded: $0 + first) }
    }

    /// Adds the colours that the table hasn't got.
    /// - Returns: Whether there was room; nothing is added otherwise.
    mutating func add(_ others: [UInt32]) -> Bool {
        let new = others.filter { !colors.contains($0) }
        guard count + new.count <= 256 else { return false }
        colors += new
        return true
    }

    /// The bits of the indices below `count`, 1 to 8.
    static func bits(for count: Int) -> Int { max(1, Int.bitWidth - (count - 1).leadingZeroBitCount) }
}
