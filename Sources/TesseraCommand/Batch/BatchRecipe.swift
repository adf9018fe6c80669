internal import ArgumentParser
internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
internal import ImageServer
internal import Raster
internal import Synchronization
internal import Tessera

/// The options of `tessera convert`, or effects and options of `tessera effect`, for the images of a batch.
struct BatchRecipe: Sendable {
    /// The options by name, with effects as `effects`.
    private var options: [String: JSONValue] = [:]
    /// The folder that paths of masks and overlays are relative to.
    private var folder = ""

    /// A recipe without any options.
    init() {}

    /// Parses a recipe: a file of JSON, JSON, or effects in the form of the server's queries, as in `fit=400x300&q=0.8`.
    /// - Throws: `CommandFailure` for an invalid recipe, `ImageError` for a file that can't be read.
    init(_ text: String) throws {
        if text.hasPrefix("{") || text.hasPrefix("[") {
            try read(Array(text.utf8), "the recipe")
        } else if FileSystem.isRegularFile(text) || text == "-" || FilePath(text).filenameExtension == "json" {
            try read(InputLocation(text).open().bytes(), "\(InputLocation(text))")
            if text != "-" { folder = FilePath(text).folder }
        } else {
            try read(query: text)
        }
    }

    private mutating func read(_ bytes: [UInt8], _ place: String) throws {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONParser.parse(bytes)
        } catch {
            throw CommandFailure("\(place): \(error)")
        }
        switch json {
        case .array: options["effects"] = json
        case .object(let members): options = Dictionary(members) { first, _ in first }
        default: throw CommandFailure("\(place): write an array of effects or an object of options")
        }
    }

    /// Reads a query of the server's `/image/ID`, which presets are too.
    private mutating func read(query text: String) throws {
        do throws(RequestFailure) {
            let query = try EffectQuery(URLQuery(text))
            let effects = try RequestFailure.reading { try Self.effects(of: query) }
            if let effects { options["effects"] = effects }
            if query.dpr != 1 { options["scale-factor"] = .number(query.dpr) }
            if let quality = query.quality { options["quality"] = .number(quality) }
            switch query.format {
            case .original: break
            case .automatic: throw RequestFailure(400, "format=auto depends on a browser; use --to FORMAT")
            case .format(let format): options["to"] = .string(format.filenameExtension)
            }
        } catch {
            throw CommandFailure(
                "the recipe \"\(text)\": \(error.message); a recipe is a file, JSON, or a query as in fit=400x300&q=0.8"
            )
        }
    }

    private static func effects(of query: EffectQuery) throws -> JSONValue? {
        var pictures: [String: EffectPicture] = [:]
        for name in query.pictures { pictures[name] = try EffectRecipe.readPicture(name) }
        let chain = try query.chain(pictures: pictures)
        return chain.effects.isEmpty ? nil : try JSONParser.parse(Array(EffectRecipe.text(chain).utf8))
    }

    /// Sets an option.
    mutating func set(_ name: String, _ value: JSONValue) { options[name] = value }

    /// Returns the recipe with the options of one input.
    func with(_ own: [(String, JSONValue)]) -> BatchRecipe {
        var recipe = self
        for (name, value) in own { recipe.options[name] = value }
        return recipe
    }

    /// The options as JSON, the same for equal ones.
    var text: String { JSONValue.object(options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).compactText }

    /// The format to write.
    /// - Parameter writtenExtension: The extension in the outputs' template; nil for `{ext}`.
    func format(_ writtenExtension: String?) throws(ImageError) -> ImageFormat {
        let name: String
        switch options["to"] {
        case .string(let text)?: name = text
        case nil:
            guard let writtenExtension else {
                throw ImageError(
                    .invalidParameter, "no format is given; use --to FORMAT, or write the extension into --out")
            }
            name = writtenExtension
        default: throw ImageError(.invalidParameter, "to is a format's extension, as in \"webp\"")
        }
        guard let format = FormatArgument(argument: name)?.format else {
            throw ImageError(
                .invalidParameter,
                "there is no format \"\(name)\" to write; there is \(FormatArgument.names(.default))")
        }
        return format
    }
}

extension RequestFailure {
    /// Runs `body`, whose errors become failures with the same message.
    fileprivate static func reading<Value>(_ body: () throws -> Value) throws(RequestFailure) -> Value {
        do {
            return try body()
        } catch {
            throw RequestFailure(400, "\(error)")
        }
    }
}

/// A recipe, ready to be applied.
struct PreparedRecipe: Sendable {
    let settings: ConversionSettings
    let format: ImageFormat
    /// A digest of everything in the recipe that determines an output's bytes.
    let digest: String
}

extension BatchRecipe {
    /// The options that a recipe may have, besides effects and those of single formats.
    private static let names: Set<String> = [
        "to", "size", "filter", "color", "keep", "gain-map", "depth", "frame", "loop", "partial", "limits", "quality",
        "target",
        "visually-lossless", "max-bytes", "thumbnail", "background", "scale-factor", "linear-light", "16-bit",
    ]

