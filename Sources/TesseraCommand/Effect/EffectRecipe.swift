internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Tessera

/// Reads and writes chains of effects as JSON.
enum EffectRecipe {
    /// Reads the chain from the file at `path`, or standard input for `-`. Image paths are relative to the recipe's
    /// folder.
    /// - Throws: `CommandFailure` for an invalid recipe, `ImageError` for a file that can't be read.
    static func read(_ path: String) throws -> EffectChain {
        let folder = path == "-" ? "" : FilePath(path).folder
        let find: EffectPicture.Finder = { name in
            isDrawing(name) || name.hasPrefix("/")
                ? try picture(name) : try picture(FilePath(name, in: folder).text)
        }
        let bytes = try InputLocation(path).open().bytes()
        do throws(JSONError) {
            return try JSONValueDecoder.decode(
                EffectChain.self, from: JSONParser.parse(bytes), userInfo: [.effectPictures: find])
        } catch {
            throw CommandFailure("\(InputLocation(path)): \(error)")
        }
    }

    /// Returns `chain` as a recipe.
    static func text(_ chain: EffectChain) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(chain), as: UTF8.self)
    }

    /// Reads the image at `path`, with the path as its reference. A missing file gives the same error as a missing
    /// input.
    static func readPicture(_ path: String) throws(ImageError) -> EffectPicture {
        EffectPicture(try picture(path), reference: path)
    }

    /// Whether a name is an SVG document, as that of text is.
    static func isDrawing(_ name: String) -> Bool { name.hasPrefix("<svg ") }

    /// Reads the image at `path`, or the drawing that `path` is; it is decoded when its pixels are needed.
    static func picture(_ path: String) throws(ImageError) -> Image {
        guard !isDrawing(path) else {
            do throws(ImageError) {
                return try ImageSource.image(Array(path.utf8))
            } catch {
                throw ImageError(error.code, "the text can't be drawn: \(error.message)")
            }
        }
        let bytes = try InputLocation(path).open().bytes()
        do throws(ImageError) {
            return try ImageSource.image(bytes)
        } catch {
            throw ImageError(error.code, error.message(about: InputLocation(path)))
        }
    }
}

/// Effects and the options for applying them to any number of images.
struct EffectWork: Sendable {
    let chain: EffectChain
    let options: EffectOptions

    /// Plans which part of an image of `size` to decode, and the effects that follow.
    func plan(for size: PixelSize, isVector: Bool = false) throws(ImageError) -> EffectPlan {
        try chain.plan(for: size, in: EffectContext(options: options), isVector: isVector)
    }

    /// Returns the gain map of the result for an image of `size` with `map`; nil if the effects drop it.
    func gainMap(_ map: GainMap, of size: PixelSize, keepsGains: Bool) throws(ImageError) -> GainMap? {
        try chain.gainMap(map, for: size, in: EffectContext(options: options), keepsGains: keepsGains)
    }

    /// Applies the effects to `bitmap`.
    func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        // Effects use the scale of a file's pixels.
        let scale = try EffectContext(options: options).pixelsPerUnit
        return try Image(bitmap, scale: scale).applying(chain, options: options).bitmap()
    }
}
