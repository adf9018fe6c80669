import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Decoding while memory is short")
struct MemoryWarningTests {
    static let kinds = ["progressive JPEG", "JPEG", "PNG", "JPNG", "GIF"]

    private static func file(_ kind: String) throws -> [UInt8] {
        let picture = try Bitmap.grainy(PixelSize(width: 61, height: 43))
        var options = EncodingOptions()
        options.metadata.orientation = .right
        switch kind {
        case "progressive JPEG":
            options.jpeg.isProgressive = true
            return try ImageDestination(format: .jpeg, options: options).encode(picture)
        case "JPEG": return try ImageDestination(format: .jpeg, options: options).encode(picture)
        case "JPNG":
            let cutout = try Bitmap.pattern(61, 43, .rgba8, alpha: .straight)
            return try ImageDestination(format: .jpng).encode(cutout)
        case "GIF": return try ImageDestination(format: .gif).encode(picture)
        default: return try ImageDestination(format: .png, options: options).encode(picture)
        }
    }

    @Test("The image is the same, whenever the warning comes", arguments: kinds)
    func source(kind: String) throws {
        let bytes = try Self.file(kind)
        let expected = try ImageSource.decode(bytes).bitmap.tightBytes()
        for warning in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 23)) {
            let source = ImageSource()
            try source.append(Array(bytes.prefix(warning)))
            // A GIF is complete before its last byte.
            guard !source.isComplete else { continue }
            let header = source.header
            source.removeIntermediateState()
            #expect(source.byteCount == 0 && source.header == header)
            #expect(try source.currentBitmap() == nil)
            #expect(source.error == nil && !source.isComplete)
            // In two pieces, with another warning between them.
            let middle = (warning + bytes.count) / 2
            try source.append(bytes.span.bytes.extracting(source.byteCount..<middle))
            if warning % 2 == 0 { source.removeIntermediateState() }
            try source.append(bytes.span.bytes.extracting(source.byteCount..<bytes.count))
            try source.finish()
            #expect(source.isComplete && source.error == nil)
            #expect(try source.currentBitmap()?.tightBytes() == expected)
        }
    }

    @Test("Complete and partial images stay")
    func finished() throws {
        let bytes = try Self.file("progressive JPEG")
        let source = ImageSource()
        try source.append(bytes)
        try source.finish()
        source.removeIntermediateState()
        #expect(source.byteCount == bytes.count && source.isComplete)
        #expect(try source.currentBitmap()?.tightBytes() == (try ImageSource.decode(bytes).bitmap.tightBytes()))

        let broken = ImageSource()
        try broken.append(Array(bytes.prefix(bytes.count / 2)))
        #expect(throws: ImageError.self) { try broken.finish() }
        broken.removeIntermediateState()
        #expect(broken.error?.code == .truncated)
        #expect(try broken.currentBitmap() != nil)
    }

    @Test("A coder continues after a warning with the same images", arguments: kinds)
    func coder(kind: String) throws {
        let bytes = try Self.file(kind)
        let step = max(1, bytes.count / 17)
        let (warned, other) = (ProgressiveImageCoder(), ProgressiveImageCoder())
        for end in stride(from: step, to: bytes.count, by: step) {
            warned.updateIncrementalData(Array(bytes.prefix(end)), finished: false)
            other.updateIncrementalData(Array(bytes.prefix(end)), finished: false)
            #expect(warned.size == other.size && warned.orientation == other.orientation)
            #expect(
                try warned.incrementalDecodedImage()?.bitmap().tightBytes()
                    == (try other.incrementalDecodedImage()?.bitmap().tightBytes()), "\(end) of \(bytes.count)")
            if end / step % 3 != 0 { warned.removeIntermediateState() }
        }
        let image = try warned.decode(bytes)
        #expect(try image.bitmap().tightBytes() == (try other.decode(bytes).bitmap().tightBytes()))
        warned.removeIntermediateState()
        #expect(try warned.incrementalDecodedImage()?.bitmap().tightBytes() == (try image.bitmap().tightBytes()))
    }
}
