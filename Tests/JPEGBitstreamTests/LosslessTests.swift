import TestSupport
import Testing

import JPEGBitstream

@Suite("Lossless JPEG samples")
struct LosslessTests {
    /// What a file's bytes decode to.
    struct Outcome {
        /// The rows of the image, each with the samples of each component.
        var rows: [[[UInt16]]] = []
        var error: JPEGBitstreamError?

        /// Decodes a file.
        /// - Parameter pieceLength: How many bytes are lent at a time; nil lends all at once.
        init(_ file: [UInt8], pieceLength: Int? = nil) {
            do throws(JPEGBitstreamError) {
                let structure = JPEGStructure(of: file.span.bytes)
                if structure.scans.isEmpty, let failure = structure.failure { throw failure }
                var decoder = try JPEGLosslessDecoder(structure, in: file.span.bytes)
                var end = pieceLength.map { _ in decoder.firstNeededByte } ?? file.count
                while decoder.rowCount < decoder.layout.height {
                    let start = pieceLength == nil ? 0 : decoder.firstNeededByte
                    let bytes = file.span.bytes.extracting(start..<max(start, end))
                    guard try decoder.readRow(bytes, from: start, isWhole: end == file.count) else {
                        end = min(end + (pieceLength ?? 0), file.count)
                        continue
                    }
                    rows.append(
                        decoder.layout.components.indices.map { index in
                            let samples = decoder.samples(of: index)
                            return samples.indices.map { samples[$0] }
                        })
                }
            } catch {
                self.error = error
            }
        }
    }

    private static func expect(_ image: LosslessJPEG, pieceLength: Int? = nil) {
        let outcome = Outcome(image.file, pieceLength: pieceLength)
        #expect(outcome.error == nil, "\(image)")
        let rows = (0..<image.height).map { y in image.sampling.indices.map { image.row(y, of: $0) } }
        let isRight = outcome.rows == rows
        #expect(isRight, "\(image)")
    }

    @Test("Every predictor, precision and point transform gives the samples that were encoded", arguments: 1...7)
    func predictors(predictor: Int) {
        for precision in 2...16 {
            for transform in Set([0, 1, precision / 2, precision - 1]) {
                Self.expect(
                    LosslessJPEG {
                        ($0.precision, $0.predictors, $0.pointTransforms) = (precision, [predictor], [transform])
                    })
            }
        }
    }

    @Test("Differences of 32768 and sums beyond 16 bits wrap around", arguments: 1...7)
    func extremes(predictor: Int) {
        for pattern in [[0, 32768], [0, 65535], [65535, 0, 32768, 32767, 1]] {
            Self.expect(
                LosslessJPEG {
                    ($0.precision, $0.predictors) = (16, [predictor])
                    $0.sample = { _, x, y in pattern[(x + 3 * y) % pattern.count] }
                })
        }
    }

    @Test(
        "A scan may have any components, whatever their sampling",
        arguments: [
            [(1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)],
            [(1, 2), (1, 1), (2, 1)], [(1, 1), (2, 2), (1, 1)], [(4, 1), (1, 1), (2, 1)], [(3, 2), (2, 1), (1, 1)],
            [(1, 4), (1, 3), (1, 1)], [(1, 1), (1, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1), (2, 2)],
            [(4, 4)], [(2, 3)],
        ] as [[(across: Int, down: Int)]])
    func components(sampling: [(across: Int, down: Int)]) {
        let all = Array(sampling.indices)
        let divisions = [[all], all.map { [$0] }, all.reversed().map { [$0] }, [[0], Array(all.dropFirst())]]
        for scans in divisions where !scans.contains([]) {
            for (width, height) in [(19, 13), (16, 12), (1, 1), (2, 9), (7, 2)] {
                for (predictor, restartRows) in [(1, 0), (4, 1), (7, 2), (6, 3)] {
                    Self.expect(
                        LosslessJPEG {
                            ($0.width, $0.height, $0.sampling, $0.scans) = (width, height, sampling, scans)
                            ($0.predictors, $0.restartRows) = ([predictor, 2], restartRows)
                            $0.pointTransforms = scans.count > 1 ? [0, 3, 1] : [0]
                        })
                }
            }
        }
    }

    @Test("Components of one identifier come in the frame's order")
    func identifiers() {
        for scans in [[[0, 1, 2]], [[0], [1], [2]]] {
            Self.expect(
                LosslessJPEG {
                    ($0.sampling, $0.scans) = ([(1, 1), (1, 1), (1, 1)], scans)
                    $0.identifiers = [0, 0, 0]
                })
        }
    }

    @Test("The height may follow the first scan")
    func numberOfLines() {
        for scans in [[[0, 1]], [[0], [1]]] {
            Self.expect(
                LosslessJPEG { ($0.sampling, $0.scans, $0.hasDNL) = ([(1, 1), (1, 1)], scans, true) })
        }
    }

    @Test("Rows are the same however few bytes are lent at a time", arguments: [1, 2, 7, 64, 5000])
    func pieces(length: Int) {
        for restartRows in [0, 2] {
            Self.expect(
                LosslessJPEG {
                    ($0.sampling, $0.scans) = ([(2, 1), (1, 1), (1, 1)], [[0, 1, 2]])
                    ($0.precision, $0.predictors, $0.restartRows) = (12, [5], restartRows)
                    ($0.width, $0.height) = (61, 20)
                }, pieceLength: length)
        }
    }

    @Test("Data of more than a piece is decoded with little memory at a time")
    func large() {
        Self.expect(
            LosslessJPEG { ($0.width, $0.height, $0.precision, $0.predictors) = (700, 190, 16, [4]) },
            pieceLength: 50_000)
    }

    @Test("A row needs only bytes up to its end")
    func arrival() throws {
        let image = LosslessJPEG { ($0.width, $0.height) = (100, 100) }
        let file = image.file
        var decoder = try JPEGLosslessDecoder(JPEGStructure(of: file.span.bytes), in: file.span.bytes)
        var end = decoder.firstNeededByte
        let dataOffset = end
        var ends: [Int] = []
        while ends.count < 100 {
            if try decoder.readRow(file.span.bytes.extracting(first: end), isWhole: false) {
                ends.append(end)
            } else {
                end += 1
            }
        }
        #expect(ends == ends.sorted())
        // Within the reader's margin of the row's share.
        #expect(ends[0] - dataOffset < (file.count - dataOffset) / 100 * 2 + 64)
    }
}
