internal import Raster

// Decoding options and errors in messages.

extension MessageWriter {
    package mutating func write(_ options: DecodingOptions) {
        write(options.color == .sRGB)
        write(options.maximumBitsPerChannel)
        write(options.appliesOrientation)
        write(options.readsXMPOrientation)
        write(options.imageIndex) { $0.write($1) }
        for limit in DecodingLimits.members { write(options.limits[keyPath: limit]) }
        write(options.jpng.snapsAlpha)
        write(options.jpng.repairsWhiteFlattening)
        write(options.dynamicRange)
    }

    private mutating func write(_ range: DynamicRange) {
        switch range {
        case .standard: write(UInt8(0))
        case .asStored: write(UInt8(1))
        case .high(let headroom):
            write(UInt8(2))
            write(headroom)
        }
    }

    package mutating func write(_ error: ImageError) {
        write(error.code.description)
        write(error.message)
        write(error.byteOffset) { $0.write($1) }
    }
}

extension MessageReader {
    package mutating func options() throws(ImageError) -> DecodingOptions {
        var options = DecodingOptions(color: try bool() ? .sRGB : .asStored)
        options.maximumBitsPerChannel = try int()
        options.appliesOrientation = try bool()
        options.readsXMPOrientation = try bool()
        options.imageIndex = try optional { (reader) throws(ImageError) in try reader.int() }
        for limit in DecodingLimits.members { options.limits[keyPath: limit] = try int() }
        options.jpng.snapsAlpha = try bool()
        options.jpng.repairsWhiteFlattening = try bool()
        options.dynamicRange = try dynamicRange()
        return options
    }

    private mutating func dynamicRange() throws(ImageError) -> DynamicRange {
        switch try byte() {
        case 0: return .standard
        case 1: return .asStored
        case 2: return .high(headroom: try double())
        default: throw Self.failure
        }
    }

    /// Reads an error. Control characters are removed from its message, as they could confuse a terminal.
    package mutating func error() throws(ImageError) -> ImageError {
        let name = try string(limit: 64)
        let text = try string(limit: 4096).unicodeScalars.filter { $0.value >= 32 && !(127...159).contains($0.value) }
        let offset = try optional { (reader) throws(ImageError) in try reader.int(in: 0...Int.max) }
        guard let code = ImageError.Code.all.first(where: { $0.description == name }) else { throw Self.failure }
        return ImageError(code, String(String.UnicodeScalarView(text)), byteOffset: offset)
    }
}

extension ImageError.Code {
    fileprivate static let all: [ImageError.Code] = [
        .unknownFormat, .corrupt, .truncated, .unsupported, .limitExceeded, .invalidParameter, .inputOutput,
        .outOfMemory, .cancelled, .workerFailed,
    ]
}

extension DecodingLimits {
    // A computed property, because the compiler doesn't consider key paths Sendable.
    fileprivate static var members: [WritableKeyPath<DecodingLimits, Int>] {
        [
            \.maximumPixelCount, \.maximumSideLength, \.maximumInputByteCount, \.maximumWorkingByteCount,
            \.maximumMetadataByteCount, \.maximumScanCount, \.maximumFrameCount, \.maximumCompressionRatio,
        ]
    }
}
