import ImagePyramid
import Tessera

/// Raw tiles copied out of a store, all of a picture's, or as many bytes copied from memory to memory.
final class RawTilesSubject: Subject {
    private let store: RawTileStore
    private let addresses: [TileAddress]
    private let copiesMemory: Bool
    private let source: [UInt8]
    private var target: [UInt8]
    private var last: Image?

    private static let tileByteCount = 256 * 256 * 4

    init(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw MeasureError("usage: raw-tiles FILE store|memory") }
        copiesMemory = arguments[1] == "memory"
        let path = arguments[0]
        let store = try waiting {
            let picture = try ArrivingImage(Source(path: path).chunks())
            for await event in picture.events {
                if case .failed(let error) = event { throw error }
            }
            return try await picture.store()
        }
        self.store = store
        let geometry = store.geometry
        addresses = (0..<(geometry.size.height / 256)).flatMap { row in
            (0..<(geometry.size.width / 256)).map { TileAddress(level: 0, column: $0, row: row) }
        }
        source = copiesMemory ? [UInt8](repeating: 7, count: addresses.count * Self.tileByteCount) : []
        target = [UInt8](repeating: 0, count: Self.tileByteCount)
    }

    func prepare() {}

    func run() throws {
        guard copiesMemory else {
            for address in addresses { last = try store.readyTile(address) }
            return
        }
        for number in addresses.indices {
            target.withUnsafeMutableBytes { target in
                // Both are a tile long.
                source.withUnsafeBytes {
                    let start = number * Self.tileByteCount
                    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + Self.tileByteCount)]))
                }
            }
        }
    }

    func output() throws -> Output { .file(target) }
}
