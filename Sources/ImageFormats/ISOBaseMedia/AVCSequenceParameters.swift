internal import Raster

/// The part of AVC's sequence parameter set that decides whether and how an image can be decoded (ITU-T H.264, 7.3.2.1.1
/// and E.1.1).
struct AVCSequenceParameters {
    let profile: Int
    /// 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    private(set) var chromaFormat = 1
    /// The bits of luma's samples or chroma's, whichever are more.
    private(set) var bits = 8
    let referenceCount: Int
    /// The coded size in macroblocks of 16 by 16 pixels.
    let macroblocks: PixelSize
    let isProgressive: Bool
    /// The crop at each side, in units of two pixels, or of one for grey and in the directions in which chroma isn't reduced.
    private(set) var crop = (left: 0, right: 0, top: 0, bottom: 0)
    /// nil if they aren't declared.
    private(set) var colors: VideoColors?

    /// Profiles whose sets have the fields of chroma and bits.
    private static let highProfiles: Set = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// Parses a unit with its header; nil if it is truncated or invalid.
    init?(_ unit: ArraySlice<UInt8>) {
        // A set with all matrices and both models of buffers takes less than a kilobyte.
        var bits = NALBitReader(NALUnit.payload(unit.dropFirst().prefix(4096)))
        guard let profile = bits.read(8), bits.skip(16), bits.readExponential() != nil else { return nil }
        self.profile = profile
        if Self.highProfiles.contains(profile) {
            guard let format = bits.readExponential(), format <= 3 else { return nil }
            if format == 3, !bits.skip(1) { return nil }
            guard let luma = bits.readExponential(), let chroma = bits.readExponential(), max(luma, chroma) <= 6,
                bits.skip(1), let hasMatrices = bits.readFlag(),
                !hasMatrices || Self.skipMatrices(format == 3 ? 12 : 8, &bits)
            else { return nil }
            (chromaFormat, self.bits) = (format, 8 + max(luma, chroma))
        }
        guard bits.readExponential() != nil, Self.skipOrder(&bits), let references = bits.readExponential(),
            references <= 16, bits.skip(1), let width = bits.readExponential(), let height = bits.readExponential(),
            let isProgressive = bits.readFlag(), isProgressive || bits.skip(1), bits.skip(1),
            let isCropped = bits.readFlag()
        else { return nil }
        referenceCount = references
        self.isProgressive = isProgressive
        // Clamped to keep products within Int; such sizes exceed all limits anyway. Fields have half the lines.
        macroblocks = PixelSize(
            width: min(width, 1 << 26) + 1, height: (min(height, 1 << 26) + 1) * (isProgressive ? 1 : 2))
        if isCropped {
            guard let left = bits.readExponential(), let right = bits.readExponential(),
                let top = bits.readExponential(), let bottom = bits.readExponential()
            else { return nil }
            crop = (left, right, top, bottom)
        }
        guard let hasUsability = bits.readFlag() else { return nil }
        if hasUsability { colors = Self.colors(&bits) }
        guard !size.isEmpty else { return nil }
    }

    /// The coded size, a multiple of 16.
    var codedSize: PixelSize { PixelSize(width: 16 * macroblocks.width, height: 16 * macroblocks.height) }

    /// The size after cropping; empty if nothing is left.
    var size: PixelSize {
        let (across, down) = (1...2 ~= chromaFormat ? 2 : 1, chromaFormat == 1 ? 2 : 1)
        let size = cropped(across, down * (isProgressive ? 1 : 2))
        return PixelSize(width: max(0, size.width), height: max(0, size.height))
    }

    /// The coded size less the crop in units of `across` and `down` pixels.
    func cropped(_ across: Int, _ down: Int) -> PixelSize {
        PixelSize(
            width: codedSize.width - across * (crop.left + crop.right),
            height: codedSize.height - down * (crop.top + crop.bottom))
    }

    /// Skips scaling matrices (7.3.2.1.1.1).
    private static func skipMatrices(_ count: Int, _ bits: inout NALBitReader) -> Bool {
        for index in 0..<count {
            guard let isPresent = bits.readFlag() else { return false }
            guard isPresent else { continue }
            var (last, next) = (8, 8)
            for _ in 0..<(index < 6 ? 16 : 64) where next != 0 {
                guard let step = bits.readSigned(), -128...127 ~= step else { return false }
                next = (last + step + 256) % 256
                if next != 0 { last = next }
            }
        }
        return true
    }

    /// Skips the fields of the order of pictures.
    private static func skipOrder(_ bits: inout NALBitReader) -> Bool {
        switch bits.readExponential() {
        case 0: return bits.readExponential() != nil
        case 1:
            guard bits.skip(1), bits.readSigned() != nil, bits.readSigned() != nil, let count = bits.readExponential(),
                count <= 255
            else { return false }
            return (0..<count).allSatisfy { _ in bits.readSigned() != nil }
        case 2: return true
        default: return false
        }
    }

    /// Reads the usability information up to the colours; nil if it has none.
    private static func colors(_ bits: inout NALBitReader) -> VideoColors? {
        guard let hasAspect = bits.readFlag() else { return nil }
        if hasAspect {
            // 255 precedes a ratio of any two numbers.
            guard let ratio = bits.read(8), ratio != 255 || bits.skip(32) else { return nil }
        }
        guard let hasOverscan = bits.readFlag(), !hasOverscan || bits.skip(1), bits.readFlag() == true, bits.skip(3),
            let isFullRange = bits.readFlag(), let hasCodes = bits.readFlag()
        else { return nil }
        var colors = VideoColors(isFullRange: isFullRange)
        if hasCodes {
            guard let primaries = bits.read(8), let transfer = bits.read(8), let matrix = bits.read(8) else {
                return nil
            }
            (colors.primaries, colors.transfer, colors.matrix) = (primaries, transfer, matrix)
        }
        return colors
    }
}
