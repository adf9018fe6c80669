#if SVG
public import Raster

/// Reads SVG (SVG 1.1 as librsvg has it), drawn at the size that is asked for.
///
/// The drawing is done by the program `tessera-svg` in a process of its own, which is held to limits of processor time,
/// memory and files, and ended when nobody wants the picture any more: nothing inside librsvg stops a document that
/// takes a minute and half a gigabyte. A document reads nothing but itself: no other file, no network. On Linux the system
/// sees to that, too: the process can reach no network, and read fonts alone.
///
/// The program is looked for at `workerPath`, at the path in the environment's `TESSERA_SVG_WORKER`, beside the program
/// that runs, and in `../libexec/tessera` from there. SwiftPM builds it beside a program whose target depends on the
/// product `tessera-svg`:
///
/// ```swift
/// .executableTarget(
///     name: "Gallery",
///     dependencies: [
///         .product(name: "Tessera", package: "tessera"), .product(name: "tessera-svg", package: "tessera"),
///     ])
/// ```
///
/// Where it is kept elsewhere, register a codec that knows the path:
///
/// ```swift
/// CodecRegistry.updateDefault { $0.register(SVGCodec(workerPath: "/opt/gallery/tessera-svg")) }
/// ```
public struct SVGCodec: ImageCodec {
    /// Looked for once.
    private static let installedPath = InstalledProgram.path("tessera-svg", variable: "TESSERA_SVG_WORKER")

    private let processorSeconds: Int
    /// Where `tessera-svg` is; nil where it was looked for and not found.
    private let workerPath: String?

    /// The codec.
    /// - Parameters:
    ///   - processorSeconds: How long one document may keep a processor busy, at least 1.
    ///   - workerPath: Where the program `tessera-svg` is; nil to look for it.
    public init(processorSeconds: Int = 10, workerPath: String? = nil) {
        // Below what overflows when it is waited for.
        self.processorSeconds = min(max(1, processorSeconds), 1 << 28)
        self.workerPath = workerPath ?? Self.installedPath
    }

    /// SVG.
    public var format: ImageFormat { .svg }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        workerPath == nil ? [] : [.decode, .scaledDecoding, .vector, .alpha]
    }

    /// Says so where there is no worker, and how to install one.
    public var missingRequirement: String? {
        guard workerPath == nil else { return nil }
        return "SVG can't be drawn: the program tessera-svg isn't beside this one; build the package's product "
            + "tessera-svg, or set TESSERA_SVG_WORKER to its path"
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
        guard let workerPath else { throw ImageError(.unsupported, missingRequirement!) }
        let processorSeconds = processorSeconds
        return WholeInputDecoder(.svg, limits: options.limits) { (bytes) throws(ImageError) in
            try SVGPicture(bytes, options: options, workerPath: workerPath, processorSeconds: processorSeconds)
        }
    }
}
#endif
