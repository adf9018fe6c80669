import Tessera

/// A file's picture to a file of the format that an extension names, in memory, at the default options.
final class EncodeSubject: Subject {
    private let bitmap: Bitmap
    private let codec: any ImageCodec
    private var file: [UInt8] = []

    init(_ arguments: [String]) throws {
        bitmap = try ImageSource.decode(arguments.file(0), options: DecodingOptions(color: .asStored)).bitmap
        let registry = CodecRegistry.default
        guard arguments.count > 1, let format = registry.format(forFilenameExtension: arguments[1]),
            let codec = registry.codec(for: format)
        else { throw MeasureError("argument 2, a format's extension, is missing") }
        self.codec = codec
    }

    func prepare() { file = [] }

    func run() throws {
        let buffer = ByteBuffer()
        try codec.encode(bitmap, options: EncodingOptions(), output: buffer)
        file = buffer.bytes
    }

    func output() throws -> Output { .file(file) }
}
