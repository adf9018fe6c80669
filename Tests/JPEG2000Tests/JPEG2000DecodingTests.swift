#if JPEG2000
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("JPEG 2000: decoding", .needs(OpenJPEG.compress, OpenJPEG.decompress))
struct JPEG2000DecodingTests {
    private static let size = PixelSize(width: 333, height: 217)

    /// The values of `file` as it stores them, of each pixel's colours.
    private func stored(
        _ file: [UInt8], plan: DecodingPlan = .full, bits: Int = 16
    ) throws -> Bitmap {
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: bits)
        let decoded = try ImageSource.decode(file, plan: plan, options: options)
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }

    /// What the components are at the bitmap's depth, in its order: grey, or red, green, blue and 255 or 65535.
    private func expected(_ components: [OpenJPEG.Component], _ bitmap: Bitmap) -> [UInt16] {
        let white = bitmap.format.bitsPerChannel == 16 ? 65535 : 255
        func scaled(_ component: OpenJPEG.Component, _ index: Int) -> UInt16 {
            let most = 1 << component.bits - 1
            let value = component.samples[index] + (component.isSigned ? 1 << (component.bits - 1) : 0)
            return UInt16((value * white + most / 2) / most)
        }
        return (0..<bitmap.size.pixelCount).flatMap { index -> [UInt16] in
            let values = components.map { scaled($0, index) }
            return values.count == 3 ? values + [UInt16(white)] : values
        }
    }

    private static let grainy = (0..<3).map { OpenJPEG.Component.grainy(size, seed: $0) }

    @Test(
        "Lossless files have the pixels that they were made of",
        arguments: [
            [], ["-n", "1"], ["-t", "64,64"], ["-t", "100,70"], ["-t", "100,70", "-n", "3"],
            ["-d", "13,7", "-t", "64,64"], ["-d", "100,51", "-T", "90,50", "-t", "60,77"], ["-p", "RPCL", "-TP", "R"],
            ["-t", "128,128", "-TP", "L", "-r", "20,4,1"], ["-t", "128,128", "-TLM", "-PLT", "-SOP", "-EPH"],
            ["-c", "[64,64],[32,32]", "-b", "16,16", "-p", "PCRL"], ["-M", "63", "-b", "32,8"], ["-mct", "0"],
        ] as [[String]])
    func lossless(_ arguments: [String]) throws {
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: arguments))
        let bitmap = try stored(file)
        #expect(bitmap.size == Self.size && bitmap.format == .rgba8)
        #expect(bitmap.storedSamples == expected(Self.grainy, bitmap))
        let header = try ImageSource.header(of: Source(file))
        #expect(header.format == .jpeg2000Codestream && header.storedSize == Self.size && header.colorModel == .rgb)
    }

    @Test(
        "Every depth, with and without sign, covers the full range", arguments: [1, 2, 4, 7, 8, 9, 12, 16],
        [false, true])
    func depths(_ bits: Int, _ isSigned: Bool) throws {
        let component = OpenJPEG.Component.grainy(PixelSize(width: 40, height: 36), bits: bits, isSigned: isSigned)
        let file = try #require(try OpenJPEG.codestream([component]))
        for most in [8, 16] {
            let bitmap = try stored(file, bits: most)
            #expect(bitmap.format == (bits > 8 && most == 16 ? .gray16 : .gray8))
            let exact = expected([component], bitmap)
            // 16 bits become 8 after decoding.
            #expect(bitmap.storedSamples == exact, "\(bits) bits")
        }
        #expect(try ImageSource.header(of: Source(file)).bitsPerChannel == bits)
    }

    @Test(
        "Lossy files have the samples of opj_decompress",
        arguments: [
            ["-I", "-r", "20"], ["-I", "-q", "30,40", "-t", "97,80"], ["-r", "30,10"], ["-I", "-n", "2", "-r", "8"],
        ] as [[String]])
    func lossy(_ arguments: [String]) throws {
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: arguments))
        let components = try #require(try OpenJPEG.components(file))
        let bitmap = try stored(file)
        #expect(bitmap.storedSamples == expected(components, bitmap))
    }

    @Test(
        "A reduced size has the samples of opj_decompress at that resolution", arguments: [1, 2, 3, 5],
        [[], ["-t", "64,64"], ["-d", "13,7", "-t", "100,70"], ["-I", "-r", "10", "-t", "128,96"]] as [[String]]
            + packings)
    func reduced(_ halvings: Int, _ arguments: [String]) throws {
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: arguments))
        let components = try #require(try OpenJPEG.components(file, arguments: ["-r", "\(halvings)"]))
        let size = components[0].size
        // Half of what is wanted, so that a decoder delivers that or more.
        let plan = DecodingPlan(targetSize: PixelSize(width: size.width / 2, height: size.height / 2))
        let rows = try ImageRowSource(Source(file), plan: plan, options: DecodingOptions(color: .asStored))
        let bitmap = try rows.makeBitmap()
        #expect(bitmap.size == size)
        #expect(bitmap.storedSamples == expected(components, bitmap))
    }

    /// Ways to lay out packets and to code their blocks.
    private static let packings: [[String]] = [
        ["-p", "RPCL"], ["-p", "RLCP"], ["-p", "RPCL", "-t", "100,70"],
        ["-p", "RPCL", "-c", "[64,64],[32,32]", "-b", "16,16"],
        ["-p", "RLCP", "-c", "[64,64],[32,32]", "-b", "16,16", "-r", "20,4,1"], ["-p", "RPCL", "-r", "20,4,1"],
        ["-p", "RPCL", "-TP", "R"], ["-p", "RLCP", "-TP", "R", "-t", "128,128", "-SOP", "-EPH"],
        ["-p", "RPCL", "-SOP", "-PLT", "-TLM"], ["-p", "RPCL", "-M", "1", "-I", "-r", "3"], ["-p", "RPCL", "-M", "4"],
        ["-p", "RPCL", "-M", "63", "-b", "32,8"], ["-p", "RPCL", "-M", "5"],
        ["-p", "RPCL", "-d", "100,51", "-T", "90,50", "-t", "60,77", "-c", "[64,32],[32,32]", "-b", "16,16"],
    ]

    @Test("Data that a reduced size doesn't need may be damaged", arguments: ["RPCL", "RLCP"], ["", "128,128"])
    func unneededDamage(_ progression: String, _ tile: String) throws {
        var arguments = ["-p", progression, "-r", "2"]
        if !tile.isEmpty { arguments += ["-t", tile] }
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: arguments))
        let size = PixelSize(width: Self.size.width / 8, height: Self.size.height / 8)
        let plan = DecodingPlan(targetSize: size)
        let expected = try ImageSource.decode(file, plan: plan).bitmap
        // Half of a file or more is the largest resolution's.
        var damaged = file
        let first = tile.isEmpty ? file.count / 2 : file.count - 1000
        for index in first..<file.count - 2 { damaged[index] = 0x5A }
        let (whole, intact) = (try? ImageSource.decode(damaged), try ImageSource.decode(file).bitmap)
        #expect(whole?.error != nil || whole?.bitmap.tightBytes() != intact.tightBytes())
        #expect(try ImageSource.decode(damaged, plan: plan).bitmap.tightBytes() == expected.tightBytes())
    }

    @Test(
        "A region has the pixels of the whole image",
        arguments: [[], ["-t", "64,64"], ["-I", "-r", "10"], ["-I", "-r", "10", "-t", "100,100"]] as [[String]])
    func regions(_ arguments: [String]) throws {
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: arguments))
        let whole = try stored(file)
        for region in [
            PixelRect(x: 0, y: 0, width: 1, height: 1), PixelRect(x: 60, y: 60, width: 9, height: 70),
            PixelRect(x: 300, y: 200, width: 33, height: 17), PixelRect(x: 0, y: 100, width: 333, height: 1),
        ] {
            let part = try stored(file, plan: DecodingPlan(region: region))
            #expect(part.tightBytes() == (try whole.cropped(to: region).tightBytes()), "\(region)")
        }
        // At half the size, where its edges are between pixels.
        let half = try ImageRowSource(
            Source(file), plan: DecodingPlan(targetSize: PixelSize(width: 83, height: 54)),
            options: DecodingOptions(color: .asStored)
        ).makeBitmap()
        let region = PixelRect(x: 64, y: 32, width: 100, height: 60)
        let part = try ImageRowSource(
            Source(file), plan: DecodingPlan(region: region, targetSize: PixelSize(width: 25, height: 15)),
            options: DecodingOptions(color: .asStored)
        ).makeBitmap()
        #expect(half.size == PixelSize(width: 167, height: 109))
        #expect(
            part.tightBytes() == (try half.cropped(to: PixelRect(x: 32, y: 16, width: 50, height: 30)).tightBytes()))
    }

    @Test("A file is read in place, with the pixels of its bytes in memory")
    func inPlace() throws {
        let folder = try TemporaryFolder()
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: ["-t", "64,64"], type: "jp2"))
        let path = try folder.write(file, to: "image.jp2")
        let placed = try ImageRowSource(Source(path: path)).makeBitmap()
        #expect(placed.tightBytes() == (try ImageSource.decode(file).bitmap.tightBytes()))
        #expect(placed.size == Self.size)
    }

    @Test("A tile beyond half of the memory is decoded in bands, with the same pixels")
    func bands() throws {
        let file = try #require(try OpenJPEG.codestream(Self.grainy, arguments: ["-I", "-r", "10"]))
        var options = DecodingOptions(color: .asStored)
        let whole = try ImageSource.decode(file, options: options).bitmap
        // Three components of 72,261 samples take 1 MB in one piece.
        options.limits.maximumWorkingByteCount = 1_600_000
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        #expect(decoded.bitmap.tightBytes() == whole.tightBytes())
        options.limits.maximumWorkingByteCount = 100_000
        #expect(errorCode { try ImageSource.decode(file, options: options) } == .limitExceeded)
    }

    @Test(
        "Subsampled components are repeated", arguments: ["1x1:2x2:2x2", "1x1:2x1:2x1"],
        [[], ["-t", "64,48"]] as [[String]])
    func subsampled(_ sampling: String, _ arguments: [String]) throws {
        let size = PixelSize(width: 100, height: 60)
        let isQuarter = sampling.hasSuffix("2x2")
        let small = PixelSize(width: 50, height: isQuarter ? 30 : 60)
        let components = [
            OpenJPEG.Component.grainy(size), .grainy(small, seed: 1), .grainy(small, seed: 2),
        ]
        let stream = try #require(
            try OpenJPEG.codestream(components, sampling: sampling, arguments: arguments + ["-mct", "0"]))
        let bitmap = try stored(Boxes.file(stream, Boxes.color(16)))
        #expect(bitmap.size == size)
        // Without a colour space they are YCbCr.
        #expect(try stored(stream).pixels == stored(Boxes.file(stream, Boxes.color(18))).pixels)
        let pixels = bitmap.pixels
        for y in 0..<size.height {
            for x in 0..<size.width {
                let place = (isQuarter ? y / 2 : y) * small.width + x / 2
                let pixel = RGBA8(
                    UInt8(components[0].samples[y * size.width + x]), UInt8(components[1].samples[place]),
                    UInt8(components[2].samples[place]))
                guard pixels[y * size.width + x] != pixel else { continue }
                Issue.record("(\(x), \(y)) is \(pixels[y * size.width + x]), not \(pixel)")
                return
            }
        }
    }

    @Test("Pillow shows the same", .needsPillow, arguments: [1, 2, 3, 4])
    func pillow(_ count: Int) throws {
        let components = (0..<count).map { OpenJPEG.Component.grainy(Self.size, seed: $0) }
        let file = try #require(try OpenJPEG.codestream(components, arguments: ["-I", "-r", "8", "-mct", "0"]))
        let picture = try #require(try Pillow.page(of: file, as: "RGBA"))
        let bitmap = try ImageSource.decode(file).bitmap.converted(to: .rgba8)
        #expect(bitmap.tightBytes() == picture.samples)
    }
}
#endif
