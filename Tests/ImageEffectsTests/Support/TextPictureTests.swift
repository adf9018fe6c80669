import Raster
import Testing

@Suite("Images drawn in text")
struct TextPictureTests {
    @Test("A drawn image is read back", arguments: [8, 16])
    func roundTrip(bits: Int) throws {
        let picture: TextPicture = """
            .KWR GBCM
            kwrg bcmy
            1234 5678
            """
        let bitmap = try picture.bitmap(bits: bits)
        #expect(bitmap.size == PixelSize(width: 8, height: 3))
        #expect(bitmap.alpha == .premultiplied)
        #expect(bitmap.keepsItsWord)
        #expect(TextPicture(bitmap) == picture)
        #expect(picture.description == ".KWRGBCM\nkwrgbcmy\n12345678")
    }

    @Test("Letters stand for channels")
    func channels() throws {
        let bitmap = try TextPicture("Rg9").bitmap()
        #expect(bitmap.channels(0, 0) == [255, 0, 0, 255])
        #expect(bitmap.channels(1, 0) == [0, 128, 0, 128])
        #expect(bitmap.channels(2, 0) == [225, 225, 225, 255])
        #expect(try TextPicture("R9").bitmap().alpha == AlphaMode.none)
    }

    @Test("Unknown letters and ragged rows are errors")
    func mistakes() {
        #expect(throws: ImageError.self) { try TextPicture("RX").bitmap() }
        #expect(throws: ImageError.self) { try TextPicture("RR\nR").bitmap() }
    }
}
