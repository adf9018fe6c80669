/// Why a JPEG's parts can't be had without decoding it, see ``JPEGTileLayout``.
public enum JPEGTileObstacle: Error, Hashable, Sendable {
    /// The bytes end before the first scan's data.
    case incompleteHeader
    /// The header is damaged.
    case damagedHeader(JPEGBitstreamError)
    /// The picture is coded in several scans, each refining it.
    case progressive
    /// The samples are coded without a DCT.
    case lossless
    /// The picture is coded as differences to an earlier frame.
    case hierarchical
    /// The entropy coding is arithmetic.
    case arithmetic
    /// A sample has another number of bits than 8.
    case precision(Int)
    /// There are neither one nor three components; four are CMYK as a rule.
    case componentCount(Int)
    /// The components come in scans of their own.
    case severalScans
    /// The scan holds not all coefficients, or its components not in the frame's order.
    case unusualScan
    /// An MCU has more than ten blocks, which the standard forbids.
    case sampling
    /// The frame leaves its height to a marker behind the scan.
    case unknownHeight
    /// A component names a table that isn't there.
    case missingTable
}

extension JPEGTileObstacle: CustomStringConvertible {
    /// One sentence, for people.
    public var description: String {
        switch self {
        case .incompleteHeader: "the JPEG ends before its first scan"
        case .damagedHeader(let error): error.description
        case .progressive: "the JPEG is progressive"
        case .lossless: "the JPEG is of the lossless process"
        case .hierarchical: "the JPEG is hierarchical"
        case .arithmetic: "the JPEG's coding is arithmetic"
        case .precision(let bits): "the JPEG's samples have \(bits) bits"
        case .componentCount(let count): "the JPEG has \(count) components"
        case .severalScans: "the JPEG's components come in several scans"
        case .unusualScan: "the JPEG's scan doesn't hold all components and coefficients in their order"
        case .sampling: "the JPEG's sampling gives an MCU more than ten blocks"
        case .unknownHeight: "the JPEG's height is said after its scan"
        case .missingTable: "the JPEG has a component without its table"
        }
    }
}
