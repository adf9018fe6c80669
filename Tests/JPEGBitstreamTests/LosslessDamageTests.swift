import TestSupport
import Testing

import JPEGBitstream

@Suite("Damaged lossless JPEGs")
struct LosslessDamageTests {
    private typealias Outcome = LosslessTests.Outcome

    private static let color = LosslessJPEG {
        ($0.sampling, $0.scans) = ([(2, 2), (1, 1), (1, 1)], [[0, 1, 2]])
        ($0.predictors, $0.restartRows) = ([6], 2)
    }

    /// The start of a file's first segment with a marker.
    private static func position(of marker: UInt8, in file: [UInt8]) throws -> Int {
        try #require((0..<(file.count - 1)).first { file[$0] == 0xFF && file[$0 + 1] == marker })
    }

    @Test("A file cut anywhere gives its first rows, then the error with its length")
    func truncated() throws {
        for image in [Self.color, LosslessJPEG { $0.precision = 12 }] {
            let file = image.file
            let whole = Outcome(file).rows
            #expect(whole.count == image.height)
            let dataOffset = try #require(JPEGStructure(of: file.span.bytes).scans.first?.dataOffset)
            var before = 0
            for end in 0..<(file.count - 2) {
                let outcome = Outcome(Array(file[..<end]))
                let error = try #require(outcome.error, "\(end)")
                #expect(error.code == .truncated, "\(end)")
                #expect(error.offset == end, "\(end)")
                #expect(outcome.rows.count >= before && (end >= dataOffset || outcome.rows.isEmpty))
                before = outcome.rows.count
                let isSame = outcome.rows == Array(whole.prefix(before))
                #expect(isSame, "\(end)")
            }
            #expect(before < image.height)
        }
    }

    @Test("A scan that ends at a marker too early is damaged there")
    func endedEarly() throws {
        let file = LosslessJPEG { $0.height = 40 }.file
        let dataOffset = try #require(JPEGStructure(of: file.span.bytes).scans.first?.dataOffset)
        for end in dataOffset..<(file.count - 3) where file[end - 1] != 0xFF {
            for pieceLength in [nil, 1] {
                let outcome = Outcome(Array(file[..<end]) + [0xFF, 0xD9], pieceLength: pieceLength)
                #expect(outcome.rows.count < 40)
                #expect(outcome.error?.code == .invalidEntropyData)
                #expect(outcome.error?.offset == end || outcome.error?.offset == end - 1)
            }
        }
    }

    @Test("A component without a scan is missing data if the file is cut, and damage if it isn't")
    func missingScans() throws {
        let file = LosslessJPEG { ($0.sampling, $0.scans) = ([(1, 1), (1, 1)], [[0], [1]]) }.file
        let second = try #require(JPEGStructure(of: file.span.bytes).scans.last?.offset)
        let cut = Outcome(Array(file[..<second]))
        #expect(cut.error?.code == .truncated && cut.error?.offset == second)
        let ended = Outcome(Array(file[..<second]) + [0xFF, 0xD9])
        #expect(ended.error?.code == .invalidScan && ended.error?.offset == second + 2)
        let again = Outcome(Array(file[..<second]) + [0xFF, 0xD8])
        #expect(again.error?.code == .unexpectedMarker && again.error?.offset == second)
        #expect(cut.rows.isEmpty && ended.rows.isEmpty && again.rows.isEmpty)
    }

    @Test("A wrong or missing restart marker ends the rows before it", arguments: [nil, 1])
    func restarts(pieceLength: Int?) throws {
        let file = LosslessJPEG { ($0.height, $0.restartRows) = (12, 3) }.file
        let second = try Self.position(of: 0xD1, in: file)
        var wrong = file
        wrong[second + 1] = 0xD5
        var missing = file
        missing.removeSubrange(second..<(second + 2))
        var surplus = file
        surplus.insert(contentsOf: [0xFF, 0xD1], at: second)
        var extra = file
        extra.insert(contentsOf: [0x55, 0xAA, 0x55], at: second)
        for (damaged, rows) in [(wrong, 6), (missing, 6), (surplus, 6), (extra, 6)] {
            let outcome = Outcome(damaged, pieceLength: pieceLength)
            #expect(outcome.error?.code == .invalidEntropyData)
            #expect(outcome.error.map { abs($0.offset - second) <= 2 } == true, "\(String(describing: outcome.error))")
            #expect(outcome.rows.count == rows)
        }
    }

    @Test("An invalid code is reported with its byte")
    func invalidCode() throws {
        // Sixteen ones are no code. The mean predictor's rows before stay.
        var file = LosslessJPEG { ($0.height, $0.predictors) = (30, [7]) }.file
        let dataOffset = try #require(JPEGStructure(of: file.span.bytes).scans.first?.dataOffset)
        let place = dataOffset + (file.count - dataOffset) / 2
        file.insert(contentsOf: [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0], at: place)
        for pieceLength in [nil, 1, 3] {
            let outcome = Outcome(file, pieceLength: pieceLength)
            #expect(outcome.error?.code == .invalidEntropyData)
            #expect(outcome.error.map { (place - 4..<place + 9).contains($0.offset) } == true)
            #expect(1..<30 ~= outcome.rows.count)
        }
    }

