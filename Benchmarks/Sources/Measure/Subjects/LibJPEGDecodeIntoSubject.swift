import CPeerJPEG

/// A JPEG's bytes into memory that is there already, by a C loop over libjpeg-turbo.
final class LibJPEGDecodeIntoSubject: Subject {
    private let bytes: [UInt8]
    private let width: Int
    private let height: Int
    private var pixels: [UInt8]

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        var (width, height): (CInt, CInt) = (0, 0)
        guard peer_jpeg_size(bytes, bytes.count, &width, &height) == 0 else { throw MeasureError("not a JPEG") }
        (self.width, self.height) = (Int(width), Int(height))
        pixels = [UInt8](repeating: 0, count: self.width * self.height * 4)
    }

    func prepare() {}

    func run() throws {
        guard peer_jpeg_decode(bytes, bytes.count, &pixels, width * 4) == 0 else {
            throw MeasureError("libjpeg failed")
        }
    }

    func output() throws -> Output { .pixels(pixels, width: width, height: height) }
}
