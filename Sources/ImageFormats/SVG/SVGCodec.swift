#if SVG
public import Raster

/// Decodes SVG (SVG 1.1 as implemented by librsvg), rendered at the requested size.
///
/// The program `tessera-svg` renders in a separate process with limits on processor time, memory and files, and is
/// ended when the image is no longer needed: librsvg itself can't stop a document that takes a minute and half a
/// gigabyte. A document can load nothing outside itself: no other file, no network. On Linux a sandbox enforces this:
/// the process has no network access and can read only fonts.
///
/// The program is looked up at `workerPath`, at the path in the environment variable `TESSERA_SVG_WORKER`, beside the
/// running program, and in `../libexec/tessera` relative to it. SwiftPM builds it beside an executable whose target
/// depends on the product `tessera-svg`:
///
/// ```swift
/// .executableTarget(
///     name: "Gallery",
///     dependencies: [
///         .product(name: "Tessera", package: "tessera"), .product(name: "tessera-svg", package: "tessera"),
///     ])
/// ```
///
/// If it is installed elsewhere, register a codec with its path:
///
/// ```swift
/// CodecRegistry.updateDefault { $0.register(SVGCodec(workerPath: "/opt/gallery/tessera-svg")) }
/// ```
public struct SVGCodec: ImageCodec, SelfIsolating {
    private let program: DrawingProgram

    /// Creates a codec.
    /// - Parameters:
    ///   - processorSeconds: The processor time that one document may use, at least 1.
    ///   - workerPath: The path of the program `tessera-svg`; nil to look it up.
    public init(processorSeconds: Int = 10, workerPath: String? = nil) {
        program = DrawingProgram(processorSeconds: processorSeconds, path: workerPath)
    }

    /// The SVG format.
    public var format: ImageFormat { .svg }
    /// Decodes at any size, with alpha; empty if `tessera-svg` isn't installed.
    public var capabilities: ImageCapabilities {
        program.path == nil ? [] : [.decode, .scaledDecoding, .vector, .alpha]
    }

    /// States that the program `tessera-svg` is missing and how to install it; nil if it is installed.
    public var missingRequirement: String? { program.missingRequirement(for: format) }

    /// Matches XML whose first element is `svg`, and any gzipped file.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        var prologue = SVGPrologue(probe.prefix)
        switch prologue.isSVG {
        case true: return .match(.svg)
        case false: return .unknown
        // The first element hasn't been reached yet; a whole file never reaches it.
        case nil:
            let next = 2 * probe.prefix.byteCount + 64
            return probe.isWhole || next > SVGPrologue.maximumByteCount ? .unknown : .needMoreData(minimum: next)
        }
    }

    /// Makes a session that renders once all bytes have arrived.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try program.makeDecoder(.svg, options: options)
    }

    /// The pixel buffer shared with the worker process; the worker has separate limits for everything else.
    public func decodingCost(of header: ImageHeader) -> CodingCost { program.decodingCost(of: header) }
}
#endif
