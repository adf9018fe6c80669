import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Writing images")
struct ImageDestinationTests {
    /// Encodes with a codec that takes what `encodable` says, and reads back what was written, as stored.
    private func roundTrip(
        _ bitmap: Bitmap, options: EncodingOptions = EncodingOptions(), streamed: Bool,
        _ encodable: @escaping @Sendable (BitmapInfo) -> BitmapInfo = { $0 }
    ) throws -> Bitmap {
        let destination = try ImageDestination(
            format: .rows, options: options, registry: CodecRegistry([RowsCodec(encodable: encodable)]))
        let buffer = ByteBuffer()
        if streamed {
            try destination.encode(bitmap.makeRowSource(), to: buffer)
        } else {
            try destination.encode(bitmap, to: buffer)
            #expect(try destination.encode(bitmap) == buffer.bytes)
        }
        let decoded = try ImageSource.decode(
            buffer.bytes, options: DecodingOptions(color: .asStored, maximumBitsPerChannel: 16), registry: .rows)
        #expect(decoded.error == nil)
        return decoded.bitmap
    }

    private static func changed(_ body: @escaping @Sendable (inout BitmapInfo) -> Void)
        -> @Sendable (BitmapInfo) -> BitmapInfo
    {
        { info in
            var info = info
            body(&info)
            return info
        }
    }

    @Test("Pixels that the codec accepts are passed on unchanged", arguments: PixelFormat.allCases, [true, false])
    func whatTheCodecTakesIsPassedOn(_ format: PixelFormat, streamed: Bool) throws {
        let bitmap = try Bitmap.pattern(37, 300, format, profile: .icc(TestProfiles.wideRGB))
        let result = try roundTrip(bitmap, streamed: streamed)
        #expect(result.info == bitmap.info)
        #expect(result.tightBytes() == bitmap.tightBytes())
    }

    @Test("Depth, grey and alpha are converted to what the codec accepts", arguments: [true, false])
    func depthGrayAndAlphaBecomeWhatTheCodecTakes(streamed: Bool) throws {
        let bitmap = try Bitmap.pattern(13, 9, .rgba16, alpha: .premultiplied)
        for format in PixelFormat.allCases {
            for alpha in [AlphaMode.none, .straight] {
                let background = RGBA8(10, 200, 30)
                let result = try roundTrip(
                    bitmap, options: EncodingOptions(background: background), streamed: streamed,
                    Self.changed { $0 = BitmapInfo(size: $0.size, format: format, alpha: alpha, profile: $0.profile) })
                let expected = try bitmap.converted(to: format, alpha: alpha, background: background)
                #expect(result.info == expected.info)
                #expect(result.tightBytes() == expected.tightBytes())
            }
        }
    }

    @Test("A profile that the codec can't store is converted", arguments: [true, false])
    func aProfileThatTheCodecCantCarryIsConverted(streamed: Bool) throws {
        let sRGB = Self.changed { $0.profile = .sRGB }
        let bitmap = try Bitmap.pattern(13, 9, .rgba8, profile: .icc(TestProfiles.wideRGB))
        let result = try roundTrip(bitmap, streamed: streamed, sRGB)
        #expect(result.profile == .sRGB)
        #expect(result.tightBytes() == (try inSRGB(bitmap)).tightBytes())
        #expect(result.tightBytes() != bitmap.tightBytes())

        // Premultiplied colours are made straight before.
        let multiplied = try bitmap.converted(alpha: .premultiplied)
        let straight = try roundTrip(
            multiplied, streamed: streamed,
            Self.changed { $0 = BitmapInfo(size: $0.size, format: .rgba8, alpha: .straight) })
        #expect(straight.tightBytes() == (try inSRGB(multiplied.converted(alpha: .straight))).tightBytes())
    }

    private func inSRGB(_ bitmap: Bitmap) throws -> Bitmap {
        try ImageSource.decode(RowsHead(bitmap.info).file([bitmap]), registry: .rows).bitmap
    }

