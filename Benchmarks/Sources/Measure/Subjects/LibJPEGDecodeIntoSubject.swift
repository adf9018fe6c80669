import CPeerJPEG

/// A JPEG's bytes into memory that is there already, by a C loop over libjpeg-turbo; at some eighths of its size, and once for
/// each scan.
final class LibJPEGDecodeIntoSubject: Subject {
    private let bytes: [UInt8]
    private let eighths: Int
    private let hasPreviews: Bool
    private let width: Int
    private let height: Int
    private var pixels: [UInt8]

    init(_ arguments: [String]) throws {
        bytes = try arguments.file(0)
        eighths = arguments.count > 1 ? Int(try arguments.number(1)) : 8
        hasPreviews = arguments.last == "previews"
        var (width, height): (CInt, CInt) = (0, 0)
        guard peer_jpeg_size(bytes, bytes.count, &width, &height) == 0 else { throw MeasureError("not a JPEG") }
        (self.width, self.height) = ((Int(width) * eighths + 7) / 8, (Int(height) * eighths + 7) / 8)
        pixels = [UInt8](repeating: 0, count: self.width * self.height * 4)
    }

    func prepare() {}

    func run() throws {
        let status = peer_jpeg_decode(bytes, bytes.count, CInt(eighths), hasPreviews ? 1 : 0, &pixels, width * 4)
        guard status == 0 else { throw MeasureError("libjpeg failed") }
    }

    func output() throws -> Output { .pixels(pixels, width: width, height: height) }
}
