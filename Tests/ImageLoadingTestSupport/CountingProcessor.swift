internal import ImageLoading
package import Raster
internal import Synchronization

/// A processor that adds to a grey pixel's value, and counts.
package struct CountingProcessor: ImageProcessing {
    /// How often processors were run.
    package final class Counter: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        package init() {}

        package subscript(_ identifier: String) -> Int { counts.withLock { $0[identifier] ?? 0 } }

        func add(_ identifier: String) { counts.withLock { $0[identifier, default: 0] += 1 } }
    }

    package let identifier: String
    private let amount: UInt8
    private let counter: Counter

    package init(_ identifier: String, adding amount: UInt8, counter: Counter) {
        self.identifier = identifier
        self.amount = amount
        self.counter = counter
    }

    package func process(_ image: Image) throws -> Image {
        counter.add(identifier)
        guard let value = image.pixelValue else { throw ImageError(.invalidParameter, "no pixel") }
        guard amount > 0 else { throw ImageError(.invalidParameter, "nothing to add") }
        return try .pixel(value &+ amount)
    }
}
