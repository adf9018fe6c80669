#if JPEGXL
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Gain maps in the box `jhgm`.
@Suite("JPEG XL: gain maps")
struct JPEGXLGainMapTests {
    private static func box(of file: [UInt8]) throws -> Range<Int> {
        let type = try GainMapFixture.offset(of: Array("jhgm".utf8), in: file)
        return (type + 4)..<file.count
    }

    /// A file with the contents of a box for the map of `GainMapFixture.image()`, changed.
    private static func file(_ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
        let image = try GainMapFixture.image()
        let file = try GainMapFixture.file(image, as: .jpegXL)
        var contents = Array(try file[box(of: file)])
        change(&contents)
        let base = try image.withGainMap(nil).data(as: .jpegXL, options: EncodingOptions(quality: 0.95))
        return JPEGXLFixture.boxed(base, after: [("jhgm", contents)])
    }

    @Test("A map that is written is read again", arguments: [true, false])
    func roundTrip(isGray: Bool) throws {
        let metadata = isGray ? GainMapFixture.gray : GainMapFixture.colored
        let image = try GainMapFixture.image(metadata, isGray: isGray)
        let file = try GainMapFixture.file(image, as: .jpegXL)
        let read = try #require(try Image(data: file).gainMap)
        #expect(read.metadata == metadata && read.alternateProfile == nil)
        let (stored, original) = (try read.image.bitmap(), try #require(image.gainMap).image)
        #expect(stored.format == (isGray ? .gray8 : .rgba8))
        let noise = try #require(stored.noise(against: try original.bitmap()))
        #expect(noise > (isGray ? 35 : 30), "\(noise) dB")
    }

    @Test("The base is the same to the bit as without the map, and so is its metadata", arguments: [true, false])
    func base(hasMetadata: Bool) throws {
        let image = try GainMapFixture.image()
        var options = EncodingOptions(quality: 0.8)
        // With metadata libjxl writes a container, without a bare codestream.
        if hasMetadata { options.metadata.xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8) }
        let file = try image.data(as: .jpegXL, options: options)
        let with = try ImageSource.decode(file)
        let without = try ImageSource.decode(image.withGainMap(nil).data(as: .jpegXL, options: options))
        #expect(with.error == nil && with.bitmap.tightBytes() == without.bitmap.tightBytes())
        #expect(with.header == without.header && with.header.metadata.xmp == options.metadata.xmp)
        #expect(try Image(data: file).gainMap?.metadata == GainMapFixture.gray)
    }

    @Test("libjxl's own program reads the base", .needs(DJXL.djxl))
    func djxl() throws {
        let image = try GainMapFixture.image()
        let file = try GainMapFixture.file(image, as: .jpegXL)
        let plain = try GainMapFixture.file(image.withGainMap(nil), as: .jpegXL)
        let samples = try #require(try DJXL.decode(plain)).map(\.samples)
        #expect(try #require(try DJXL.decode(file)).map(\.samples) == samples)
    }

    @Test("A map is upright like its base", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let image = try GainMapFixture.image()
        let upright = try Image(data: GainMapFixture.file(image, as: .jpegXL, orientation: orientation))
        let map = try #require(upright.gainMap).image
        let expected = try #require(image.gainMap).image.bitmap().oriented(by: orientation)
        #expect(map.size == expected.size)
        let noise = try #require(try map.bitmap().noise(against: expected))
        #expect(noise > 35, "\(noise) dB")
    }

    @Test(
        "The alternate rendition's primaries and curve",
        arguments: [(1, 16), (9, 16), (9, 18), (12, 16)] as [(UInt8, UInt8)])
    func alternate(primaries: UInt8, transfer: UInt8) throws {
        let image = try GainMapFixture.image(GainMapFixture.colored, isGray: false)
        var map = try #require(image.gainMap)
        map.metadata.usesBaseColorSpace = false
        let png = try ToneMapping.png(image.bitmap(), primaries: primaries, transfer: transfer)
        let profile = try ImageSource.header(of: png).profile
        for profile in [profile, .sRGB] {
            map.alternateProfile = profile
            let file = try GainMapFixture.file(image.withGainMap(map), as: .jpegXL)
            #expect(try Image(data: file).gainMap?.alternateProfile == profile)
        }
        // Adobe RGB has no code.
        map.alternateProfile = .icc(TestProfiles.wideRGB)
        #expect(errorCode { try GainMapFixture.file(image.withGainMap(map), as: .jpegXL) } == .unsupported)
        map.metadata.usesBaseColorSpace = true
        let file = try GainMapFixture.file(image.withGainMap(map), as: .jpegXL)
        #expect(try Image(data: file).gainMap?.alternateProfile == nil)
    }

