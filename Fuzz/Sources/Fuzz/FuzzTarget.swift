/// One entry into the library that takes bytes from strangers.
///
/// A target fails by trapping, by running out of the time or memory that `Fuzz/run` allows, or by a precondition
/// where the library broke a promise.
struct FuzzTarget: Sendable {
    /// What `Fuzz/run` calls it.
    let name: String

    /// The endings of the names of the files in the corpus that are worth starting from.
    let seedExtensions: [String]

    /// Inputs to start from where there is no corpus.
    let seeds: @Sendable () -> [[UInt8]]

    /// Feeds one input to the library.
    let run: @Sendable ([UInt8]) -> Void
}

extension FuzzTarget {
    /// Every target there is. A new one is a file in `Targets/` and a line here.
    static let all: [FuzzTarget] = [
        jpngContainer, jpegMarkers, jpegTiles, jpeg, jpegEngine, png, pngStream, jpng, gif, gifAnimation, webP,
        webPAnimation, tiff, jpegXL, jpegXLAnimation, jpeg2000, jpeg2000Codestream, avif, heif, bmp, ico, xbm,
        qoi, pnm, tga, psd, hdr, exr, svg, pdf, exif, xmp, icc, gainMapISO, gainMapXMP, gainMapFile, gainMapItems,
        gainMapBox, gainMapApple, identify, jpegTransform, optimize, metadataEdit, workerReply, workerRequest,
        packedPyramid, pyramidArchive, pyramidTIFF, keptIndex, cacheEntry, effectRecipe, library, dataURL,
        httpFields, storeAnswer, serverAddress, server,
    ]

    /// The target that the environment variable FUZZ_TARGET names.
    static let chosen = Environment.value(of: "FUZZ_TARGET").flatMap { name in
        all.first { $0.name == name }
    }
}
