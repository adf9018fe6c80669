public import CTessera
internal import ImageFormats
internal import ImagePyramid
internal import Raster

// The function that builds pyramids. Its documentation is in tessera.h.

/// Builds a pyramid of the image in the file at `input`, which appears when it is complete.
@c @implementation
public func tessera_pyramid_build(
    _ input: UnsafePointer<CChar>?, _ output: UnsafePointer<CChar>?,
    _ options: UnsafePointer<tessera_pyramid_options>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let settings = try PyramidSettings(options)
        let input = try CallerText.readRequired(input, name: "input")
        let place = try PyramidPlace(CallerText.readRequired(output, name: "output"), as: settings.layout)
        try ProgressCallback.following(settings.progress, settings.context) { (progress) throws(ImageError) in
            try settings.build(input, at: place, progress)
        }
    }
}

/// The options for building a pyramid.
struct PyramidSettings {
    /// The layout; nil for that of the path's extension.
    let layout: PyramidLayout?
    let progress: tessera_progress?
    let context: UnsafeMutableRawPointer?
    private let tileSize: Int
    private let overlap: Int
    private let format: ImageFormat?
    private let quality: Double
    private let overwrites: Bool
    private let limits: DecodingLimits
    private let registry: CodecRegistry

    init(_ pointer: UnsafePointer<tessera_pyramid_options>?) throws {
        let options = try CallerStructure.read(pointer, name: "options")
        layout = try CallerText.read(options.layout, name: "layout").map { name in
            guard let layout = PyramidLayout(rawValue: name) else {
                let names = PyramidLayout.allCases.map(\.rawValue).joined(separator: ", ")
                throw LibraryFailure.invalid("there is no layout \"\(name)\"; there is \(names)")
            }
            return layout
        }
        tileSize = try CallerText.count(options.tile_size, name: "tile_size", standard: 256)
        overlap = try CallerText.count(options.overlap, name: "overlap", standard: 0)
        format = try CallerText.read(options.format, name: "format").map(EncodeSettings.format(named:))
        quality = try CallerText.quality(options.quality, standard: 0.75)
        overwrites = options.keeps_existing == 0
        limits = try OpenSettings.limits(options.limits, standard: .largePictures)
        registry = try OpenSettings.registry(options.isolation)
        (progress, context) = (options.progress, options.context)
    }

    /// Builds the pyramid of the image in the file at `input`.
    func build(_ input: String, at place: PyramidPlace, _ progress: ProgressCallback?) throws(ImageError) {
        let source = try PyramidSource(path: input, options: DecodingOptions(limits: limits), registry: registry)
        let geometry = try PyramidGeometry(
            size: source.size, tileSize: tileSize, overlap: overlap, depth: place.layout.depth)
        let format = format ?? PyramidLayout.tileFormat(hasAlpha: source.header?.hasAlpha ?? false)
        let encoding = TileEncoding(format: format, quality: quality, padding: place.layout.padding)
        let sink = try place.sink(geometry, encoding, overwriting: overwrites)
        try PyramidBuilder().build(source, into: sink) { done in
            // Cancelling ends the build when it next checks.
            try? progress?.report(Double(done.tileCount) / Double(max(1, done.totalTileCount)))
        }
    }
}
