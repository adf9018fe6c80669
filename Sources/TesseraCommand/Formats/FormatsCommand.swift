internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera formats`: lists the formats that this build reads and writes.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "List the formats, and which can be read and written here.",
        discussion: """
            Frames belong to an animation; pages are separate images. r is read, w is write. The column "as it comes" \
            shows which formats can be displayed before the last byte.

            EXAMPLES
              tessera formats
              tessera formats --json
              tessera formats --check
            """)

    @Flag(help: "Print JSON: an array with an object for each format.")
    var json = false

    @Flag(help: "Fail if a format is missing.")
    var check = false

    func run() throws {
        let registry = CodecRegistry.default
        let formats = ImageFormat.all.map { ($0, registry.capabilities(of: $0)) }
        let missing = formats.filter { !$0.1.contains(.decode) }.map(\.0)
        if json {
            print(JSONValue.array(formats.map(Self.describe)).text())
        } else {
            var table = TextTable([
                "format", "read", "write", "frames", "pages", "as it comes", "alpha", "16 bit", "lossless",
                "extensions",
            ])
            for (format, can) in formats { table.append(Self.row(format, can)) }
            print(table)
        }
        for format in missing {
            StandardError.note("\(format) is missing: this build has no codec for it, or its library isn't installed")
        }
        if check, !missing.isEmpty { throw ExitCode.failure }
    }

    private static func row(_ format: ImageFormat, _ can: ImageCapabilities) -> [String] {
        func mark(_ capability: ImageCapabilities) -> String { can.contains(capability) ? "yes" : "-" }
        func both(_ read: ImageCapabilities, _ write: ImageCapabilities) -> String {
            let letters = (can.contains(read) ? "r" : "") + (can.contains(write) ? "w" : "")
            return letters.isEmpty ? "-" : letters
        }
        return [
            format.name, mark(.decode), mark(.encode), both(.decodeAnimation, .encodeAnimation),
            both(.decodePages, .encodePages), mark(.incremental), mark(.alpha), mark(.deepColor), mark(.lossless),
            format.filenameExtensions.joined(separator: " "),
        ]
    }

    private static func describe(_ format: ImageFormat, _ can: ImageCapabilities) -> JSONValue {
        .object(
            [
                ("name", .string(format.name)),
                ("typeIdentifier", .string(format.typeIdentifier)),
                ("mimeTypes", .array(format.mimeTypes.map { .string($0) })),
                ("filenameExtensions", .array(format.filenameExtensions.map { .string($0) })),
            ] + capabilities.map { ($0, .boolean(can.contains($1))) })
    }

    private static let capabilities: KeyValuePairs<String, ImageCapabilities> = [
        "decode": .decode, "encode": .encode, "decodeAnimation": .decodeAnimation,
        "encodeAnimation": .encodeAnimation, "decodePages": .decodePages, "encodePages": .encodePages,
        "incremental": .incremental, "scaledDecoding": .scaledDecoding, "vector": .vector, "alpha": .alpha,
        "deepColor": .deepColor, "lossless": .lossless, "lossy": .lossy,
    ]
}
