import Foundation
import Tessera

/// A picture that arrives at a rate in pieces of 64 KiB: the time from its last byte to its last tile.
///
/// The whole takes as long as the bytes do; what is measured is told by `peak`'s place in the answer: nanoseconds.
final class LastByteSubject: Subject {
    private let bytes: [UInt8]
    private let bytesPerSecond: Double
    private(set) var peakByteCount: Int?

    private static let pieceByteCount = 1 << 16

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        bytesPerSecond = try arguments.number(1) * 1e6
    }

    func prepare() {}

    func run() throws {
        let (bytes, bytesPerSecond) = (bytes, bytesPerSecond)
        let time = try waiting {
            let (chunks, arrival) = AsyncStream<[UInt8]>.makeStream()
            let picture = ArrivingImage(chunks, options: ArrivingImage.Options(decoding: DecodingOptions()))
            let clock = ContinuousClock()
            let start = clock.now
            for first in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
                let end = min(bytes.count, first + Self.pieceByteCount)
                try await clock.sleep(until: start + .seconds(Double(end) / bytesPerSecond), tolerance: .zero)
                arrival.yield(Array(bytes[first..<end]))
            }
            let last = clock.now
            arrival.finish()
            for await event in picture.events {
                if case .failed(let error) = event { throw error }
            }
            return clock.now - last
        }
        peakByteCount = Int(time / .nanoseconds(1))
    }

    func output() throws -> Output { throw MeasureError("a time has no output") }
}
