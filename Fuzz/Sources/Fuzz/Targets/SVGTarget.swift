import ImageFormats
import Raster

extension FuzzTarget {
    /// A document, drawn by `tessera-svg`, a process for each: whatever becomes of that one, this one has an answer, and
    /// a picture has the size that was asked for.
    static let svg = FuzzTarget(
        name: "svg", seedExtensions: ["svg"],
        seeds: {
            [
                ##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="20" height="9" rx="3" fill="#f80"/></svg>"##,
                ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 7"><defs><g id="a"><path d="M0 0L9 7Z"/></g></defs><use href="#a"/></svg>"##,
                #"<svg xmlns="http://www.w3.org/2000/svg"><filter id="f"><feGaussianBlur stdDeviation="2"/></filter><text filter="url(#f)">a</text></svg>"#,
                #"<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><style>rect{fill:red}</style><text>&a;</text></svg>"#,
            ].map { Array($0.utf8) }
        }
    ) { input in
        let options = DecodingOptions(
            limits: DecodingLimits(
                maximumPixelCount: 1 << 16, maximumSideLength: 1 << 12, maximumInputByteCount: 1 << 20,
                maximumWorkingByteCount: 1 << 28, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
                maximumFrameCount: 100, maximumCompressionRatio: 10_000))
        let registry = CodecRegistry([SVGCodec(processorSeconds: 1)])
        let plan = DecodingPlan(targetSize: PixelSize(width: 20, height: 20))
        guard let picture = try? ImageSource.decode(input, plan: plan, options: options, registry: registry) else {
            return
        }
        precondition(picture.bitmap.size.pixelCount <= 1 << 16)
    }
}
