internal import CTessera
internal import ImageFormats
internal import ImageIsolation
internal import ImagePyramid
internal import Raster

/// The options for decoding, and the codecs.
struct OpenSettings: Sendable {
    var decoding: DecodingOptions
    var registry: CodecRegistry

    init(_ pointer: UnsafePointer<tessera_open_options>?) throws(LibraryFailure) {
        let options = try CallerStructure.read(pointer, name: "options")
        guard options.color == TESSERA_COLOR_SRGB || options.color == TESSERA_COLOR_AS_STORED else {
            throw .invalid("color of \(options.color) is neither TESSERA_COLOR_SRGB nor TESSERA_COLOR_AS_STORED")
        }
        guard [0, 8, 16].contains(options.bits_per_channel) else {
            throw .invalid("bits_per_channel of \(options.bits_per_channel) is neither 8 nor 16")
        }
        let number = try CallerText.count(options.image_number, name: "image_number", standard: 0)
        decoding = DecodingOptions(
            color: options.color == TESSERA_COLOR_SRGB ? .sRGB : .asStored,
            maximumBitsPerChannel: options.bits_per_channel == 16 ? 16 : 8,
            appliesOrientation: options.ignores_orientation == 0, imageIndex: number == 0 ? nil : number - 1,
            limits: try Self.limits(options.limits, standard: .standard))
        registry = try Self.registry(options.isolation)
    }

    /// Returns the limits at `pointer`, with those of `standard` in place of zeros.
    static func limits(
        _ pointer: UnsafePointer<tessera_limits>?, standard: DecodingLimits
    ) throws(LibraryFailure) -> DecodingLimits {
        let given = try CallerStructure.read(pointer, name: "limits")
        func limit(_ value: Int64, _ name: String, _ standard: Int) throws(LibraryFailure) -> Int {
            try CallerText.count(value, name: "limits.\(name)", standard: standard)
        }
        return DecodingLimits(
            maximumPixelCount: try limit(given.pixel_count, "pixel_count", standard.maximumPixelCount),
            maximumSideLength: try limit(given.side_length, "side_length", standard.maximumSideLength),
            maximumInputByteCount: try limit(
                given.input_byte_count, "input_byte_count", standard.maximumInputByteCount),
            maximumWorkingByteCount: try limit(
                given.working_byte_count, "working_byte_count", standard.maximumWorkingByteCount),
            maximumMetadataByteCount: try limit(
                given.metadata_byte_count, "metadata_byte_count", standard.maximumMetadataByteCount),
            maximumScanCount: try limit(given.scan_count, "scan_count", standard.maximumScanCount),
            maximumFrameCount: try limit(given.frame_count, "frame_count", standard.maximumFrameCount),
            maximumCompressionRatio: try limit(
                given.compression_ratio, "compression_ratio", standard.maximumCompressionRatio))
    }

    /// Returns the codecs that decode in the processes of an isolation, or in this process for NULL.
    static func registry(_ isolation: OpaquePointer?) throws(LibraryFailure) -> CodecRegistry {
        guard isolation != nil else { return .default }
        let handle: IsolatedDecoding = try HandleTable.shared.object(isolation, name: "isolation")
        return handle.registry
    }
}
