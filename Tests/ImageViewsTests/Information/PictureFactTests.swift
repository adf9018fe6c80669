import ImageFormats
import ImageViews
import Raster
import Tessera
import Testing

/// The lines of a viewer's information.
@Suite("Picture facts")
struct PictureFactTests {
    private func facts(_ tags: [(String, String)], _ format: ImageFormat = .jpeg) throws -> [String: PictureFact] {
        let bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 1200, height: 900), format: .rgba8, alpha: .none)
        ).freeze()
        var metadata = try FileMetadata(ImageDestination(format: format).encode(bitmap))
        for (name, value) in tags { try metadata.set(#require(MetadataTag.named(name).first), to: [value]) }
        let header = try ImageSource.header(of: metadata.assembled())
        let facts = PictureFact.facts(of: header) { date in "\(date.year)/\(date.month)/\(date.day)" }
        return Dictionary(facts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("Camera, lens, exposure, ISO, place and date are shown")
    func shot() throws {
        let facts = try facts([
            ("Make", "NIKON"), ("Model", "NIKON D3100"), ("LensModel", "18-55mm f/3.5-5.6"), ("ExposureTime", "1/125"),
            ("FNumber", "2.8"), ("FocalLength", "35"), ("ISO", "400"), ("GPSLatitude", "48.858222"),
            ("GPSLongitude", "-2.29451"), ("DateTimeOriginal", "2024:05:31 12:00:00"),
        ])
        #expect(facts["Camera"]?.value == "NIKON D3100")
        #expect(facts["Lens"]?.value == "18-55mm f/3.5-5.6")
        #expect(facts["Exposure"]?.value == "1/125 s · f/2.8 · 35 mm")
        #expect(facts["ISO"]?.value == "400")
        #expect(facts["Place"]?.value == "48.8582, -2.2945")
        let map = "https://www.openstreetmap.org/?mlat=48.8582&mlon=-2.2945#map=15/48.8582/-2.2945"
        #expect(facts["Place"]?.address == map)
        #expect(facts["Taken"]?.value == "2024/5/31")
    }

    @Test("The maker's name isn't repeated, and absent values have no line")
    func absent() throws {
        let facts = try facts([("Make", "Canon"), ("Model", "EOS 450D"), ("FNumber", "8")])
        #expect(facts["Camera"]?.value == "Canon EOS 450D" && facts["Exposure"]?.value == "f/8")
        #expect(facts["Lens"] == nil && facts["ISO"] == nil && facts["Place"] == nil && facts["Taken"] == nil)
    }

    @Test("Format, dimensions, colours and profile are shown")
    func image() throws {
        let facts = try facts([], .png)
        #expect(facts["Format"]?.value == "PNG" && facts["Dimensions"]?.value == "1200 × 900, 1.1 megapixels")
        #expect(facts["Colours"]?.value.contains("bits") == true && facts["Profile"]?.value != nil)
        #expect(facts["Frames"] == nil && facts["Camera"] == nil)
    }

    @Test(
        "Lengths have units of a thousand",
        arguments: [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (13_140, "13.1 kB"), (4_210_000, "4.2 MB")])
    func lengths(_ count: Int, _ text: String) { #expect(PictureFact.byteText(count) == text) }
}
