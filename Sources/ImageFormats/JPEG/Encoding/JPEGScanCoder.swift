internal import CTesseraKernels
internal import JPEGBitstream

/// Gathers a scan's tokens, and codes them once it has all.
final class JPEGScanCoder {
    let scan: JPEGTokenScan
    private var rows: [JPEGTokenRow] = []

    init(_ scan: JPEGTokenScan) { self.scan = scan }

    /// Adds the tokens of the next row of blocks or MCUs.
    func add(_ row: JPEGTokenRow) { rows.append(row) }

    /// The number of tokens so far, after which the time of coding goes.
    var tokenCount: Int { rows.reduce(0) { $0 + $1.tokens.count } }

    /// The scan with its Huffman tables.
    func makeBytes() -> [UInt8] {
        if !scan.hasDC { rows.joinRuns() }
        let counts = countSymbols()
        var codes = [UInt32](repeating: 0, count: 4 * 256)
        var bytes: [UInt8] = []
        for table in tables {
            let optimal = JPEGOptimalCodes(counts: Array(counts[256 * table..<256 * table + 256]))
            // The class in the upper half, the number in the lower.
            bytes += Self.segment(
                .huffmanTables, [UInt8(table / 2) << 4 | UInt8(table % 2)] + optimal.lengthCounts + optimal.symbols)
            codes.replaceSubrange(256 * table..<256 * table + 256, with: optimal.entries)
        }
        bytes += Self.segment(.startOfScan, header)
        appendData(codes, to: &bytes)
        return bytes
    }

    /// The numbers of the tables that the scan needs.
    private var tables: [Int] {
        let numbers = Set(scan.components.map { min($0, 1) }).sorted()
        return (scan.hasDC ? numbers : []) + (scan.hasAC ? numbers.map { 2 + $0 } : [])
    }

    /// The payload of the start of scan (T.81, B.2.3).
    private var header: [UInt8] {
        let components = scan.components.flatMap { component -> [UInt8] in
            let table = UInt8(min(component, 1))
            return [UInt8(component + 1), (scan.hasDC ? table << 4 : 0) | (scan.hasAC ? table : 0)]
        }
        return [UInt8(scan.components.count)] + components
            + [UInt8(scan.places.lowerBound), UInt8(scan.places.upperBound), 0]
    }

    /// How often each of 256 symbols occurs in each of four tables.
    private func countSymbols() -> [UInt32] {
        var counts = [UInt32](repeating: 0, count: 4 * 256)
        counts.withUnsafeMutableBufferPointer { counts in
            forEachRow { tokens, predictions in
                tessera_jpeg_count_tokens(tokens.baseAddress!, tokens.count, predictions, counts.baseAddress!)
            }
        }
        return counts
    }

    private func appendData(_ codes: [UInt32], to bytes: inout [UInt8]) {
        var pending = tessera_jpeg_bits()
        forEachRow { tokens, predictions in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8 * tokens.count + 8) { target in
                let count = tessera_jpeg_write_tokens(
                    tokens.baseAddress!, tokens.count, predictions, codes, &pending, target.baseAddress!)
                bytes += target[..<count]
            }
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { target in
            let count = tessera_jpeg_write_last_bits(&pending, target.baseAddress!)
            bytes += target[..<count]
        }
    }

    /// Calls `body` with the tokens of each row that has some, and the last DC values before it.
    private func forEachRow(_ body: (UnsafeBufferPointer<UInt32>, UnsafePointer<Int16>) -> Void) {
        var predictions: (Int16, Int16, Int16) = (0, 0, 0)
        for row in rows {
            row.tokens.withUnsafeBufferPointer { tokens in
                guard !tokens.isEmpty else { return }
                withUnsafeBytes(of: predictions) { body(tokens, $0.baseAddress!.assumingMemoryBound(to: Int16.self)) }
            }
            predictions = row.lastValues
        }
    }

    /// A marker segment.
    static func segment(_ marker: JPEGMarker, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }
}
