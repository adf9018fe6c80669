/// A JPEG's layout in MCUs, and the columns of MCUs by which it is indexed.
///
/// For JPEGs whose data can be read from any MCU: sequential, Huffman-coded, 8 bits, one scan with all
/// components, one or three; with or without restart markers. An MCU is the group of blocks that is coded together
/// (ITU-T T.81, A.2); the image's size in MCUs is rounded up.
public struct JPEGTileLayout: Hashable, Sendable {
    /// A component as the scan lists it.
    struct Component: Hashable, Sendable {
        /// Blocks across and down in an MCU.
        let across: Int
        let down: Int
        let frame: JPEGFrame.Component
        let scan: JPEGScan.Component
        let dc: JPEGHuffmanTable
        let ac: JPEGHuffmanTable
        /// Quantisation steps in zigzag order.
        let steps: [UInt16]
    }

    let frame: JPEGFrame
    let components: [Component]
    /// The JFIF and Adobe segments, which determine the components' colour space.
    let colorSegments: [UInt8]

    /// The width in pixels.
    public var width: Int { frame.width }
    /// The height in pixels.
    public var height: Int { frame.height }
    /// The number of components: one, or three.
    public var componentCount: Int { components.count }
    /// Pixel columns in an MCU.
    public let mcuWidth: Int
    /// Pixel rows in an MCU.
    public let mcuHeight: Int
    /// MCUs in a row.
    public let mcusAcross: Int
    /// Rows of MCUs.
    public let mcusDown: Int
    /// MCUs in a column of the index; the last column may have fewer.
    public let mcusPerColumn: Int
    /// MCUs between restart markers; 0 for none.
    public let restartInterval: Int
    /// The first byte of entropy-coded data, from the JPEG's first byte.
    public internal(set) var dataOffset: Int

    /// Columns of the index.
    public var columnCount: Int { (mcusAcross - 1) / mcusPerColumn + 1 }
    /// The width of a column of the index, in pixels.
    public var columnWidth: Int { mcusPerColumn * mcuWidth }

    /// Blocks in an MCU, at most ten.
    var blocksPerMCU: Int { components.reduce(0) { $0 + $1.across * $1.down } }

    /// The layout of the JPEG whose bytes are given, at least up to its first scan's data.
    ///
    /// - Parameters:
    ///   - header: The JPEG's first bytes. Those after the start of the scan are ignored.
    ///   - columnWidth: The width of the index's columns in pixels, rounded up to whole MCUs. Tiles begin and end
    ///     at column boundaries.
    /// - Throws: Why parts of this JPEG can't be read without decoding it.
    public init(header: RawSpan, columnWidth: Int = 256) throws(JPEGTileObstacle) {
        let structure = Self.structure(of: header)
        guard let frame = structure.frame, let scan = structure.scans.first else {
            if let failure = structure.failure, failure.code != .truncated { throw .damagedHeader(failure) }
            throw .incompleteHeader
        }
        try Self.check(frame, scan)
        let tables: JPEGTables
        do {
            tables = try JPEGTables(structure, in: header)
        } catch {
            throw .damagedHeader(error)
        }
        // A single component is coded block by block, whatever its sampling (T.81, A.2.2).
        let isGray = frame.components.count == 1
        var components: [Component] = []
        for (component, scanned) in zip(frame.components, scan.components) {
            guard component.quantizationTable <= 3, scanned.dcTable <= 3, scanned.acTable <= 3,
                let steps = tables.quantization[Int(component.quantizationTable)],
                let dc = tables.dc[Int(scanned.dcTable)], let ac = tables.ac[Int(scanned.acTable)]
            else { throw .missingTable }
            components.append(
                Component(
                    across: isGray ? 1 : Int(component.horizontalSampling),
                    down: isGray ? 1 : Int(component.verticalSampling),
                    frame: component, scan: scanned, dc: dc, ac: ac, steps: steps))
        }
        self.frame = frame
        self.components = components
        mcuWidth = 8 * (components.map { $0.across }.max() ?? 1)
        mcuHeight = 8 * (components.map { $0.down }.max() ?? 1)
        mcusAcross = (frame.width - 1) / mcuWidth + 1
        mcusDown = (frame.height - 1) / mcuHeight + 1
        mcusPerColumn = min((max(columnWidth, 1) - 1) / mcuWidth + 1, mcusAcross)
        restartInterval = scan.restartInterval
        dataOffset = scan.dataOffset
        colorSegments = Self.colorSegments(of: structure, in: header)
        guard blocksPerMCU <= 10 else { throw .sampling }
    }

    /// Why a JPEG can't be tiled, for callers that don't need the layout; nil if it can.
    public static func obstacle(header: RawSpan) -> JPEGTileObstacle? {
        do throws(JPEGTileObstacle) {
            _ = try JPEGTileLayout(header: header)
            return nil
        } catch {
            return error
        }
    }

