import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Decoding all bytes so far")
struct ProgressiveImageCoderTests {
    private func progressive(orientation: Orientation = .up) throws -> [UInt8] {
        let options = EncodingOptions(
            metadata: ImageMetadata(orientation: orientation), jpeg: .init(isProgressive: true))
        return try ImageDestination(format: .jpeg, options: options)
            .encode(Bitmap.grainy(PixelSize(width: 61, height: 43)))
    }

    @Test("Passing all bytes so far gives the same image as passing the new ones", arguments: [1, 100, 1 << 20])
    func allBytesSoFarGiveWhatTheNewOnesGive(step: Int) throws {
        let bytes = try progressive(orientation: .right)
        let (coder, source) = (ProgressiveImageCoder(), ImageSource())
        #expect(coder.size == nil && coder.orientation == nil)
        #expect(try coder.incrementalDecodedImage() == nil)
        for end in stride(from: step, to: bytes.count, by: step) {
            coder.updateIncrementalData(Array(bytes.prefix(end)), finished: false)
            try source.append(Array(bytes[(end - step)..<end]))
            #expect(coder.size == source.header?.size)
            let (image, bitmap) = (try coder.incrementalDecodedImage(), try source.currentBitmap())
            #expect(try image?.bitmap().tightBytes() == bitmap?.tightBytes())
        }
        coder.updateIncrementalData(bytes, finished: true)
        #expect(coder.isFinished && coder.error == nil)
        #expect(coder.size == PixelSize(width: 43, height: 61) && coder.orientation == .right)
        let image = try #require(try coder.incrementalDecodedImage(scale: 2))
        #expect(image.scale == 2)
        #expect(try image.bitmap().tightBytes() == (try ImageSource.decode(bytes).bitmap.tightBytes()))
    }

    @Test("Bytes after the end are ignored")
    func afterTheEndNothingCounts() throws {
        let (bytes, other) = (try progressive(), try ImageDestination(format: .png).encode(Bitmap.pattern(5, 4)))
        let coder = ProgressiveImageCoder()
        coder.updateIncrementalData(bytes, finished: true)
        let first = try coder.incrementalDecodedImage()?.bitmap().tightBytes()
        coder.updateIncrementalData(bytes + other, finished: false)
        coder.updateIncrementalData(other, finished: true)
        coder.updateIncrementalData([], finished: true)
        #expect(coder.error == nil && coder.size == PixelSize(width: 61, height: 43))
        #expect(try coder.incrementalDecodedImage()?.bitmap().tightBytes() == first)
    }

    @Test("Fewer bytes than before yield nothing")
    func fewerBytesThanBeforeBringNothing() throws {
        let bytes = try progressive()
        let coder = ProgressiveImageCoder()
        coder.updateIncrementalData(Array(bytes.prefix(bytes.count / 2)), finished: false)
        let half = try coder.incrementalDecodedImage()?.bitmap().tightBytes()
        coder.updateIncrementalData(Array(bytes.prefix(10)), finished: false)
        coder.updateIncrementalData([], finished: false)
        #expect(try coder.incrementalDecodedImage()?.bitmap().tightBytes() == half && half != nil)
        coder.updateIncrementalData(bytes, finished: true)
        #expect(coder.error == nil)
    }

    @Test("Truncated and damaged input keeps its image")
    func whatBreaksOffOrBreaksKeepsItsPicture() throws {
        let bytes = try progressive()
        let coder = ProgressiveImageCoder()
        coder.updateIncrementalData(Array(bytes.prefix(bytes.count / 2)), finished: true)
        #expect(coder.isFinished && coder.error?.code == .truncated)
        #expect(try coder.incrementalDecodedImage() != nil)
        let nothing = ProgressiveImageCoder()
        nothing.updateIncrementalData(Array("no picture at all".utf8), finished: false)
        #expect(nothing.error?.code == .unknownFormat && nothing.isFinished)
        #expect(try nothing.incrementalDecodedImage() == nil)
    }

    @Test("Partial data yields an image for each scan")
    func partialDataGivesAPictureForEachScan() throws {
        let bytes = try progressive()
        let coder = ProgressiveImageCoder()
        var previews: [[UInt8]] = []
        for end in stride(from: 16, to: bytes.count, by: 16) {
            guard let image = coder.decodePartiallyDownloadedData(Array(bytes.prefix(end))) else { continue }
            previews.append(try image.bitmap().tightBytes())
        }
        // libjpeg's script for three components has ten scans, and the last one is the picture.
        #expect(previews.count == 9)
        #expect(Set(previews).count == previews.count)
        let image = try coder.decode(bytes)
        #expect(try image.bitmap().tightBytes() == (try ImageSource.decode(bytes).bitmap.tightBytes()))
        #expect(coder.decodePartiallyDownloadedData(bytes) == nil)

        #expect(errorCode { try ProgressiveImageCoder().decode(Array(bytes.dropLast(200))) } == .truncated)
        #expect(errorCode { try ProgressiveImageCoder().decode([]) } == .unknownFormat)
    }
}
