import ImageFormats
internal import Platform
import Raster

/// One image to convert to JPNG, as given on the command line.
struct Conversion {
    /// An invalid command line.
    struct UsageError: Error {
        let message: String
    }

    var input: String
    var output: String
    var quality = 0.8

    /// Parses `inputfile [outputfile] [quality]`.
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
                throw UsageError(message: "the quality is \(arguments[2]); it must be above 0 and at most 1")
            }
            self.quality = quality
        }
        guard arguments.count > 1 || output != input else {
            throw UsageError(message: "\(input) would be replaced by its own conversion; name an output file")
        }
    }

    /// Returns the input path with its extension replaced by `.jpng`.
    static func defaultOutput(for input: String) -> String {
        let nameStart = input.lastIndex(of: "/").map { input.index(after: $0) } ?? input.startIndex
        // A dot at the start of a name marks a hidden file, not an extension.
        if let dot = input[nameStart...].lastIndex(of: "."), dot > nameStart { return input[..<dot] + ".jpng" }
        return input + ".jpng"
    }

    /// Converts the file. The output appears whole or not at all, and replaces an existing file.
    func run() throws(ImageError) {
        // Profiles are kept; CMYK can't be, and becomes sRGB.
        var options = DecodingOptions(color: .asStored)
        let source = try Source(path: input)
        var rows = try open(source, options)
        if rows.header.colorModel == .cmyk {
            options.color = .sRGB
            rows = try open(source, options)
        }
        var encoding = EncodingOptions(quality: quality, metadata: rows.header.metadata)
        // The rows are already upright.
        encoding.metadata.orientation = .up
        let destination = try ImageDestination(format: .jpng, options: encoding, registry: .builtIn)
        try makeParentFolders()
        let file = try AtomicFile(path: output, overwrites: true)
        do throws(ImageError) {
            try destination.encode(rows, to: file)
            // Some defects of a file show only after its last row.
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

    /// Adds the input's name to an error; `inputOutput` errors already name their file.
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
