internal import Essentials
internal import ImageEffects
internal import Tessera

/// A chain of effects in a file.
enum EffectRecipe {
    /// The chain in the file at `path`, `-` for standard input; pictures are found from the folder that it is in.
    /// - Throws: `CommandFailure` for what is wrong with the recipe, `ImageError` for a file that can't be read.
    static func read(_ path: String) throws -> EffectChain {
        let folder = path == "-" ? "" : FilePath(path).folder
        let find: EffectPicture.Finder = { name in
            try EffectRecipe.picture(name.hasPrefix("/") ? name : FilePath(name, in: folder).text)
        }
        let bytes = try InputLocation(path).open().bytes()
        do throws(CommandFailure) {
            return try JSONValueDecoder.decode(
                EffectChain.self, from: JSONParser.parse(bytes), userInfo: [.effectPictures: find])
        } catch {
            throw CommandFailure("\(InputLocation(path)): \(error)")
        }
    }

    /// `chain` as a recipe.
    static func text(_ chain: EffectChain) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(chain), as: UTF8.self)
    }

    /// The picture in the file at `path`, called that. One that isn't there is the same kind of error as an input that
    /// isn't.
    static func readPicture(_ path: String) throws(ImageError) -> EffectPicture {
        EffectPicture(try picture(path), reference: path)
    }

    /// The picture in the file at `path`, which is decoded when it is needed.
    static func picture(_ path: String) throws(ImageError) -> Image {
        let bytes = try InputLocation(path).open().bytes()
        do throws(ImageError) {
            return try ImageSource.image(bytes)
        } catch {
            throw ImageError(error.code, error.message(about: InputLocation(path)))
        }
    }
}

/// Effects, and how they are to be applied, for any number of pictures.
struct EffectWork: Sendable {
    let chain: EffectChain
    let options: EffectOptions

    /// What to decode of a picture of `size`, and what to do with it then.
    func plan(for size: PixelSize, isVector: Bool = false) throws(ImageError) -> EffectPlan {
        try chain.plan(for: size, in: EffectContext(options: options), isVector: isVector)
    }

    /// What becomes of `bitmap`.
    func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        // A file's pixels are at the scale that the effects count in.
        let scale = try EffectContext(options: options).pixelsPerUnit
        return try Image(bitmap, scale: scale).applying(chain, options: options).bitmap()
    }
}
