import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Files of the lowest quality that looks good enough.
@Suite("Writing images for a target")
struct QualityTargetTests {
    private func picture() throws -> Bitmap {
        try SamplePicture.valley.makeBitmap(size: PixelSize(width: 180, height: 120))
    }

    private func score(_ bytes: [UInt8], _ picture: Bitmap) throws -> Double {
        try SSIMULACRA2.score(of: ImageSource.decode(bytes).bitmap.makeRowSource(), comparedTo: picture.makeRowSource())
    }

    @Test(
        "The quality is the lowest that reaches the score",
        arguments: [ImageFormat.jpeg, .webP, .jpng, .jpegXL].flatMap { format in [40, 75, 86].map { (format, $0) } })
    func lowestQuality(format: ImageFormat, target: Double) throws {
        let picture = try picture()
        let options = EncodingOptions(target: .ssimulacra2(target))
        let destination = try ImageDestination(format: format, options: options)
        let bytes = try destination.encode(picture)
        #expect(try score(bytes, picture) >= target)
        // It is the file of one of the qualities, and that of the one below scores too little.
        var plain = EncodingOptions()
        let isJPEG = [.jpeg, .jpng].contains(format)
        if isJPEG {
            plain.jpeg = .init(subsampling: target < 80 ? .yuv420 : .yuv444, isProgressive: true, usesTrellis: true)
        }
        let stepCount = isJPEG ? 400 : 100
        let step = try #require(
            try (1...stepCount).first { step in
                plain.quality = Double(step) / Double(stepCount)
                return try ImageDestination(format: format, options: plain).encode(picture) == bytes
            })
        plain.quality = Double(step - 1) / Double(stepCount)
        #expect(try score(ImageDestination(format: format, options: plain).encode(picture), picture) < target)
        // Rows that arrive make the same file.
        let streamed = ByteBuffer()
        try destination.encode(picture.makeRowSource(), to: streamed)
        #expect(streamed.bytes == bytes)
    }

    @Test("A score out of reach is an error that says what can be reached")
    func outOfReach() throws {
        let destination = try ImageDestination(format: .webP, options: EncodingOptions(target: .ssimulacra2(99.5)))
        let error = #expect(throws: ImageError.self) { try destination.encode(picture()) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("the target is 99.5") == true)
    }

    @Test("Files without losses, and animations, have no quality to look for")
    func lossless() throws {
        let picture = try picture()
        let target = EncodingOptions(target: .ssimulacra2(99.9))
        #expect(
            try ImageDestination(format: .png, options: target).encode(picture)
                == ImageDestination(format: .png).encode(picture))
        var lossless = target
        lossless.isLossless = true
        let webP = try ImageDestination(format: .webP, options: lossless).encode(picture)
        #expect(try score(webP, picture) == 100)
    }

    @Test("Metadata don't change the quality, and a maximum of bytes goes first")
    func otherOptions() throws {
        let picture = try picture()
        let target = EncodingOptions(target: .ssimulacra2(75))
        let bytes = try ImageDestination(format: .jpeg, options: target).encode(picture)
        var described = target
        described.metadata.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let withMetadata = try ImageDestination(format: .jpeg, options: described).encode(picture)
        #expect(
            try ImageSource.decode(withMetadata).bitmap.tightBytes() == ImageSource.decode(bytes).bitmap.tightBytes())
        var limited = target
        limited.maximumByteCount = bytes.count - 200
        #expect(try ImageDestination(format: .jpeg, options: limited).encode(picture).count <= bytes.count - 200)
    }

    @Test("A score that can't be is refused", arguments: [0, -3, 100.5, .nan, .infinity])
    func refused(score: Double) {
        let error = #expect(throws: ImageError.self) {
            try ImageDestination(format: .jpeg, options: EncodingOptions(target: .ssimulacra2(score)))
        }
        #expect(error?.code == .invalidParameter)
    }
}
