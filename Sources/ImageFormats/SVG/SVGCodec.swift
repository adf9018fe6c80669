#if SVG
public import Raster

/// Reads SVG (SVG 1.1 as librsvg has it), drawn at the size that is asked for.
///
/// The drawing is done by the program `tessera-svg` in a process of its own, which is held to limits of processor time,
/// memory and files, and ended when nobody wants the picture any more: nothing inside librsvg stops a document that
/// takes a minute and half a gigabyte. A document reads nothing but itself: no other file, no network. On Linux the system
/// sees to that, too: the process can reach no network, and read fonts alone.
///
/// The program is looked for beside the one that runs, in `../libexec/tessera` from there, and at the path that the
/// environment's TESSERA_SVG_WORKER says, if it does.
public struct SVGCodec: ImageCodec {
    private let processorSeconds: Int

    /// The codec.
    /// - Parameter processorSeconds: How long one document may keep a processor busy, at least 1.
    public init(processorSeconds: Int = 10) {
        self.processorSeconds = max(1, processorSeconds)
    }

    /// SVG.
    public var format: ImageFormat { .svg }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        SVGWorker.path == nil ? [] : [.decode, .scaledDecoding, .vector, .alpha]
    }

    /// Whether the bytes are XML whose first element is an svg, or are gzipped.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        var prologue = SVGPrologue(probe.prefix)
        switch prologue.isSVG {
        case true: return .match(.svg)
        case false: return .unknown
        // Not yet at its first element. A file that is whole won't get there.
        case nil:
            let next = 2 * probe.prefix.byteCount + 64
            return probe.isWhole || next > SVGPrologue.maximumByteCount ? .unknown : .needMoreData(minimum: next)
        }
    }

    /// A session that reads all bytes first.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        let processorSeconds = processorSeconds
        return WholeInputDecoder(.svg, limits: options.limits) { (bytes) throws(ImageError) in
            try SVGPicture(bytes, options: options, processorSeconds: processorSeconds)
        }
    }
}
#endif
