package import Raster

// Headers, metadata and frames in messages.

extension MessageWriter {
    package mutating func write(_ header: ImageHeader) {
        write(header.format.typeIdentifier)
        write(header.storedSize)
        write(header.colorModel.rawValue)
        write(header.bitsPerChannel)
        write(header.hasAlpha)
        write(header.profile)
        write(header.isProgressive)
        write(header.sequence) { writer, sequence in
            writer.write(sequence.kind == .animation)
            writer.write(sequence.count) { $0.write($1) }
            writer.write(sequence.loopCount)
        }
        write(header.metadata)
    }

    private mutating func write(_ metadata: ImageMetadata) {
        write(metadata.orientation.rawValue)
        for block in [metadata.exif, metadata.xmp, metadata.extendedXMP] { write(block) { $0.write($1) } }
        write(metadata.resolution) { writer, resolution in
            writer.write(resolution.horizontal)
            writer.write(resolution.vertical)
        }
        write(metadata.hotSpot) { writer, point in
            writer.write(point.x)
            writer.write(point.y)
        }
    }

    package mutating func write(_ frame: AnimationFrame) {
        write(frame.region)
        write(frame.blending == .over)
        switch frame.disposal {
        case .keep: write(UInt8(0))
        case .background: write(UInt8(1))
        case .previous: write(UInt8(2))
        }
        write(frame.storedDuration)
    }
}

extension MessageReader {
    /// Reads a header, which must be within `limits`.
    package mutating func header(_ limits: DecodingLimits) throws(ImageError) -> ImageHeader {
        let name = try string(limit: 256)
        guard let format = ImageFormat.all.first(where: { $0.typeIdentifier == name }) else { throw Self.failure }
        let size = try size()
        try limits.check(size, format: format)
        guard let colorModel = ImageHeader.ColorModel(rawValue: try string(limit: 32)) else { throw Self.failure }
        let bitCount = try int(in: 1...32)
        let hasAlpha = try bool()
        let profile = try profile(limit: limits.maximumMetadataByteCount)
        let isProgressive = try bool()
        let sequence = try optional { (reader) throws(ImageError) in
            let isAnimation = try reader.bool()
            let count = try reader.optional { (reader) throws(ImageError) in try reader.int(in: 0...Int(Int32.max)) }
            return ImageSequence(
                isAnimation ? .animation : .pages, count: count, loopCount: try reader.int(in: 0...Int(Int32.max)))
        }
        return ImageHeader(
            format: format, storedSize: size, colorModel: colorModel, bitsPerChannel: bitCount, hasAlpha: hasAlpha,
            profile: profile, isProgressive: isProgressive, sequence: sequence,
            metadata: try metadata(limit: limits.maximumMetadataByteCount))
    }

    private mutating func metadata(limit: Int) throws(ImageError) -> ImageMetadata {
        guard let orientation = Orientation(rawValue: try byte()) else { throw Self.failure }
        var metadata = ImageMetadata(orientation: orientation)
        metadata.exif = try optional { (reader) throws(ImageError) in try reader.array(limit: limit) }
        metadata.xmp = try optional { (reader) throws(ImageError) in try reader.array(limit: limit) }
        metadata.extendedXMP = try optional { (reader) throws(ImageError) in try reader.array(limit: limit) }
        metadata.resolution = try optional { (reader) throws(ImageError) in
            let horizontal = try reader.double(in: 0...1e12)
            return ImageMetadata.Resolution(horizontal: horizontal, vertical: try reader.double(in: 0...1e12))
        }
        metadata.hotSpot = try optional { (reader) throws(ImageError) in
            let x = try reader.int(in: Int(Int32.min)...Int(Int32.max))
            return ImageMetadata.Point(x: x, y: try reader.int(in: Int(Int32.min)...Int(Int32.max)))
        }
        return metadata
    }

    /// Reads a frame, which must lie within a canvas of `size`.
    package mutating func frame(in size: PixelSize) throws(ImageError) -> AnimationFrame {
        let region = try rect()
        try Self.require(region.lies(within: size))
        let isOver = try bool()
        let disposal: AnimationFrame.Disposal
        switch try byte() {
        case 0: disposal = .keep
        case 1: disposal = .background
        case 2: disposal = .previous
        default: throw Self.failure
        }
        return AnimationFrame(
            region: region, blending: isOver ? .over : .source, disposal: disposal,
            storedDuration: try double(in: 0...1e9))
    }
}
