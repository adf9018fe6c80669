import CTesseraLibZ
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that say they are large, and how little of them there is.
@Suite("Files that declare more pixels than they have bytes for")
struct CompressionRatioTests {
    /// Bytes as they come from a pipe: nobody knows how many.
    private final class Stream: ByteReader {
        private let bytes: Source.Reader

        init(_ bytes: [UInt8]) { self.bytes = Source(bytes).reader() }

        var byteCount: Int? { nil }

        func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            try bytes.nextBytes(body)
        }

        func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { nil }
    }

    private static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return number(data.count) + body + number(Int(crc32(0, body, uInt(body.count))))
    }

    private static func png(_ width: Int, _ height: Int, bitDepth: Int, colorType: Int, data: [UInt8]) -> [UInt8] {
        var header = number(width) + number(height)
        header += [UInt8(bitDepth), UInt8(colorType), 0, 0, 0]
        var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        file += chunk("IHDR", header)
        if colorType == 3 { file += chunk("PLTE", [255, 255, 255, 0, 0, 0]) }
        file += chunk("IDAT", data)
        return file + chunk("IEND", [])
    }

    /// A baseline JPEG's head of one grey or three colour components, and a scan of `data`.
    private static func jpeg(_ width: Int, _ height: Int, components: Int, data: [UInt8]) throws -> [UInt8] {
        let kind = try ImageDestination(format: .jpeg).encode(
            Bitmap.pattern(8, 8, components == 1 ? .gray8 : .rgba8, alpha: AlphaMode.none))
        var file = kind
        let frame = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        file[(frame + 5)..<(frame + 9)] = [
            UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255),
        ]
        return file + data
    }

    /// A lossless WebP of which nothing but the size is there.
    private static func webP(_ width: Int, _ height: Int) -> [UInt8] {
        let bits = (width - 1) | (height - 1) << 14
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 255) } }
        let data: [UInt8] = [0x2F] + number(bits) + [UInt8](repeating: 0, count: 35)
        let chunk: [UInt8] = Array("VP8L".utf8) + number(data.count) + data
        return Array("RIFF".utf8) + number(4 + chunk.count) + Array("WEBP".utf8) + chunk
    }

    /// A bare JPEG XL codestream of which nothing but the size is there, both sides being `side`.
    private static func jpegXL(side: Int) -> [UInt8] {
        // Signature; then, from the lowest bit on: not small (0), height - 1 in 18 bits (2), ratio 1 (1).
        // The size's 24 bits are followed by one that says that all else is as usual.
        let bits = 2 << 1 | (side - 1) << 3 | 1 << 21 | 1 << 24
        let head: [UInt8] = (0..<4).map { UInt8(bits >> (8 * $0) & 255) }
        return [0xFF, 0x0A] + head + [UInt8](repeating: 0, count: 94)
    }

    private static func bombs() throws -> [(String, ImageFormat, [UInt8])] {
        [
            ("PNG, grey", .png, png(16384, 16384, bitDepth: 8, colorType: 0, data: [0x78, 0x9C])),
            ("PNG, colours", .png, png(20000, 20000, bitDepth: 8, colorType: 6, data: [0x78, 0x9C])),
            ("PNG, palette", .png, png(30000, 30000, bitDepth: 1, colorType: 3, data: [0x78, 0x9C])),
            ("PNG, 64 MiB", .png, png(8192, 8192, bitDepth: 1, colorType: 0, data: [0x78, 0x9C])),
            ("JPEG, grey", .jpeg, try jpeg(16000, 16000, components: 1, data: [])),
            ("JPEG, colours", .jpeg, try jpeg(32000, 30000, components: 3, data: [])),
            ("WebP", .webP, webP(16384, 16384)),
            ("JPEG XL", .jpegXL, jpegXL(side: 16384)),
            ("rows", .rows, RowsHead(BitmapInfo(size: PixelSize(width: 60000, height: 300), format: .rgba8)).encoded),
        ]
    }

    private static var registry: CodecRegistry {
        var registry = CodecRegistry.builtIn
        registry.register(RowsCodec())
        return registry
    }

    @Test("Bombs are refused before memory is allocated")
    func bombsAreRefusedBeforeMemoryIsTaken() throws {
        let registry = Self.registry
        for (name, format, bytes) in try Self.bombs() where registry.canDecode(format) {
            // What a file says of itself can be asked for; a format that looks at all of it says more.
            guard let header = try? ImageSource.header(of: bytes, registry: registry) else { continue }
            #expect(header.format == format, "\(name)")
            var errors: [ImageError?] = []
            errors.append(#expect(throws: ImageError.self) { try ImageSource.decode(bytes, registry: registry) })
            errors.append(
                #expect(throws: ImageError.self) { try ImageRowSource(Source(bytes), registry: registry) })
            errors.append(#expect(throws: ImageError.self) { try ImageRowSource(Stream(bytes), registry: registry) })
            errors.append(#expect(throws: ImageError.self) { try EncodedImage(bytes, registry: registry) })
            // A small target makes a file no truer.
            let plan = DecodingPlan(targetSize: PixelSize(width: 100, height: 100))
            errors.append(
                #expect(throws: ImageError.self) { try ImageSource.decode(bytes, plan: plan, registry: registry) })
            for error in errors {
                #expect(error?.code == .limitExceeded, "\(name): \(error?.message ?? "")")
                #expect(error?.message.contains(" \(bytes.count) bytes") ?? false, "\(name)")
                #expect(error?.message.contains("500000") ?? false, "\(name)")
            }
        }
    }

    @Test("Nothing of an arriving bomb is decoded", arguments: [1, 7, 1 << 20])
    func nothingIsDecodedOfABombThatArrives(chunk: Int) throws {
        let registry = Self.registry
        for (name, format, bytes) in try Self.bombs() where registry.canDecode(format) {
            guard (try? ImageSource.header(of: bytes, registry: registry)) != nil else { continue }
            let source = ImageSource(registry: registry)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                for event in try source.append(Array(bytes[start..<min(bytes.count, start + chunk)])) {
                    if case .header = event { continue }
                    Issue.record("\(name): \(event)")
                }
                #expect(try source.currentBitmap() == nil)
            }
            let error = #expect(throws: ImageError.self) { try source.finish() }
            #expect(error?.code == .limitExceeded, "\(name): \(error?.message ?? "")")
            #expect(source.error == error)
            #expect(try source.currentBitmap() == nil)
        }
    }

    @Test("Below the threshold the ratio isn't checked")
    func belowTheThresholdNothingIsSaid() throws {
        // One row fewer than makes 64 MiB.
        let bytes = Self.png(8192, 8191, bitDepth: 1, colorType: 0, data: [0x78, 0x9C])
        let error = #expect(throws: ImageError.self) { try ImageSource.decode(bytes) }
        #expect(error?.code == .truncated)
    }

    @Test("A custom limit applies")
    func aLimitOfOnesOwnHolds() throws {
        var options = DecodingOptions()
        options.limits.maximumCompressionRatio = 1 << 40
        let bytes = Self.png(8192, 8192, bitDepth: 1, colorType: 0, data: [0x78, 0x9C])
        #expect(errorCode { try ImageSource.decode(bytes, options: options) } == .truncated)
        options.limits.maximumCompressionRatio = 0
        #expect(errorCode { try ImageSource.decode(bytes, options: options) } == .limitExceeded)
    }

    /// Blank pictures as zlib packs them, which is as hard as deflate can: one of a gigapixel at 1 bit, one of 64 MiB.
    @Test("Blank images open", arguments: [(32768, 1), (8200, 8)])
    func blankPicturesOpen(side: Int, bitDepth: Int) throws {
        let data = try Self.deflated(side * (1 + side * bitDepth / 8))
        let bytes = Self.png(side, side, bitDepth: bitDepth, colorType: 0, data: data)
        #expect(bytes.count < (bitDepth == 1 ? 140_000 : 70_000))
        for source in [
            try ImageRowSource(Source(bytes)), try ImageRowSource(Stream(bytes)),
        ] {
            var strip = try MutableBitmap(BitmapInfo(size: PixelSize(width: side, height: 16), format: .gray8))
            let count = try strip.withMutableRows(0..<16) { (rows) throws(ImageError) in try source.read(into: &rows) }
            #expect(count > 0)
        }
        var strict = DecodingOptions()
        strict.limits.maximumCompressionRatio = 10_000
        let streamed = ImageSource(options: strict)
        var hasRows = false
        let events = try streamed.append(Array(bytes.prefix(bytes.count / 2)))
        for event in events { if case .rows = event { hasRows = true } }
        // Half of the file is enough for the ratio where it is a tenth of what is allowed.
        #expect(hasRows == (bitDepth == 8))
    }

    @Test(
        "Large blank images that encoders write are opened",
        arguments: [ImageFormat.png, .jpeg, .gif, .webP, .tiff, .jpegXL, .qoi])
    func writtenBlankImages(format: ImageFormat) throws {
        guard CodecRegistry.builtIn.canEncode(format) else { return }
        let info = BitmapInfo(size: PixelSize(width: 4200, height: 4200), format: .rgba8, alpha: .none)
        let bytes = try ImageDestination(format: format, options: EncodingOptions(isLossless: true))
            .encode(MutableBitmap(info).freeze())
        let source = try ImageRowSource(Source(bytes))
        #expect(source.header.storedSize == info.size)
        var stripInfo = source.info
        stripInfo.size.height = 16
        var strip = try MutableBitmap(stripInfo)
        let count = try strip.withMutableRows(0..<16) { (rows) throws(ImageError) in try source.read(into: &rows) }
        #expect(count > 0)
    }

    private static func deflated(_ count: Int) throws -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: count)
        var length = compressBound(uLong(count))
        var result = [UInt8](repeating: 0, count: Int(length))
        try #require(compress2(&result, &length, zeros, uLong(count), 9) == Z_OK)
        return Array(result.prefix(Int(length)))
    }
}
