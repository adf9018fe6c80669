#if TIFF
internal import CTesseraTIFF
internal import Raster

/// The layout of a TIFF image's samples, and the pixel format of the rows decoded from them.
struct TIFFPixelLayout: Hashable {
    /// The colour model of the samples.
    enum Model: Hashable {
        case gray(isInverted: Bool)
        case rgb
        case palette
        case cmyk
        /// CIE L*a*b*; `isOffset` if a* and b* are stored with an offset (ICC's form) instead of signed.
        case lab(isOffset: Bool)
        /// Converted to RGB by libtiff.
        case converted
    }

    /// The number format of a sample.
    enum SampleFormat: Hashable {
        case unsigned, signed, float
    }

    let model: Model
    let format: SampleFormat
    /// Bits per sample.
    let bits: Int
    /// Samples per pixel, and whether each is stored in a separate plane.
    let sampleCount: Int
    let isPlanar: Bool
    /// The index of the alpha sample; nil if there is none.
    let alphaIndex: Int?
    /// Whether colours are premultiplied by alpha.
    let isAssociated: Bool

    /// The number of colour samples, which come first in a pixel.
    var colorCount: Int { Self.colorCount(model) }

    /// Returns the format of decoded rows, of at most `bits` bits per channel.
    func pixelFormat(maximumBits: Int) -> PixelFormat {
        let isDeep = bits > 8 && maximumBits == 16
        return switch model {
        case .gray: (alphaIndex == nil ? PixelFormat.gray8 : .rgba8).withBitsPerChannel(isDeep ? 16 : 8)
        case .rgb, .lab: isDeep ? .rgba16 : .rgba8
        case .palette, .cmyk, .converted: .rgba8
        }
    }

    var colorModel: ImageHeader.ColorModel {
        switch model {
        case .gray: .gray
        case .rgb, .lab, .converted: .rgb
        case .palette: .indexed
        case .cmyk: .cmyk
        }
    }

    /// Whether both layouts decode to rows of the same kind.
    func makesTheSame(as other: TIFFPixelLayout) -> Bool {
        model == other.model && bits == other.bits && format == other.format && alphaIndex == other.alphaIndex
            && isAssociated == other.isAssociated
    }

    /// Whether the file's ICC profile applies to the decoded values.
    var usesProfile: Bool {
        switch model {
        case .gray, .rgb, .palette, .cmyk: true
        case .lab, .converted: false
        }
    }
}

extension TIFFPixelLayout {
    /// Reads the layout of a directory.
    /// - Throws: `unsupported` for samples that can't be read, `corrupt` for too few of them.
    init(_ picture: tessera_tiff_picture, _ directory: TIFFDirectory, _ file: TIFFFile) throws(ImageError) {
        bits = Int(picture.bits)
        sampleCount = Int(picture.samples)
        isPlanar = picture.planar
        model = try Self.model(picture)
        format = try Self.sampleFormat(picture)
        let colorCount = Self.colorCount(model)
        guard sampleCount >= colorCount || picture.needs_rgba else {
            throw ImageError(.corrupt, "a TIFF image of \(colorCount) colours has \(sampleCount) samples")
        }
        guard !picture.needs_rgba, sampleCount > colorCount else {
            alphaIndex = nil
            isAssociated = false
            return
        }
        let kinds = (0..<(sampleCount - colorCount)).map { file.extraSample($0) }
        if directory[TIFFTag.extraSamples] == nil, sampleCount == colorCount + 1, model == .rgb || colorCount == 1 {
            // Writers that omit ExtraSamples mean alpha by one extra sample.
            (alphaIndex, isAssociated) = (colorCount, false)
        } else {
            let found = kinds.firstIndex { $0 == 1 || $0 == 2 }
            alphaIndex = found.map { colorCount + $0 }
            isAssociated = found.map { kinds[$0] == 1 } ?? false
        }
    }

    private static func colorCount(_ model: Model) -> Int {
        switch model {
        case .gray, .palette: 1
        case .rgb, .lab, .converted: 3
        case .cmyk: 4
        }
    }

    private static func model(_ picture: tessera_tiff_picture) throws(ImageError) -> Model {
        if picture.needs_rgba { return .converted }
        switch picture.photometric {
        case 0: return .gray(isInverted: true)
        // A transparency mask, 4, is decoded like grey: opaque parts are white.
        case 1, 4: return .gray(isInverted: false)
        case 2: return .rgb
        case 3 where picture.bits <= 16: return .palette
        case 5 where picture.ink_set == 1 || picture.ink_set == 0: return .cmyk
        case 8 where picture.bits == 8 || picture.bits == 16: return .lab(isOffset: false)
        case 9 where picture.bits == 8 || picture.bits == 16: return .lab(isOffset: true)
        // In CCITT compressions, 2 to 4, ones are black.
        case UInt16.max:
            return picture.samples >= 3 ? .rgb : .gray(isInverted: (2...4).contains(picture.compression))
        default:
            throw ImageError(
                .unsupported,
                "TIFF images of photometric interpretation \(picture.photometric) and \(picture.bits) bits aren't read"
            )
        }
    }

    private static func sampleFormat(_ picture: tessera_tiff_picture) throws(ImageError) -> SampleFormat {
        // A* and b* are signed by definition; some writers mark all samples as signed.
        let isLab = picture.photometric == 8 || picture.photometric == 9
        switch picture.sample_format {
        case 2 where isLab: return .unsigned
        case 1 where (1...32).contains(picture.bits) || picture.bits == 64: return .unsigned
        case 4 where (1...32).contains(picture.bits) || picture.bits == 64: return .unsigned
        // Read as unsigned, as in other decoders: 8-bit photographs marked signed by mistake are common, negative
        // samples rare.
        case 2 where picture.bits == 8: return .unsigned
        case 2 where (2...32).contains(picture.bits) || picture.bits == 64: return .signed
        case 3 where [16, 24, 32, 64].contains(picture.bits): return .float
        default:
            guard !picture.needs_rgba else { return .unsigned }
            throw ImageError(
                .unsupported,
                "TIFF samples of format \(picture.sample_format) and \(picture.bits) bits aren't read")
        }
    }
}
#endif