    /// Parses up to the first scan, and a little further.
    static func structure(of header: RawSpan) -> JPEGStructure {
        var walker = JPEGMarkerWalker()
        var offset = 0
        do {
            while offset < header.byteCount, walker.structure.scanCount == 0 {
                let end = min(offset + 4096, header.byteCount)
                try walker.append(header.extracting(offset..<end))
                offset = end
            }
            if walker.structure.scanCount == 0 { try walker.finish() }
        } catch {
            // The error is kept in the structure.
        }
        return walker.structure
    }

    private static func check(_ frame: JPEGFrame, _ scan: JPEGScan) throws(JPEGTileObstacle) {
        if frame.isDifferential { throw .hierarchical }
        if frame.process == .lossless { throw .lossless }
        if frame.isArithmetic { throw .arithmetic }
        if frame.process == .progressive { throw .progressive }
        guard frame.precision == 8 else { throw .precision(Int(frame.precision)) }
        let identifiers = frame.components.map { $0.identifier }
        guard identifiers.count == 1 || identifiers.count == 3 else { throw .componentCount(identifiers.count) }
        guard frame.height > 0 else { throw .unknownHeight }
        guard scan.components.count == identifiers.count else { throw .severalScans }
        guard scan.components.map({ $0.identifier }) == identifiers, Set(identifiers).count == identifiers.count,
            scan.spectralStart == 0, scan.spectralEnd == 63, scan.approximationHigh == 0, scan.approximationLow == 0
        else { throw .unusualScan }
    }

    /// The last JFIF segment, without its thumbnail, and the last Adobe segment.
    static func colorSegments(of structure: JPEGStructure, in header: RawSpan) -> [UInt8] {
        var (jfif, adobe): ([UInt8], [UInt8]) = ([], [])
        for segment in structure.segments {
            if segment.marker == .startOfScan { break }
            guard segment.payload.upperBound <= header.byteCount else { break }
            if segment.marker == .application(0), segment.payload.count >= 14,
                header.starts(with: Array("JFIF\0".utf8), in: segment.payload)
            {
                jfif = [0xFF, 0xE0, 0, 16] + segment.payload.prefix(12).map { header.byte(at: $0) } + [0, 0]
            } else if segment.marker == .application(14), segment.payload.count >= 12,
                header.starts(with: Array("Adobe".utf8), in: segment.payload)
            {
                adobe = [0xFF, 0xEE, 0, 14] + segment.payload.prefix(12).map { header.byte(at: $0) }
            }
        }
        return jfif + adobe
    }
}

/// Why parts of a JPEG can't be read without decoding it, see ``JPEGTileLayout``.
public enum JPEGTileObstacle: Error, Hashable, Sendable {
    /// The bytes end before the first scan's data.
    case incompleteHeader
    /// The header is damaged.
    case damagedHeader(JPEGBitstreamError)
    /// The picture is coded in several scans, each refining it.
    case progressive
    /// The samples are coded losslessly, without a DCT.
    case lossless
    /// The image is coded as differences to an earlier frame.
    case hierarchical
    /// The entropy coding is arithmetic.
    case arithmetic
    /// A sample doesn't have 8 bits.
    case precision(Int)
    /// There are neither one nor three components; four are usually CMYK.
    case componentCount(Int)
    /// The components come in separate scans.
    case severalScans
    /// The scan doesn't hold all coefficients, or lists its components out of order.
    case unusualScan
    /// An MCU has more than ten blocks, which the standard forbids.
    case sampling
    /// The frame leaves its height to a marker after the scan.
    case unknownHeight
    /// A component refers to a missing table.
    case missingTable

    /// Whether only the number and the order of the scans is in the way, so that ``JPEGScanTileLayout`` may describe the JPEG.
    package var isOfScans: Bool { self == .progressive || self == .severalScans || self == .unusualScan }
}

extension JPEGTileObstacle: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .incompleteHeader: "the JPEG ends before its first scan"
        case .damagedHeader(let error): error.description
        case .progressive: "the JPEG is progressive"
        case .lossless: "the JPEG is lossless (SOF3 or similar)"
        case .hierarchical: "the JPEG is hierarchical"
        case .arithmetic: "the JPEG uses arithmetic coding"
        case .precision(let bits): "the JPEG's samples have \(bits) bits"
        case .componentCount(let count): "the JPEG has \(count) components"
        case .severalScans: "the JPEG's components come in several scans"
        case .unusualScan: "the JPEG's scan doesn't hold all components and coefficients in their order"
        case .sampling: "the JPEG's sampling gives an MCU more than ten blocks"
        case .unknownHeight: "the JPEG gives its height after the scan (DNL marker)"
        case .missingTable: "the JPEG has a component without a table"
        }
    }
}