    @Test("A background is blended in the right colour space")
    func aBackgroundIsLaidUnderInTheRightColors() throws {
        let bitmap = try Bitmap.pattern(5, 4, .rgba8, profile: .icc(TestProfiles.wideRGB))
        let opaque = Self.changed {
            $0 = BitmapInfo(size: $0.size, format: $0.format, alpha: .none, profile: $0.profile)
        }
        // White is white in any profile, so the picture keeps its own.
        #expect(try roundTrip(bitmap, streamed: true, opaque).profile == bitmap.profile)
        let green = EncodingOptions(background: RGBA8(0, 255, 0))
        let result = try roundTrip(bitmap, options: green, streamed: true, opaque)
        #expect(result.profile == .sRGB)
        let expected = try inSRGB(bitmap).converted(alpha: AlphaMode.none, background: green.background)
        #expect(result.tightBytes() == expected.tightBytes())
    }

    @Test("A grey profile isn't written as a colour profile")
    func aGrayProfileDoesNotBecomeAColorProfile() throws {
        let bitmap = try Bitmap.pattern(5, 4, .gray8, profile: .icc(TestProfiles.linearGray))
        let result = try roundTrip(
            bitmap, streamed: true,
            Self.changed { $0 = BitmapInfo(size: $0.size, format: .rgba8, profile: $0.profile) })
        #expect(result.info == BitmapInfo(size: bitmap.size, format: .rgba8))
        #expect(result.tightBytes() == (try inSRGB(bitmap).converted(to: .rgba8)).tightBytes())
    }

    @Test("A format that can't be written is refused")
    func aFormatThatCantBeWrittenIsRefused() {
        for registry in [CodecRegistry(), CodecRegistry([RowsCodec(canEncode: false)])] {
            let error = #expect(throws: ImageError.self) { try ImageDestination(format: .rows, registry: registry) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test("A codec that needs another size or profile is refused")
    func aCodecThatWantsAnotherPictureIsRefused() throws {
        let bitmap = try Bitmap.pattern(4, 4)
        for change in [
            Self.changed { $0.size.width += 1 }, Self.changed { $0.profile = .icc([1, 2, 3]) },
        ] {
            let error = #expect(throws: ImageError.self) { try roundTrip(bitmap, streamed: true, change) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test("Errors of the source and the output are passed on")
    func errorsOfSourceAndOutputArePassedOn() throws {
        let destination = try ImageDestination(format: .rows, registry: .rows)
        var head = RowsHead(try Bitmap.pattern(4, 4).info)
        head.failingRow = 2
        let rows = try ImageRowSource(Source(head.file([Bitmap.pattern(4, 4)])), registry: .rows)
        let error = #expect(throws: ImageError.self) { try destination.encode(rows, to: ByteBuffer()) }
        #expect(error?.message == "row 2 is bad")
        let full = #expect(throws: ImageError.self) {
            try destination.encode(Bitmap.pattern(300, 300), to: AtomicFile(path: "/dev/full"))
        }
        #expect(full?.code == .inputOutput)
    }

    @Test("The built-in formats accept every pixel format", arguments: [ImageFormat.png, .jpeg])
    func theBuiltInFormatsTakeEveryKindOfPixel(_ format: ImageFormat) throws {
        for pixels in PixelFormat.allCases {
            for alpha in [AlphaMode.none, .straight, .premultiplied] where alpha == .none || !pixels.isGray {
                for profile in [
                    ColorProfile.sRGB, .icc(pixels.isGray ? TestProfiles.linearGray : TestProfiles.wideRGB),
                ] {
                    let bitmap = try Bitmap.pattern(9, 7, pixels, alpha: alpha, profile: profile)
                    let bytes = try ImageDestination(format: format).encode(bitmap)
                    let decoded = try ImageSource.decode(bytes, options: DecodingOptions(maximumBitsPerChannel: 16))
                    #expect(decoded.error == nil)
                    #expect(decoded.bitmap.size == bitmap.size)
                    #expect(decoded.header.format == format)
                }
            }
        }
    }
}