    @Test("Samples beyond the precision are damage, not pixels")
    func beyondPrecision() {
        // Claims 7 bits for samples of 8; the first prediction differs too.
        var file = LosslessJPEG { $0.sample = { _, x, _ in 100 + 20 * (x % 7) } }.file
        let frame = file.firstIndex(of: 0xC3)!
        #expect(file[frame + 3] == 8)
        file[frame + 3] = 7
        let outcome = Outcome(file)
        #expect(outcome.error?.code == .invalidEntropyData)
        #expect(outcome.rows.isEmpty)
    }

    @Test("Frames and scans that no decoder can read are refused with their byte")
    func refused() throws {
        let file = Self.color.file
        let (frame, scan) = (try Self.position(of: 0xC3, in: file), try Self.position(of: 0xDA, in: file))
        let (table, interval) = (try Self.position(of: 0xC4, in: file), try Self.position(of: 0xDD, in: file))
        /// A byte of a segment after its marker and length, its new value, and the error with its place.
        let cases: [(Int, Int, UInt8, JPEGBitstreamError.Code, Int)] = [
            (frame, 0, 1, .invalidFrame, frame), (frame, 0, 17, .invalidFrame, frame),
            (frame, 0, 0, .invalidFrame, frame),
            (frame, 4, 0, .invalidFrame, frame), (frame, 5, 2, .invalidSegmentLength, frame),
            (frame, 7, 0x50, .invalidFrame, frame), (frame, 7, 0x44, .invalidScan, scan),
            (frame, 6, 9, .invalidScan, scan), (scan, 0, 4, .invalidSegmentLength, scan),
            (scan, 1, 8, .invalidScan, scan), (scan, 3, 1, .invalidScan, scan), (scan, 2, 0x20, .invalidScan, scan),
            (scan, 2, 0x40, .invalidScan, scan), (scan, 7, 0, .invalidScan, scan), (scan, 7, 8, .invalidScan, scan),
            (scan, 9, 8, .invalidScan, scan), (scan, 9, 15, .invalidScan, scan),
            (interval, 1, file[interval + 5] + 1, .invalidScan, scan),
            (table, 17, 17, .invalidHuffmanTable, table), (table, 17, 255, .invalidHuffmanTable, table),
            (table, 0, 4, .invalidHuffmanTable, table), (table, 1, 3, .invalidSegmentLength, table),
        ]
        for (segment, place, value, code, offset) in cases {
            var damaged = file
            damaged[segment + 4 + place] = value
            let error = Outcome(damaged).error
            #expect(error?.code == code, "\(segment) \(place) \(value): \(String(describing: error))")
            #expect(error?.offset == offset, "\(segment) \(place) \(value)")
        }
        // Neither the end of the spectrum nor the high bit position means anything here.
        for (place, value) in [(8, 63), (9, 0x50)] as [(Int, UInt8)] {
            var odd = file
            odd[scan + 4 + place] = value
            #expect(Outcome(odd).error == nil)
        }
    }

    @Test("Only frames of this process are taken", arguments: [0xC0, 0xC1, 0xC2, 0xC7, 0xCB, 0xCF] as [UInt8])
    func otherProcesses(marker: UInt8) throws {
        var file = LosslessJPEG().file
        let frame = try Self.position(of: 0xC3, in: file)
        file[frame + 1] = marker
        #expect(Outcome(file).error != nil)
        #expect(Outcome(file).rows.isEmpty)
    }

    @Test("A frame without a height needs a DNL marker")
    func noHeight() throws {
        let file = LosslessJPEG { $0.hasDNL = true }.file
        let lines = try Self.position(of: 0xDC, in: file)
        var without = file
        without.removeSubrange(lines..<(lines + 6))
        var zero = file
        (zero[lines + 4], zero[lines + 5]) = (0, 0)
        for damaged in [without, zero] {
            #expect(Outcome(damaged).error?.code == .invalidFrame)
            #expect(Outcome(damaged).rows.isEmpty)
        }
    }

    @Test("Damage anywhere gives rows or an error, the same for any pieces", arguments: 1...40)
    func mutations(seed: Int) {
        var random = SeededGenerator(state: UInt64(seed))
        let file = (seed % 2 == 0 ? Self.color : LosslessJPEG { $0.precision = 16 }).file
        for _ in 0..<25 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 2..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: damaged[place] = .random(in: 0...255, using: &random)
                case 2: damaged.remove(at: place)
                default: damaged.insert(.random(in: 0...255, using: &random), at: place)
                }
            }
            let structure = JPEGStructure(of: damaged.span.bytes)
            // The walk is tested elsewhere; sizes here stay small.
            guard structure.frame.map({ $0.width < 500 && (structure.height ?? 0) < 500 }) == true else { continue }
            let (whole, pieces) = (Outcome(damaged), Outcome(damaged, pieceLength: 5))
            let isSame = whole.rows == pieces.rows
            #expect(isSame)
            #expect(whole.error == pieces.error)
        }
    }
}
