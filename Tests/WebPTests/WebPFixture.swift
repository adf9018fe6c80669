#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures

/// WebP files put together for the tests.
enum WebPFixture {
    /// A chunk with its padding.
    static func chunk(_ type: String, _ contents: [UInt8]) -> [UInt8] {
        Array(type.utf8) + number(contents.count, 4) + contents + (contents.count % 2 == 1 ? [0] : [])
    }

    /// A file around `chunks`.
    static func file(_ chunks: [UInt8]...) -> [UInt8] {
        let all = chunks.flatMap { $0 }
        return Array("RIFF".utf8) + number(all.count + 4, 4) + Array("WEBP".utf8) + all
    }

    /// VP8X. Flags: animation 2, XMP 4, EXIF 8, alpha 16, ICC 32.
    static func extended(_ flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + number(width - 1, 3) + number(height - 1, 3))
    }

    /// ANIM.
    static func animation(loops: Int) -> [UInt8] { chunk("ANIM", [1, 2, 3, 4] + number(loops, 2)) }

    /// ANMF at an even place. Flags: keep and draw over 0, to background 1, replace 2.
    static func frame(
        x: Int = 0, y: Int = 0, _ width: Int, _ height: Int, milliseconds: Int = 100, flags: UInt8 = 0,
        _ picture: [UInt8]
    ) -> [UInt8] {
        chunk(
            "ANMF",
            number(x / 2, 3) + number(y / 2, 3) + number(width - 1, 3) + number(height - 1, 3)
                + number(milliseconds, 3) + [flags] + picture)
    }

    /// An EXIF block that says `orientation` and nothing else.
    static func exif(_ orientation: Orientation) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0, 0, 0, 0, 0]
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }

    /// The chunks of a picture: its file without the container, and without VP8X.
    static func picture(_ bitmap: Bitmap, lossless: Bool = true, quality: Double = 0.8) throws -> [UInt8] {
        let file = try encode(bitmap, EncodingOptions(quality: quality, isLossless: lossless))
        return Array(file[(file[12..<16].elementsEqual("VP8X".utf8) ? 30 : 12)...])
    }

    static func encode(_ bitmap: Bitmap, _ options: EncodingOptions) throws -> [UInt8] {
        let buffer = ByteBuffer()
        try WebPCodec().encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }

    /// A picture with much to see, opaque or not.
    static func sample(_ width: Int, _ height: Int, alpha: AlphaMode = .none) throws -> Bitmap {
        let picture: SamplePicture = alpha.hasAlpha ? .feather : .valley
        return try picture.makeBitmap(size: PixelSize(width: width, height: height))
    }

    /// A picture of one colour.
    static func plain(_ width: Int, _ height: Int, _ color: RGBA8) throws -> Bitmap {
        try .plain(color, PixelSize(width: width, height: height), alpha: .straight)
    }
}
#endif