    /// Checks the recipe as `tessera convert` and `tessera effect` check their options, and reads its masks and overlays.
    /// - Throws: `ImageError` with the names of options that are invalid.
    func prepared(_ writtenExtension: String?, registry: CodecRegistry) throws(ImageError) -> PreparedRecipe {
        let format = try format(writtenExtension)
        let arguments = try arguments(format)
        let digests = Mutex<[String]>([])
        var settings: ConversionSettings
        do {
            if let effects = options["effects"] {
                let folder = folder
                let find: EffectPicture.Finder = { name in
                    guard !EffectRecipe.isDrawing(name) else { return try EffectRecipe.picture(name) }
                    let path = name.hasPrefix("/") ? name : FilePath(name, in: folder).text
                    let bytes = try InputLocation(path).open().bytes()
                    let digest = StableHash(bytes).hexadecimal
                    digests.withLock { $0.append(digest) }
                    return try ImageSource.image(bytes)
                }
                let chain = try JSONValueDecoder.decode(
                    EffectChain.self, from: effects, userInfo: [.effectPictures: find])
                // The chain is parsed already; the command wants to know where it is from.
                let command = try EffectCommand.parse(arguments + ["--recipe", "-"])
                try command.encoding.formats.check(outputs: [format])
                settings = command.settings(chain)
            } else {
                let command = try ConvertCommand.parse(arguments)
                try command.encoding.formats.check(outputs: [format])
                settings = try command.settings()
            }
        } catch let error as ImageError {
            throw error
        } catch let error as JSONError {
            throw ImageError(.invalidParameter, "effects: \(error)")
        } catch {
            let text = (error as? ValidationError)?.message ?? ConvertCommand.message(for: error)
            throw ImageError(.invalidParameter, text)
        }
        settings.overwrites = true
        settings.registry = registry
        let parts = [text, format.typeIdentifier] + digests.withLock { $0 }
        return PreparedRecipe(
            settings: settings, format: format,
            digest: StableHash(parts.joined(separator: "\n").utf8).hexadecimal)
    }

    /// The options as arguments of the commands.
    private func arguments(_ format: ImageFormat) throws(ImageError) -> [String] {
        var arguments = ["input", "--to", format.filenameExtension]
        for (name, value) in options.sorted(by: { $0.key < $1.key }) where name != "effects" && name != "to" {
            guard Self.names.contains(name) || FormatOption.named(name, for: format) != nil else {
                let names = Self.names.sorted().joined(separator: ", ")
                throw ImageError(
                    .invalidParameter,
                    "there is no option \"\(name)\" for images; there is effects, \(names), and those of formats")
            }
            switch value {
            case .boolean(true): arguments.append("--\(name)")
            case .boolean(false), .null: break
            case .string(let text): arguments.append("--\(name)=\(text)")
            case .integer(let number): arguments.append("--\(name)=\(number)")
            case .number(let number): arguments.append("--\(name)=\(number)")
            case .array, .object:
                throw ImageError(.invalidParameter, "\(name) is a text, a number, true or false")
            }
        }
        return arguments
    }
}

/// The recipes of a batch's inputs, each prepared once.
final class BatchRecipes: Sendable {
    private let common: BatchRecipe
    private let writtenExtension: String?
    private let registry: CodecRegistry
    private let base: PreparedRecipe?
    private let prepared = Mutex<[String: Result<PreparedRecipe, ImageError>]>([:])
    /// The most prepared recipes that are kept.
    private static let limit = 256

    /// - Throws: `ImageError` for an invalid recipe. A format that the recipe lacks may be in each input's options.
    init(_ recipe: BatchRecipe, template: PathTemplate, registry: CodecRegistry) throws(ImageError) {
        common = recipe
        writtenExtension = template.writtenExtension
        self.registry = registry
        let hasFormat = recipe.hasFormat || writtenExtension != nil
        base = hasFormat ? try recipe.prepared(writtenExtension, registry: registry) : nil
    }

    /// The format of an input with these options.
    func format(_ own: [(String, JSONValue)]?) throws(ImageError) -> ImageFormat {
        if own == nil, let base { return base.format }
        return try (own.map(common.with) ?? common).format(writtenExtension)
    }

    /// The recipe of an input with these options.
    func recipe(_ own: [(String, JSONValue)]?) throws(ImageError) -> PreparedRecipe {
        if own == nil, let base { return base }
        let recipe = own.map(common.with) ?? common
        let key = recipe.text
        if let result = (prepared.withLock { $0[key] }) { return try result.get() }
        let result: Result<PreparedRecipe, ImageError>
        do throws(ImageError) {
            result = .success(try recipe.prepared(writtenExtension, registry: registry))
        } catch {
            result = .failure(error)
        }
        prepared.withLock { prepared in
            if prepared.count >= Self.limit { prepared.removeAll() }
            prepared[key] = result
        }
        return try result.get()
    }
}

extension BatchRecipe {
    /// Whether the recipe names a format.
    fileprivate var hasFormat: Bool { options["to"] != nil }
}
