internal import ArgumentParser
internal import Tessera

/// A format named by one of its extensions.
struct FormatArgument: ExpressibleByArgument {
    let format: ImageFormat

    init?(argument: String) {
        let registry = CodecRegistry.default
        guard let format = registry.format(forFilenameExtension: argument), registry.canEncode(format) else {
            return nil
        }
        self.format = format
    }

    static var allValueStrings: [String] { CodecRegistry.default.encodableFormats.map(\.filenameExtension) }

    /// The extensions that can be written, for messages.
    static func names(_ registry: CodecRegistry) -> String {
        registry.encodableFormats.map(\.filenameExtension).joined(separator: ", ")
    }
}
