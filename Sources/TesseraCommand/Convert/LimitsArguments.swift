internal import ArgumentParser
internal import Tessera

/// How much a picture may ask for, as an option of a command.
struct LimitsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much a picture may ask for, as in pixels=4G,side=200000.",
            discussion: """
                pixels and side (a picture's), frames, scans, input (bytes of the file), memory (bytes beside the \
                pixels), metadata (bytes of one block), ratio (bytes of pixels for each of the file). K, M, G and T \
                stand for 2^10, 2^20, 2^30 and 2^40. What isn't named stays at its default; none lifts all limits.
                """,
            valueName: "name=value,..."),
        transform: Self.parse)
    var limits = DecodingLimits.standard

    private static func parse(_ argument: String) throws -> DecodingLimits {
        var limits = DecodingLimits.standard
        if argument == "none" {
            for limit in names.values { limits[keyPath: limit] = .max }
            return limits
        }
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let limit = names[String(pair[0])] else {
                throw ValidationError(
                    "\"\(part)\" names no limit; write pixels=, side=, frames=, scans=, input=, memory=, metadata= or ratio="
                )
            }
            guard let value = BinaryCount.parse(pair[1]), value > 0 else {
                throw ValidationError("\"\(pair[1])\" is no limit; write a number above 0, as in 500M")
            }
            limits[keyPath: limit] = value
        }
        return limits
    }

    private static var names: [String: WritableKeyPath<DecodingLimits, Int>] {
        [
            "pixels": \.maximumPixelCount, "side": \.maximumSideLength, "frames": \.maximumFrameCount,
            "scans": \.maximumScanCount, "input": \.maximumInputByteCount, "memory": \.maximumWorkingByteCount,
            "metadata": \.maximumMetadataByteCount, "ratio": \.maximumCompressionRatio,
        ]
    }
}
