internal import ArgumentParser
internal import Tessera

extension TileAddress {
    /// Parses a tile address: `2/5,7` is level 2, column 5, row 7.
    static func parse(_ argument: String) throws -> TileAddress {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let place = parts.last?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, place.count == 2, let level = Int(parts[0]), let column = Int(place[0]),
            let row = Int(place[1])
        else { throw ValidationError("write a tile as level, column and row: 2/5,7") }
        return TileAddress(level: level, column: column, row: row)
    }
}

/// The name of an option that isn't declared as a property of a command.
struct ArgumentKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Parses an argument as a case of a library's enumeration.
enum Choice {
    /// Completes an argument by the raw values of its cases.
    static func completion<T: RawRepresentable<String> & CaseIterable>(of type: T.Type) -> CompletionKind {
        .list(T.allCases.map(\.rawValue))
    }

    /// Returns the case whose raw value is `argument`, ignoring its letter case.
    static func parse<T: RawRepresentable<String> & CaseIterable>(_ argument: String) throws -> T {
        guard let choice = T(rawValue: argument.lowercased()) else {
            throw ValidationError("write one of \(T.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}

/// The resampling filters by their names on the command line.
enum FilterArgument: String, ExpressibleByArgument, CaseIterable {
    case lanczos, mitchell, area

    var filter: ResamplingFilter { self == .lanczos ? .lanczos3 : self == .mitchell ? .mitchell : .area }

    static let help = ArgumentHelp(
        "The filter for reducing: lanczos (sharp), mitchell (softer, no ringing) or area (averages, softest).",
        valueName: "name")
}

/// A format named by a filename extension.
struct FormatArgument: ExpressibleByArgument {
    let format: ImageFormat

    init?(argument: String) {
        let registry = CodecRegistry.default
        guard let format = registry.format(forFilenameExtension: argument), registry.canEncode(format) else {
            return nil
        }
        self.format = format
    }

    /// Asked for each time that a command's arguments are parsed, so no library is loaded for it.
    static var allValueStrings: [String] { CodecRegistry.default.maybeEncodableFormats.map(\.filenameExtension) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// Lists the extensions of encodable formats, for messages.
    static func names(_ registry: CodecRegistry) -> String {
        registry.encodableFormats.map(\.filenameExtension).joined(separator: ", ")
    }
}

/// Formats named by filename extensions, separated by commas.
struct FormatListArgument: ExpressibleByArgument {
    let formats: [ImageFormat]

    init?(argument: String) {
        var formats: [ImageFormat] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let format = FormatArgument(argument: String(name))?.format else { return nil }
            if !formats.contains(format) { formats.append(format) }
        }
        self.formats = formats
    }

    static var allValueStrings: [String] { FormatArgument.allValueStrings }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The decoding limits as an option of a command.
struct LimitsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Decoding limits, as in pixels=4G,side=200000.",
            discussion: """
                pixels and side (of an image), frames, scans, input (bytes of the file), memory (bytes besides the \
                pixels), metadata (bytes of one block), ratio (bytes of pixels per byte of the file). K, M, G and T \
                are 2^10, 2^20, 2^30 and 2^40. Limits not named keep their defaults; none removes all limits.
                """,
            valueName: "name=value,..."),
        completion: .list(Self.names.keys.sorted().map { "\($0)=" } + ["none"]), transform: Self.parse)
    var limits = DecodingLimits.standard

    private static func parse(_ argument: String) throws -> DecodingLimits {
        var limits = DecodingLimits.standard
        if argument == "none" {
            for limit in names.values { limits[keyPath: limit] = .max }
            return limits
        }
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let limit = names[String(pair[0])] else {
                throw ValidationError(
                    "\"\(part)\" names no limit; write pixels=, side=, frames=, scans=, input=, memory=, metadata= or ratio="
                )
            }
            guard let value = BinaryCount.parse(pair[1]), value > 0 else {
                throw ValidationError("\"\(pair[1])\" is no limit; write a number above 0, as in 500M")
            }
            limits[keyPath: limit] = value
        }
        return limits
    }

    /// Returns `message` with an option in place of the library's name for the limit that was exceeded.
    static func namingOptions(in message: String) -> String {
        properties.reduce(message) { message, property in
            message.replacing("(\(property.name))", with: "(--limits \(property.option)=NUMBER raises it)")
        }
    }

    private static let properties = [
        (name: "DecodingLimits.maximumPixelCount", option: "pixels"),
        (name: "DecodingLimits.maximumSideLength", option: "side"),
        (name: "DecodingLimits.maximumFrameCount", option: "frames"),
        (name: "DecodingLimits.maximumScanCount", option: "scans"),
        (name: "DecodingLimits.maximumInputByteCount", option: "input"),
        (name: "DecodingLimits.maximumWorkingByteCount", option: "memory"),
        (name: "DecodingLimits.maximumMetadataByteCount", option: "metadata"),
        (name: "DecodingLimits.maximumCompressionRatio", option: "ratio"),
        (name: "DataFetching.maximumByteCount", option: "input"),
        (name: "EffectOptions.maximumPixelCount", option: "pixels"),
    ]

    private static var names: [String: WritableKeyPath<DecodingLimits, Int>] {
        [
            "pixels": \.maximumPixelCount, "side": \.maximumSideLength, "frames": \.maximumFrameCount,
            "scans": \.maximumScanCount, "input": \.maximumInputByteCount, "memory": \.maximumWorkingByteCount,
            "metadata": \.maximumMetadataByteCount, "ratio": \.maximumCompressionRatio,
        ]
    }
}
