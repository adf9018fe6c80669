internal import Raster

/// The codes of an image by one table of colours.
struct GIFCoding {
    /// Which pixels that the canvas has already are left out.
    enum Omission: CaseIterable {
        case none, all
        /// Those that make strings longer.
        case some
    }

    let table: GIFColorTable
    /// Whether the transparent index is in use.
    let isTransparent: Bool
    /// The bits of an index before compression.
    let codeSize: Int
    private(set) var codes: [UInt8]
    private let indices: [UInt8]
    private let optional: [Bool]

    /// Codes an image; nil if the table has no transparent index for the omission, or there is nothing to leave out.
    init?(_ change: GIFChange, _ table: GIFColorTable, _ omission: Omission) {
        guard omission == .none || table.hasTransparency && change.optional.contains(true) else { return nil }
        self.table = table
        let newIndices = change.colors.map { table.index(of: $0) ?? 0 }
        var indices = change.indices
        for position in indices.indices {
            indices[position] =
                omission == .all && change.optional[position] ? 0 : newIndices[Int(change.indices[position])]
        }
        self.indices = indices
        optional = omission == .some ? change.optional : []
        isTransparent = omission != .none || table.hasTransparency && indices.contains(0)
        codeSize = max(2, GIFColorTable.bits(for: Int(indices.max() ?? 0) + 1))
        codes = GIFLZWEncoder(minimumCodeSize: codeSize).encode(indices.span, optional: optional)
    }

    /// The smallest with any way of clearing the table of strings.
    func improved() -> GIFCoding {
        var best = self
        for clearing in GIFLZWEncoder.Clearing.allCases where clearing != .atOnce {
            let other = GIFLZWEncoder(minimumCodeSize: codeSize, clearing: clearing)
                .encode(indices.span, optional: optional)
            if other.count < best.codes.count { best.codes = other }
        }
        return best
    }
}
