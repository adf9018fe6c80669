public import CTessera
internal import ImageEffects
internal import ImageFormats
internal import Raster

// The function that applies effects. Its documentation is in tessera.h.

/// Applies a recipe: a JSON array with an object for each effect, as `tessera effect --print-recipe` prints it.
@c @implementation
public func tessera_apply(
    _ image: OpaquePointer?, _ recipe: UnsafePointer<CChar>?, _ options: UnsafePointer<tessera_effect_options>?,
    _ result: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: result, name: "result") {
            let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
            let settings = try EffectSettings(options)
            let chain = try settings.chain(CallerText.readRequired(recipe, name: "recipe"))
            return ImageHandle(try handle.image.applying(chain, options: settings.options))
        }
    }
}

/// The options for effects, and the images that recipes may name.
struct EffectSettings {
    let options: EffectOptions
    /// The folder of recipes' images; nil if recipes may not have images.
    private let folder: String?

    init(_ pointer: UnsafePointer<tessera_effect_options>?) throws(LibraryFailure) {
        let given = try CallerStructure.read(pointer, name: "options")
        guard given.scale >= 0, given.scale.isFinite else {
            throw .invalid("a scale of \(given.scale) is not a number above 0")
        }
        options = EffectOptions(
            units: .pointsOf(scale: given.scale == 0 ? 1 : given.scale), linearLight: given.linear_light != 0,
            bitsPerChannel: given.bits_per_channel == 0 ? 8 : Int(given.bits_per_channel))
        folder = try CallerText.read(given.folder, name: "folder")
    }

    /// Reads a recipe.
    /// - Throws: A failure for text that isn't a recipe.
    func chain(_ recipe: String) throws(LibraryFailure) -> EffectChain {
        let find: EffectPicture.Finder = { [folder] name in
            guard let folder else {
                throw LibraryFailure.invalid("recipe: it has an image, and options.folder is NULL")
            }
            guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
                throw LibraryFailure.invalid("recipe: the image \"\(name)\" isn't a path within options.folder")
            }
            return try Image(path: "\(folder)/\(name)")
        }
        do throws(JSONError) {
            return try JSONValueDecoder.decode(
                EffectChain.self, from: JSONParser.parse(Array(recipe.utf8)), userInfo: [.effectPictures: find])
        } catch {
            throw .invalid("recipe: \(error)")
        }
    }
}
