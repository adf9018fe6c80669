import Raster
import Tessera

/// A picture's file to its overview, from opening it on.
final class FirstViewSubject: Subject {
    private let path: String
    private let side: Int
    private var overview: Bitmap?

    init(_ arguments: [String]) throws {
        guard let path = arguments.first else { throw MeasureError("argument 1, a file, is missing") }
        self.path = path
        side = Int(try arguments.number(1))
    }

    func prepare() {
        overview = nil
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let (path, side) = (path, side)
        overview = try waiting { try await TiledImage(contentsOf: path).overview(maximumSide: side) }
    }

    func output() throws -> Output { try overview!.converted(to: .rgba8).output() }
}
