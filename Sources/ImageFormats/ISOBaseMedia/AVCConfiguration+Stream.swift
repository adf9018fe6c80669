internal import Raster

extension AVCConfiguration {
    /// The units of an image in the form that decoders read: parameter sets and slices, each after a start code (ITU-T
    /// H.264, annex B). Other units are left out, among them further parameter sets, which nobody has checked.
    /// - Parameters:
    ///   - item: The image's bytes: units after their lengths.
    ///   - rows: The rows of macroblocks, the limit of the number of slices: in damaged data several may cover the same
    ///     macroblocks, and each takes as much time.
    /// - Throws: `truncated` if the bytes end within a unit; `corrupt` for other damage; `unsupported` for a picture that
    ///   isn't an IDR picture, or with slices in another order.
    func stream(of item: ArraySlice<UInt8>, rows: Int, format: ImageFormat) throws(ImageError) -> [UInt8] {
        var stream: [UInt8] = []
        for unit in sequenceParameterSets + pictureParameterSets { try Self.add(unit, to: &stream, format) }
        var (rest, sliceCount, last) = (item, 0, -1)
        while !rest.isEmpty {
            let place = rest.startIndex
            guard rest.count >= lengthByteCount,
                case let byteCount = rest.prefix(lengthByteCount).reduce(0, { $0 << 8 | Int($1) }),
                byteCount <= rest.count - lengthByteCount
            else {
                throw ImageError(
                    .truncated, "the AVC image in the \(format) file ends within a unit", byteOffset: place)
            }
            let unit = rest.dropFirst(lengthByteCount).prefix(byteCount)
            rest = rest.dropFirst(lengthByteCount + byteCount)
            guard let head = unit.first, head < 128 else { throw Self.damage("an invalid unit", format, place) }
            switch head & 31 {
            case 1...4:
                throw ImageError(
                    .unsupported, "can't decode the AVC image in the \(format) file: it isn't an IDR picture",
                    byteOffset: place)
            case 5:
                let first = try Self.firstMacroblock(of: unit, format)
                sliceCount += 1
                guard first > last, sliceCount <= rows else {
                    throw ImageError(
                        .unsupported,
                        "can't decode the AVC image in the \(format) file: it has slices in another order than from the"
                            + " top, or more than its \(rows) rows of macroblocks", byteOffset: place)
                }
                last = first
                try Self.add(unit, to: &stream, format)
            default: continue
            }
        }
        guard sliceCount > 0 else { throw Self.damage("no slices", format, item.startIndex) }
        return stream
    }

    /// Adds a unit, in which nothing may pass for the start of another one.
    private static func add(
        _ unit: ArraySlice<UInt8>, to stream: inout [UInt8], _ format: ImageFormat
    ) throws(ImageError) {
        guard !NALUnit.containsStartCode(unit) else {
            throw damage("a start code within a unit", format, unit.startIndex)
        }
        stream += [0, 0, 0, 1]
        stream += unit
    }

    /// The address of a slice's first macroblock (7.3.3).
    /// - Throws: `corrupt` unless all of the slice's macroblocks are intra-coded, as an IDR picture's must be.
    private static func firstMacroblock(of unit: ArraySlice<UInt8>, _ format: ImageFormat) throws(ImageError) -> Int {
        // Two numbers of at most five bytes.
        var bits = NALBitReader(NALUnit.payload(unit.dropFirst().prefix(16)))
        guard let first = bits.readExponential(), let type = bits.readExponential(), type == 2 || type == 7 else {
            throw damage("a slice that isn't intra-coded", format, unit.startIndex)
        }
        return first
    }

    private static func damage(_ problem: String, _ format: ImageFormat, _ place: Int) -> ImageError {
        ImageError(.corrupt, "the AVC image in the \(format) file has \(problem)", byteOffset: place)
    }
}
