import ImageFormats
internal import Platform
import Raster

/// What the command line asks for: one picture to be written as a JPNG.
struct Conversion {
    /// A command line that can't be understood.
    struct UsageError: Error {
        let message: String
    }

    var input: String
    var output: String
    var quality = 0.8

    /// Reads `inputfile [outputfile] [quality]`.
    init(arguments: [String]) throws(UsageError) {
        guard let input = arguments.first else { throw UsageError(message: "an input file is needed") }
        guard arguments.count <= 3 else {
            throw UsageError(message: "at most three arguments are taken, but \(arguments[3]) is a fourth")
        }
        guard arguments.prefix(2).allSatisfy({ !$0.isEmpty }) else {
            throw UsageError(message: "a file name can't be empty")
        }
        self.input = input
        output = arguments.count > 1 ? arguments[1] : Self.defaultOutput(for: input)
        if arguments.count > 2 {
            guard let quality = Double(arguments[2]) else {
                throw UsageError(message: "the quality is \(arguments[2]), which is not a number")
            }
            guard quality > 0, quality <= 1 else {
                throw UsageError(message: "the quality is \(arguments[2]); it has to be above 0 and at most 1")
            }
            self.quality = quality
        }
        guard arguments.count > 1 || output != input else {
            throw UsageError(message: "\(input) would be replaced by what is made of it; name an output file")
        }
    }

    /// The input with its extension replaced by `.jpng`.
    static func defaultOutput(for input: String) -> String {
        let nameStart = input.lastIndex(of: "/").map { input.index(after: $0) } ?? input.startIndex
        // A dot at the beginning of a name hides a file and begins no extension.
        if let dot = input[nameStart...].lastIndex(of: "."), dot > nameStart { return input[..<dot] + ".jpng" }
        return input + ".jpng"
    }

    /// Converts. The output appears whole or not at all; one that was there is replaced.
    func run() throws(ImageError) {
        // Profiles travel along as they are; inks can't, and become sRGB.
        var options = DecodingOptions(color: .asStored)
        let source = try Source(path: input)
        var rows = try open(source, options)
        if rows.header.colorModel == .cmyk {
            options.color = .sRGB
            rows = try open(source, options)
        }
        var encoding = EncodingOptions(quality: quality, metadata: rows.header.metadata)
        // The rows are upright.
        encoding.metadata.orientation = .up
        let destination = try ImageDestination(format: .jpng, options: encoding, registry: .builtIn)
        try makeParentFolders()
        let file = try AtomicFile(path: output, overwrites: true)
        do throws(ImageError) {
            try destination.encode(rows, to: file)
            // What is wrong with a file may come to light after its last row.
            try rows.finish()
        } catch {
            throw named(error)
        }
        try file.commit()
    }

    private func open(_ source: Source, _ options: DecodingOptions) throws(ImageError) -> ImageRowSource {
        do throws(ImageError) {
            return try ImageRowSource(source, options: options, registry: .builtIn)
        } catch {
            throw named(error)
        }
    }

    /// The error, with the name of the file that it is about.
    private func named(_ error: ImageError) -> ImageError {
        guard error.code != .inputOutput else { return error }
        return ImageError(error.code, "\(input): \(error.message)", byteOffset: error.byteOffset)
    }

    private func makeParentFolders() throws(ImageError) {
        for (index, character) in zip(output.indices, output) where character == "/" && index > output.startIndex {
            let folder = String(output[..<index])
            if mkdir(folder, 0o777) != 0, errno != EEXIST, errno != EISDIR {
                throw ImageError(
                    .inputOutput, "the folder \(folder) can't be made: \(String(cString: strerror(errno)))")
            }
        }
    }
}
