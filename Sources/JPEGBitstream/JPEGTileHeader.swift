/// The bytes of a tile before its entropy-coded data: what is the same for all tiles of a JPEG, and where the rest goes.
struct JPEGTileHeader: Sendable {
    private var bytes: [UInt8]
    /// Where the frame's height and width stand.
    private let sizePlace: Int
    /// Where the restart interval stands.
    private let intervalPlace: Int

    /// - Parameters:
    ///   - segments: Bytes of whole segments that go into the header.
    ///   - isComplete: Whether the tables for DC are those with a code for every difference.
    init(_ layout: JPEGTileLayout, segments: [UInt8], isComplete: Bool) {
        bytes = [0xFF, JPEGMarker.startOfImage.rawValue] + layout.colorSegments + segments
        var seen: Set<Int> = []
        for component in layout.components where seen.insert(Int(component.frame.quantizationTable)).inserted {
            Self.append(.quantizationTables, Self.steps(of: component), to: &bytes)
        }
        sizePlace = bytes.count + 5
        let frame: [UInt8] = [8, 0, 0, 0, 0, UInt8(layout.componentCount)]
        Self.append(
            layout.frame.marker,
            frame
                + layout.components.flatMap { component in
                    [
                        component.frame.identifier,
                        component.frame.horizontalSampling << 4 | component.frame.verticalSampling,
                        component.frame.quantizationTable,
                    ]
                }, to: &bytes)
        seen = []
        for component in layout.components {
            let (dc, ac) = (component.scan.dcTable, component.scan.acTable)
            if seen.insert(Int(dc)).inserted {
                let table = isComplete ? JPEGDifferenceCodes.complete : component.dc
                Self.append(.huffmanTables, [dc] + table.counts + table.symbols, to: &bytes)
            }
            if seen.insert(16 + Int(ac)).inserted {
                Self.append(.huffmanTables, [16 | ac] + component.ac.counts + component.ac.symbols, to: &bytes)
            }
        }
        intervalPlace = bytes.count + 4
        Self.append(.restartInterval, [0, 0], to: &bytes)
        let scan = layout.components.flatMap { [$0.scan.identifier, $0.scan.dcTable << 4 | $0.scan.acTable] }
        Self.append(.startOfScan, [UInt8(layout.componentCount)] + scan + [0, 63, 0], to: &bytes)
    }

    /// Appends the header of a window that lies inside.
    func append(_ window: JPEGTileWindow, of layout: JPEGTileLayout, to output: inout [UInt8]) {
        append(
            width: layout.x(of: window).count, height: layout.y(of: window).count,
            restartInterval: layout.mcus(of: window).count, to: &output)
    }

    /// Appends the header of a picture of the given size; the numbers have 16 bits.
    func append(width: Int, height: Int, restartInterval: Int, to output: inout [UInt8]) {
        let start = output.count
        output += bytes
        for (place, number) in [(sizePlace, height), (sizePlace + 2, width), (intervalPlace, restartInterval)] {
            output[start + place] = UInt8(number >> 8)
            output[start + place + 1] = UInt8(number & 0xFF)
        }
    }

    /// Payloads here are far shorter than the 65 533 bytes that there can be.
    private static func append(_ marker: JPEGMarker, _ payload: [UInt8], to bytes: inout [UInt8]) {
        let length = payload.count + 2
        bytes += [0xFF, marker.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    /// A table as a DQT segment has it, of bytes where they will do.
    private static func steps(of component: JPEGTileLayout.Component) -> [UInt8] {
        let number = component.frame.quantizationTable
        if component.steps.allSatisfy({ $0 <= 255 }) { return [number] + component.steps.map(UInt8.init) }
        return [16 | number] + component.steps.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
