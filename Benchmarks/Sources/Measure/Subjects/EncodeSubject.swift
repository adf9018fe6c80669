import Tessera

/// A picture to a file of the format that an extension names, in memory: at the default options, or as a progressive JPEG with
/// trellis quantisation of the quality, in hundredths, that argument 3 is. With no-dither as that argument, a GIF isn't dithered.
final class EncodeSubject: Subject {
    private let bitmap: Bitmap
    private let destination: ImageDestination
    private var file: [UInt8] = []

    init(_ arguments: [String]) throws {
        bitmap = try ImageSource.decode(arguments.file(0), options: DecodingOptions(color: .asStored)).bitmap
        guard arguments.count > 1,
            let format = CodecRegistry.default.format(forFilenameExtension: arguments[1])
        else { throw MeasureError("argument 2, a format's extension, is missing") }
        var options = EncodingOptions()
        if arguments.count > 2, let quality = Int(arguments[2]) {
            options.quality = Double(quality) / 100
            options.jpeg = .init(isProgressive: true, usesTrellis: true)
        }
        if arguments.count > 2, arguments[2] == "no-dither" { options.gif.isDithered = false }
        destination = try ImageDestination(format: format, options: options)
    }

    func prepare() { file = [] }

    func run() throws { file = try destination.encode(bitmap) }

    func output() throws -> Output { .file(file) }
}
