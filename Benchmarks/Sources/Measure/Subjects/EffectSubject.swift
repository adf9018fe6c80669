import Foundation
import ImageEffects
import ImageFormats
import Raster
import Tessera

/// Effects on premultiplied RGBA that is there already: a PNG, a recipe, the filter, and `memory` to measure the peak of
/// the memory, in fresh buffers, instead of the time.
final class EffectSubject: Subject {
    private let image: Image
    private let chain: EffectChain
    private let options: EffectOptions
    private let measuresMemory: Bool
    private var result: Image?
    private(set) var peakByteCount: Int?

    init(_ arguments: [String]) throws {
        guard arguments.count >= 3, let filter = ResamplingFilter(rawValue: arguments[2]) else {
            throw MeasureError("effect PICTURE RECIPE FILTER [memory]")
        }
        image = Image(try Self.bitmap(arguments.file(0)).converted(to: .rgba8, alpha: .premultiplied))
        options = EffectOptions(filter: filter)
        measuresMemory = arguments.count > 3
        let decoder = JSONDecoder()
        let find: EffectPicture.Finder = { path in Image(try Self.bitmap([path].file(0))) }
        decoder.userInfo[.effectPictures] = find
        chain = try decoder.decode(EffectChain.self, from: Data(arguments[1].utf8))
    }

    private static func bitmap(_ bytes: [UInt8]) throws -> Bitmap {
        try ImageRowSource(Source(bytes)) { _ in .full }.makeBitmap()
    }

    func prepare() {
        result = nil
        if measuresMemory { PixelBufferPool.shared.removeAll() }
    }

    func run() throws {
        guard measuresMemory else {
            result = try image.applying(chain, options: options)
            return
        }
        let before = try Self.status("VmRSS")
        // The kernel begins a new peak from here (proc(5)).
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        result = try image.applying(chain, options: options)
        peakByteCount = try Self.status("VmHWM") - before + image.bitmap().byteCount
    }

    /// A figure of this process's memory in bytes.
    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw MeasureError("/proc/self/status has no \(name)") }
        return kilobytes * 1024
    }

    func output() throws -> Output { try result!.bitmap().converted(alpha: .premultiplied).output() }
}
