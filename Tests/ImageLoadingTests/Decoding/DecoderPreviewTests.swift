import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("Previews of a decoder")
struct DecoderPreviewTests {
    static let request = ImageRequest(url: URL(string: "https://example.com/picture")!)

    private func decoder(_ data: Data, _ request: ImageRequest = request) -> ImageDecoders.Default {
        ImageDecoders.Default(
            context: ImageDecodingContext(request: request, data: data.prefix(64), isCompleted: false))
    }

    /// The previews that come of `data` in pieces of `step` bytes, by the number of their scan, and the final picture.
    private func previews(
        _ data: Data, step: Int, _ request: ImageRequest = request
    ) throws -> (previews: [(scan: Int, image: Image)], final: ImageContainer) {
        let decoder = decoder(data, request)
        var previews: [(Int, Image)] = []
        for end in stride(from: step, through: data.count, by: step) {
            guard let preview = decoder.decodePartiallyDownloadedData(data.prefix(end)) else { continue }
            #expect(preview.isPreview && preview.type == .jpeg && preview.data == nil)
            previews.append((try #require(preview.userInfo[.scanNumberKey] as? Int), preview.image))
        }
        return (previews, try decoder.decode(data))
    }

    @Test("Each scan has one preview, however the bytes are split")
    func eachScanHasOnePreviewWhateverThePieces() throws {
        let data = try TestPicture.progressiveJPEG(orientation: .left)
        let whole = try ImageSource.decode([UInt8](data)).bitmap.tightBytes()
        let all = try previews(data, step: 1)
        // libjpeg's script for three components has ten scans, and the last one is the picture.
        #expect(all.previews.map(\.scan) == Array(1...9))
        let pixels = try all.previews.map { try $0.image.bitmap().tightBytes() }
        #expect(Set(pixels).count == 9 && !pixels.contains(whole))
        for step in [2, 7, 64, 100, 333, 1000, data.count / 2, data.count - 1, data.count] {
            let (some, final) = try previews(data, step: step)
            #expect(some.map(\.scan) == some.map(\.scan).sorted() && Set(some.map(\.scan)).count == some.count)
            for (scan, image) in some {
                #expect(image.size == PixelSize(width: 64, height: 96))
                // The last scan's rows are shown as they come.
                if step == data.count - 1 { continue }
                #expect(try image.bitmap().tightBytes() == pixels[scan - 1], "scan \(scan) in pieces of \(step)")
            }
            if step == data.count { #expect(some.isEmpty) }
            #expect(!final.isPreview && final.userInfo.isEmpty && final.data == nil)
            #expect(try final.image.bitmap().tightBytes() == whole)
        }
    }

    @Test("Chunks that end with their scans yield every preview")
    func piecesThatEndWhereScansDoHaveAllPreviews() throws {
        let data = try TestPicture.progressiveJPEG()
        // Behind each scan's entropy-coded bytes stands the marker of what follows.
        let bytes = [UInt8](data)
        let scanStarts = (0..<bytes.count - 1).filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        #expect(scanStarts.count == 10)
        let ends = scanStarts.map { $0 + 4 + Int(bytes[$0 + 3]) }
        let decoder = decoder(data)
        var scans: [Int] = []
        for end in ends {
            let preview = decoder.decodePartiallyDownloadedData(data.prefix(end))
            if let scan = preview?.userInfo[.scanNumberKey] as? Int { scans.append(scan) }
        }
        #expect(scans == Array(1...9))
    }

    @Test("Previews have the size of the final image")
    func previewsAreAsSmallAsTheFinalPicture() throws {
        var request = Self.request
        request.thumbnail = .init(width: 20, height: 20, unit: .pixels, contentMode: .aspectFill)
        let data = try TestPicture.progressiveJPEG(160, 120, orientation: .down)
        let (some, final) = try previews(data, step: 50, request)
        #expect(some.count >= 5)
        for image in some.map(\.image) + [final.image] { #expect(image.size == PixelSize(width: 20, height: 20)) }
        let context = ImageDecodingContext(request: request, data: data)
        let whole = try #require(ImageDecoders.Default(data: data, context: context)).decode(data)
        #expect(try final.image.bitmap().tightBytes() == (try whole.image.bitmap().tightBytes()))
    }

    @Test("A baseline image has no previews", arguments: [ImageFormat.jpeg, .png, .bmp])
    func aPictureOfOnePassHasNone(format: ImageFormat) throws {
        let data = try TestPicture.file(format, TestPicture.bitmap(40, 40))
        let decoder = decoder(data)
        for end in stride(from: 1, through: data.count, by: 11) {
            #expect(decoder.decodePartiallyDownloadedData(data.prefix(end)) == nil)
        }
        let final = try decoder.decode(data).image.bitmap()
        #expect(final.tightBytes() == (try ImageSource.decode([UInt8](data)).bitmap.tightBytes()))
    }

    @Test("A JPNG appears once its end has arrived")
    func aJPNGIsShownOnceItsEndIsThere() throws {
        let data = try TestPicture.file(
            .jpng, TestPicture.bitmap(32, 32, alpha: .straight),
            options: EncodingOptions(jpeg: .init(isProgressive: true)))
        let decoder = decoder(data)
        for end in stride(from: 1, through: data.count, by: 40) {
            if let preview = decoder.decodePartiallyDownloadedData(data.prefix(end)) { #expect(preview.type == .jpeg) }
        }
        let final = try decoder.decode(data)
        #expect(final.type == .jpng && final.image.hasAlpha)
        #expect(try final.image.bitmap().pixel(4, 4).alpha == 128)
    }

    @Test("A call without new bytes yields nothing")
    func bytesThatAreNotNewBringNothing() throws {
        let data = try TestPicture.progressiveJPEG()
        let decoder = decoder(data)
        #expect(decoder.decodePartiallyDownloadedData(data.dropLast(400)) != nil)
        #expect(decoder.decodePartiallyDownloadedData(data.dropLast(400)) == nil)
        #expect(decoder.decodePartiallyDownloadedData(data.prefix(100)) == nil)
        #expect(decoder.decodePartiallyDownloadedData(Data()) == nil)
        // Other bytes, and fewer: a new picture.
        let other = try TestPicture.file(.png, TestPicture.bitmap(5, 4))
        #expect(try decoder.decode(other).type == .png)
        // A decoder can be used again.
        #expect(try decoder.decode(data).type == .jpeg)
    }

    @Test("A truncated transfer keeps its last preview")
    func whatBreaksOffKeepsItsPicture() throws {
        let data = try TestPicture.progressiveJPEG()
        let decoder = decoder(data)
        let half = data.prefix(data.count / 2)
        _ = decoder.decodePartiallyDownloadedData(half)
        do {
            _ = try decoder.decode(half)
            Issue.record("half a picture is no picture")
        } catch ImageDecodingError.incomplete(let container, let error) {
            #expect(error.code == .truncated && container.image.size == PixelSize(width: 96, height: 64))
            #expect(!container.isPreview)
        }
    }
}
