#if JPEGXL
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// PQ and HLG, which are shown by the same rule in every format.
@Suite("JPEG XL: high dynamic range", .needs(DJXL.djxl, DJXL.cjxl))
struct JPEGXLHighDynamicRangeTests {
    private static let ramp = try! JPEGXLFixture.bitmap(.rgba8, 96, 64)

    @Test(
        "Lossless values equal PNG's with the same code points",
        arguments: [("RGB_D65_202_Rel_PeQ", 9, 16), ("RGB_D65_202_Rel_HLG", 9, 18), ("RGB_D65_DCI_Rel_PeQ", 12, 16)])
    func lossless(space: String, primaries: Int, transfer: Int) throws {
        let file = try #require(try DJXL.encode(Self.ramp, arguments: ["-d", "0", "-x", "color_space=\(space)"]))
        // cjxl notes PQ's own peak.
        let png = try ToneMapping.png(
            Self.ramp, primaries: UInt8(primaries), transfer: UInt8(transfer), peak: transfer == 16 ? 10000 : nil)
        let (decoded, expected) = (try ImageSource.decode(file), try ImageSource.decode(png))
        #expect(decoded.error == nil && expected.error == nil)
        #expect(decoded.header.profile == expected.header.profile && decoded.header.profile != .sRGB)
        #expect(decoded.bitmap.tightBytes() == expected.bitmap.tightBytes())
        #expect(decoded.bitmap.tightBytes() != Self.ramp.tightBytes())
    }

    @Test("Lossy values are close to PNG's, without another tone mapping", arguments: [16, 18])
    func lossy(transfer: Int) throws {
        let space = "RGB_D65_202_Rel_\(transfer == 16 ? "PeQ" : "HLG")"
        let smooth = JPEGXLFixture.valley
        let file = try #require(
            try DJXL.encode(smooth, arguments: ["-d", "0.1", "-e", "3", "-x", "color_space=\(space)"]))
        let expected = try ImageSource.decode(ToneMapping.png(smooth, primaries: 9, transfer: UInt8(transfer))).bitmap
        let decoded = try ImageSource.decode(file)
        #expect(decoded.bitmap.psnr(expected.storedSamples) > 30, "\(decoded.bitmap.psnr(expected.storedSamples)) dB")
    }
}
#endif
