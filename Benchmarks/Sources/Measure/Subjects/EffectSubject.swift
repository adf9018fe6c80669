import Foundation
import Tessera

/// Effects on premultiplied RGBA that is there already: a PNG, a recipe, the filter, and perhaps a mask's PNG.
final class EffectSubject: Subject {
    private let image: Image
    private let chain: EffectChain
    private let options: EffectOptions
    private var result: Image?

    init(_ arguments: [String]) throws {
        guard arguments.count >= 3, let filter = ResamplingFilter(rawValue: arguments[2]) else {
            throw MeasureError("effect PICTURE RECIPE FILTER")
        }
        image = Image(try Self.bitmap(arguments.file(0)))
        options = EffectOptions(filter: filter)
        let decoder = JSONDecoder()
        let find: EffectPicture.Finder = { path in Image(try Self.bitmap([path].file(0))) }
        decoder.userInfo[.effectPictures] = find
        chain = try decoder.decode(EffectChain.self, from: Data(arguments[1].utf8))
    }

    private static func bitmap(_ bytes: [UInt8]) throws -> Bitmap {
        let source = try ImageRowSource(ByteArraySource(bytes)) { _ in .full }
        return try source.makeBitmap().converted(to: .rgba8, alpha: .premultiplied)
    }

    func prepare() { result = nil }

    func run() throws { result = try image.applying(chain, options: options) }

    func output() throws -> Output { try result!.bitmap().converted(alpha: .premultiplied).output() }
}