    @Test("Colour spaces as libjxl writes them: gamma, custom primaries, another white point")
    func encodings() throws {
        // Bits from the lowest on: each value with its count.
        func bytes(_ values: [(Int, Int)]) -> [UInt8] {
            let bits = values.flatMap { value, count in (0..<count).map { value >> $0 & 1 } }
            return stride(from: 0, to: bits.count, by: 8).map { start in
                (start..<min(start + 8, bits.count)).reduce(0) { $0 | UInt8(bits[$1]) << UInt8($1 - start) }
            }
        }
        func point(_ x: Int, _ y: Int) -> [(Int, Int)] {
            [2 * x, 2 * y].flatMap { value -> [(Int, Int)] in
                if value < 524_288 { return [(0, 2), (value, 19)] }
                return value < 1_048_576 ? [(1, 2), (value - 524_288, 19)] : [(2, 2), (value - 1_048_576, 20)]
            }
        }
        let head: [(Int, Int)] = [(0, 1), (0, 1), (0, 2)]
        let custom: [(Int, Int)] = [(2, 2), (0, 4)]
        let adobe = point(640_000, 330_000) + point(210_000, 710_000) + point(150_000, 60_000)
        var cases: [(values: [(Int, Int)], hasProfile: Bool)] = []
        cases.append((head + [(1, 2)] + custom + adobe + [(1, 1), (4_545_455, 24), (1, 2)], true))
        let white = point(312_700, 329_000)
        cases.append((head + custom + white + [(1, 2), (0, 1), (2, 2), (11, 4), (1, 2)], true))
        // An ICC profile, grey, a code that doesn't exist, and an end in the middle.
        cases.append(([(0, 1), (1, 1), (0, 2)], false))
        cases.append(([(0, 1), (0, 1), (1, 2)], false))
        cases.append((head + [(1, 2), (3, 2), (60, 6)], false))
        cases.append((head + custom, false))
        for (index, (values, hasProfile)) in cases.enumerated() {
            let color = bytes(values)
            let file = try Self.file { contents in
                // After the version and 61 bytes of metadata with their length.
                let place = 3 + Int(contents[1]) << 8 + Int(contents[2])
                contents.replaceSubrange(place...place, with: [UInt8(color.count)] + color)
            }
            let map = try #require(try Image(data: file).gainMap, "\(index)")
            #expect((map.alternateProfile != nil) == hasProfile, "\(index)")
            if index == 1 { #expect(map.alternateProfile == .sRGB) }
        }
    }

    @Test("Boxes of long and of no length")
    func lengths() throws {
        let file = try GainMapFixture.file(GainMapFixture.image(), as: .jpegXL)
        let contents = try Self.box(of: file)
        let head = Array(file[..<(contents.lowerBound - 8)])
        let open = head + [0, 0, 0, 0] + Array("jhgm".utf8) + file[contents]
        #expect(try Image(data: open).gainMap?.metadata == GainMapFixture.gray)
        let count = (0..<8).map { UInt8(truncatingIfNeeded: (contents.count + 16) >> (56 - 8 * $0)) }
        let long = head + [0, 0, 0, 1] + Array("jhgm".utf8) + count + file[contents]
        #expect(try Image(data: long).gainMap?.metadata == GainMapFixture.gray)
        // A container whose last box, the codestream, has no length.
        let base = try GainMapFixture.image().withGainMap(nil).data(as: .jpegXL)
        #expect(try Image(data: base).gainMap == nil)
    }

    @Test("Boxes that are wrong leave the base alone")
    func damaged() throws {
        func expect(_ code: ImageError.Code, _ change: (inout [UInt8]) -> Void) throws {
            let file = try Self.file(change)
            let error = try GainMapFixture.error(in: file)
            #expect(error?.code == code)
            // A limit has no place in the file.
            let offset = error?.byteOffset ?? (code == .limitExceeded ? file.count : 0)
            #expect(offset > 40 && offset <= file.count)
            #expect(try Image(data: file).gainMap == nil)
            #expect(try ImageSource.decode(file).error == nil)
        }
        let place = 3 + GainMapFixture.gray.iso21496.count
        try expect(.unsupported) { $0[0] = 1 }
        try expect(.unsupported) { $0[4] = 1 }
        try expect(.truncated) { $0[1] = 0xFF }
        try expect(.truncated) { $0 = [] }
        try expect(.truncated) { $0 = Array($0[..<place]) }
        try expect(.truncated) {
            $0[place] = 0xFF; $0.removeSubrange((place + 100)...)
        }
        try expect(.truncated) { $0.replaceSubrange((place + 1)..<(place + 5), with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        try expect(.corrupt) { $0 = Array($0[..<(place + 5)]) }
        try expect(.corrupt) { $0[place + 5] = 0 }
        // A denominator of 0, and a file within the box.
        try expect(.corrupt) { $0.replaceSubrange(12..<16, with: [0, 0, 0, 0]) }
        let whole = try GainMapFixture.file(GainMapFixture.image(), as: .jpegXL)
        try expect(.corrupt) { $0 = $0[..<(place + 5)] + whole }
        try expect(.limitExceeded) { $0 = $0[..<(place + 5)] + JPEGXLFixture.enormousHeader }
    }

    @Test("A box that ends beyond the file is truncated; the base is read")
    func truncated() throws {
        let file = try GainMapFixture.file(GainMapFixture.image(), as: .jpegXL)
        for count in [1, 50, 100] {
            let cut = Array(file.dropLast(count))
            #expect(try GainMapFixture.error(in: cut)?.code == .truncated)
            #expect(try Image(data: cut).gainMap == nil)
        }
    }

    @Test("Every byte of the box's head may be anything")
    func anyByte() throws {
        let file = try GainMapFixture.file(GainMapFixture.image(), as: .jpegXL)
        let start = try Self.box(of: file).lowerBound - 8
        for offset in start..<(start + 100) {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var damaged = file
                damaged[offset] = value
                guard let map = try? Image(data: damaged).gainMap else { continue }
                #expect(map.metadata.red.gamma > 0 && map.metadata.red.maximum.isFinite && !map.image.size.isEmpty)
            }
        }
    }
}
#endif
