#if HEIF
internal import CTesseraHEIF
internal import Raster

/// An image in AVC (ISO/IEC 23008-12, annex E), decoded by libopenh264: 8 bits in 4:2:0 or grey, progressive.
///
/// Everything by which the library allocates memory is checked before it gets the image.
final class HEIFAVCPicture: WholePicture {
    let header: ImageHeader
    private let parameters: AVCSequenceParameters
    private let colors: VideoColors
    /// nil for grey.
    private let converter: YCbCrConverter?
    /// Parameter sets and slices after start codes.
    private let stream: [UInt8]
    private let limits: DecodingLimits
    private var decoder: ShimHandle?
    private var region: PixelRect
    private var nextRow = 0

    /// libopenh264's limits: macroblocks in a picture and, squared, on a side; and the bytes of one picture.
    private static let maximumMacroblockCount = 36_864
    private static let maximumByteCount = 7_077_888

    /// The image of `item`.
    /// - Throws: `corrupt`, `truncated`, `limitExceeded`, or `unsupported` for what the library doesn't decode.
    init(_ item: HEIFStoredItem, options: DecodingOptions) throws(ImageError) {
        let format = item.format
        guard let property = item.property("avcC"),
            let configuration = AVCConfiguration(property.contents, in: item.file),
            configuration.sequenceParameterSets.count == 1, !configuration.pictureParameterSets.isEmpty,
            let parameters = AVCSequenceParameters(configuration.sequenceParameterSets[0])
        else {
            throw ImageError(
                .corrupt,
                "the AVC image in the \(format) file has no configuration (avcC) with one valid sequence parameter set and"
                    + " a picture parameter set")
        }
        try options.limits.check(parameters.codedSize, format: format)
        let colors = Self.colors(item.colors, parameters.colors)
        let isGray = parameters.chromaFormat == 0
        let converter = YCbCrConverter(colors)
        if let reason = Self.obstacle(parameters) { throw Self.unsupported(format, reason) }
        guard isGray || converter != nil else {
            throw Self.unsupported(format, "its matrix is \(colors.matrix)")
        }
        let stream = try configuration.stream(of: item.data(), rows: parameters.macroblocks.height, format: format)
        guard stream.count <= Self.maximumByteCount else {
            throw Self.unsupported(
                format, "it has \(stream.count) bytes; libopenh264's limit is \(Self.maximumByteCount)")
        }
        let profile =
            item.profile(isGray: isGray)
            ?? .coded(primaries: colors.primaries, transfer: colors.transfer, isGray: isGray)
        (self.parameters, self.colors, self.stream, limits) = (parameters, colors, stream, options.limits)
        self.converter = isGray ? nil : converter
        header = ImageHeader(
            format: format, storedSize: parameters.size, colorModel: isGray ? .gray : .rgb, bitsPerChannel: 8,
            profile: profile, metadata: item.metadata(options.limits))
        region = PixelRect(parameters.size)
    }

    /// The codes of the file's property, completed by those in the stream. Without either, black is 16, as the standard
    /// has it.
    private static func colors(_ declared: VideoColors?, _ coded: VideoColors?) -> VideoColors {
        guard var colors = declared else { return coded ?? VideoColors() }
        if colors.matrix == 2, let coded { colors.matrix = coded.matrix }
        return colors
    }

    /// Why libopenh264 can't decode such an image; nil if it can.
    private static func obstacle(_ parameters: AVCSequenceParameters) -> String? {
        let (blocks, crop) = (parameters.macroblocks, parameters.crop)
        if parameters.bits != 8 { return "it has \(parameters.bits) bits per sample" }
        if parameters.chromaFormat > 1 { return "it is coded in 4:\(parameters.chromaFormat == 2 ? "2:2" : "4:4")" }
        if !parameters.isProgressive { return "it is interlaced" }
        if ![66, 77, 100].contains(parameters.profile) {
            return "its profile is \(parameters.profile), not Baseline, Main or High"
        }
        let largest = max(blocks.width, blocks.height)
        if blocks.pixelCount > maximumMacroblockCount || largest * largest > 8 * maximumMacroblockCount {
            return "it has \(blocks) macroblocks of 16x16 pixels; libopenh264's limit is \(maximumMacroblockCount)"
        }
        let reported = parameters.cropped(2, 2)
        if parameters.chromaFormat == 0, crop.left + crop.top > 0 || reported.isEmpty {
            return "it is grey and cropped at its left or top, or too small"
        }
        return nil
    }

