import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("The registry of codecs")
struct CodecRegistryTests {
    /// Claims what begins with certain bytes.
    private struct ClaimingCodec: ImageCodec {
        var format: ImageFormat
        var signature: [UInt8]
        var canDecode = true
        var capabilities: ImageCapabilities { canDecode ? .decode : [] }

        func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
            switch probe.starts(with: signature) {
            case true: .match(format)
            case nil: .needMoreData(minimum: signature.count)
            default: .unknown
            }
        }

        func makeDecoder(
            for probe: borrowing FormatProbe, options: DecodingOptions
        ) throws(ImageError) -> sending any IncrementalDecoder {
            throw ImageError(.unsupported, "only claims")
        }
    }

    private func identify(_ bytes: [UInt8], whole: Bool, in registry: CodecRegistry) -> FormatMatch {
        let span = bytes.span.bytes
        return registry.identify(whole ? FormatProbe(whole: span) : FormatProbe(streamPrefix: span))
    }

    @Test("A new codec replaces the one for its format")
    func aNewCodecReplacesTheOneForItsFormat() throws {
        let bitmap = try Bitmap.pattern(4, 3)
        var registry = CodecRegistry.builtIn
        registry.register(RowsCodec(format: .png))
        #expect(registry.decodableFormats.filter { $0 == .png }.count == 1)
        let bytes = try ImageDestination(format: .png, registry: registry).encode(bitmap)
        #expect(bytes.starts(with: Array("ROWS".utf8)))
        #expect(try ImageSource.decode(bytes, registry: registry).bitmap.tightBytes() == bitmap.tightBytes())
        // The registry is a value: nobody else noticed.
        let builtIn = try ImageDestination(format: .png, registry: .builtIn).encode(bitmap)
        #expect(builtIn.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(errorCode { try ImageSource.decode(builtIn, registry: registry) } == .unknownFormat)
    }

    @Test("A custom format is found by each of its names")
    func aFormatOfOnesOwnIsFoundByEveryName() {
        var registry = CodecRegistry.builtIn
        #expect(registry.format(forFilenameExtension: "rows") == nil)
        registry.register(RowsCodec())
        #expect(registry.format(forFilenameExtension: "rows") == .rows)
        #expect(registry.format(forFilenameExtension: ".ROWS") == .rows)
        #expect(registry.format(forMIMEType: "Image/X-Rows; charset=none") == .rows)
        #expect(registry.format(forTypeIdentifier: "test.rows") == .rows)
        #expect(registry.canDecode(.rows) && registry.canEncode(.rows))
        registry.unregister(.rows)
        #expect(registry.codec(for: .rows) == nil)
        #expect(!registry.canDecode(.rows) && !registry.canEncode(.rows))
        #expect(registry.format(forMIMEType: "image/x-rows") == nil)
    }

    @Test("Built-in names are known")
    func builtInNamesAreKnown() {
        let registry = CodecRegistry.builtIn
        for (name, format) in [("jpg", ImageFormat.jpeg), ("JPEG", .jpeg), ("png", .png), ("jpng", .jpng)] {
            #expect(registry.format(forFilenameExtension: name) == format)
        }
        #expect(registry.format(forMIMEType: "image/jpg") == .jpeg)
        #expect(registry.format(forMIMEType: "image/x-jpng") == .jpng)
        for name in ["", ".", "jp", "tar.gz"] { #expect(registry.format(forFilenameExtension: name) == nil) }
        #expect(registry.format(forMIMEType: "") == nil)
    }

    @Test("The newest codec is asked first")
    func theNewestCodecIsAskedFirst() {
        let (short, long) = (ImageFormat.png, ImageFormat.rows)
        let registry = CodecRegistry([
            ClaimingCodec(format: long, signature: [1, 2, 3]), ClaimingCodec(format: short, signature: [1]),
        ])
        #expect(identify([1, 2, 3], whole: false, in: registry) == .match(long))
        // It may yet be the first one's.
        #expect(identify([1, 2], whole: false, in: registry) == .needMoreData(minimum: 3))
        // No longer when that is all there is.
        #expect(identify([1, 2], whole: true, in: registry) == .match(short))
        #expect(identify([1, 3], whole: false, in: registry) == .match(short))
        #expect(identify([2], whole: false, in: registry) == .unknown)
        #expect(identify([], whole: true, in: registry) == .unknown)
    }

    @Test("A codec that only writes isn't asked to read")
    func aCodecThatOnlyWritesIsNotAsked() {
        let registry = CodecRegistry([ClaimingCodec(format: .rows, signature: [1], canDecode: false)])
        #expect(identify([1], whole: true, in: registry) == .unknown)
        #expect(registry.decodableFormats.isEmpty)
    }

    @Test("Formats are equal by their identifier")
    func formatsAreEqualByIdentifier() {
        let other = ImageFormat(
            typeIdentifier: "test.rows", name: "Other", mimeTypes: ["a/b"], filenameExtensions: ["c"])
        #expect(other == .rows && other.hashValue == ImageFormat.rows.hashValue)
        #expect(other.mimeType == "a/b" && other.filenameExtension == "c" && "\(other)" == "Other")
        #expect(ImageFormat.png != .jpeg)
    }

    @Test("A probe distinguishes too few bytes from another format")
    func aProbeTellsTooLittleFromOther() {
        let bytes: [UInt8] = [1, 2]
        let stream = FormatProbe(streamPrefix: bytes.span.bytes)
        #expect(stream.starts(with: [1, 2]) == true)
        #expect(stream.starts(with: [1, 2, 3]) == nil)
        #expect(stream.starts(with: [1, 3, 3]) == false)
        #expect(FormatProbe(whole: bytes.span.bytes).starts(with: [1, 2, 3]) == false)
        let beginning = FormatProbe(prefix: bytes.span.bytes, suffix: bytes.span.bytes, totalByteCount: 9)
        #expect(beginning.starts(with: [1, 2, 3]) == nil && !beginning.isWhole)
    }
}
