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

    /// A PNG of the same values that says by its chunk what they mean.
    private static func png(_ bitmap: Bitmap, primaries: UInt8, transfer: UInt8) throws -> [UInt8] {
        let png = try ImageDestination(format: .png).encode(bitmap)
        // The signature and IHDR take 33 bytes; a chunk's checksum is of its name and its data.
        let body = Array("cICP".utf8) + [primaries, transfer, 0, 1]
        var checksum: UInt32 = 0xFFFF_FFFF
        for byte in body {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        let sum = (0..<4).map { UInt8(truncatingIfNeeded: ~checksum >> (24 - 8 * $0)) }
        return png[..<33] + [0, 0, 0, 4] + body + sum + png[33...]
    }

    @Test(
        "Lossless values equal PNG's with the same code points",
        arguments: [("RGB_D65_202_Rel_PeQ", 9, 16), ("RGB_D65_202_Rel_HLG", 9, 18), ("RGB_D65_DCI_Rel_PeQ", 12, 16)])
    func lossless(space: String, primaries: Int, transfer: Int) throws {
        let file = try #require(try DJXL.encode(Self.ramp, arguments: ["-d", "0", "-x", "color_space=\(space)"]))
        let png = try Self.png(Self.ramp, primaries: UInt8(primaries), transfer: UInt8(transfer))
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
        let expected = try ImageSource.decode(Self.png(smooth, primaries: 9, transfer: UInt8(transfer))).bitmap
        let decoded = try ImageSource.decode(file)
        #expect(decoded.bitmap.psnr(expected.storedSamples) > 30, "\(decoded.bitmap.psnr(expected.storedSamples)) dB")
    }
}
#endif