    private static func unsupported(_ format: ImageFormat, _ reason: String) -> ImageError {
        ImageError(.unsupported, "can't decode the AVC image in the \(format) file: \(reason)")
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        guard tessera_avc_available() else {
            throw ImageError(
                .unsupported,
                "AVC in \(header.format) needs libopenh264, which isn't installed (Debian's package: libopenh264-7)")
        }
        region = plan.region ?? PixelRect(header.storedSize)
        nextRow = 0
        return BitmapInfo(
            size: region.size, format: converter == nil ? .gray8 : .rgba8, profile: header.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let decoder: ShimHandle
        if let ready = self.decoder { decoder = ready } else { decoder = try decode() }
        self.decoder = decoder
        let (size, width) = (header.storedSize, header.storedSize.width)
        let count = min(rows.count, region.height - nextRow)
        var luma = [UInt8](repeating: 0, count: width)
        var (near, far) = ([UInt8](repeating: 0, count: width / 2), [UInt8](repeating: 0, count: width / 2))
        var (cb, cr) = ([UInt16](repeating: 0, count: width / 2), [UInt16](repeating: 0, count: width / 2))
        /// Fills `sums` for a row of luma, which lies a quarter of the rows' distance above or below one of chroma.
        func blend(_ plane: Int, _ y: Int, into sums: inout [UInt16]) throws(ImageError) {
            let other = max(0, min(size.height / 2 - 1, y / 2 + (y % 2 == 0 ? -1 : 1)))
            try Self.copy(plane, y / 2, of: decoder, to: &near)
            try Self.copy(plane, other, of: decoder, to: &far)
            for x in sums.indices { sums[x] = 3 * UInt16(near[x]) + UInt16(far[x]) }
        }
        for row in 0..<count {
            let y = region.y + nextRow + row
            try Self.copy(0, y, of: decoder, to: &luma)
            guard let converter else {
                var target = rows.row(row, as: Gray8.self)
                YCbCrConverter.gray(luma.span, colors, into: &target, from: region.x)
                continue
            }
            try blend(1, y, into: &cb)
            try blend(2, y, into: &cr)
            var target = rows.row(row, as: RGBA8.self)
            converter.convert(luma: luma.span, cb: cb.span, cr: cr.span, into: &target, from: region.x)
        }
        nextRow += count
        return count
    }

    private static func copy(
        _ plane: Int, _ y: Int, of decoder: ShimHandle, to row: inout [UInt8]
    ) throws(ImageError) {
        let status = row.withUnsafeMutableBufferPointer {
            // The shim writes as many bytes as the row has.
            tessera_avc_decoder_read(decoder.pointer, UInt8(plane), UInt32(y), $0.baseAddress, $0.count)
        }
        try decoder.check(status)
    }

    /// Decodes the image into the library's planes.
    private func decode() throws(ImageError) -> ShimHandle {
        // Measured: 2.2 bytes a pixel for each reference picture and two more, and 5.
        let byteCount = parameters.codedSize.pixelCount * (9 * (parameters.referenceCount + 2) / 4 + 6)
        try limits.checkWorkingMemory(byteCount, for: "decoding the AVC image in the \(header.format) file")
        let decoder = try ShimHandle(
            tessera_avc_decoder_create(), "an AVC decoder",
            failing: "the AVC image in the \(header.format) file can't be decoded", tessera_avc_decoder_message,
            destroy: tessera_avc_decoder_destroy)
        let (reported, readable) = (parameters.cropped(2, 2), header.storedSize)
        var size = tessera_avc_size(
            reported_width: UInt32(reported.width), reported_height: UInt32(reported.height),
            width: UInt32(readable.width), height: UInt32(readable.height))
        // The shim reads the bytes within the call.
        try decoder.check(tessera_avc_decoder_decode(decoder.pointer, stream, stream.count, &size))
        return decoder
    }
}
#endif
