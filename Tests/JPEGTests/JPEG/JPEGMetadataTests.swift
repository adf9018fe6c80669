import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("JPEG metadata")
struct JPEGMetadataTests {
    /// What a JPEG written with `metadata` says when it is read.
    static func roundTrip(_ metadata: ImageMetadata, profile: ColorProfile = .sRGB) throws -> ImageHeader {
        let output = ByteBuffer()
        let bitmap = try Bitmap.grainy(PixelSize(width: 9, height: 7), profile: profile)
        try JPEGCodec().encode(bitmap, options: EncodingOptions(metadata: metadata), output: output)
        let session = DecoderSession(JPEGCodec(), output.bytes)
        #expect(session.isComplete)
        return try #require(session.header)
    }

    /// A block of one directory at byte 8 with these entries, in the byte order given.
    static func exif(_ entries: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])], big: Bool = true)
        -> [UInt8]
    {
        func number(_ value: UInt32, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
            return big ? bytes.reversed() : bytes
        }
        var block: [UInt8] = (big ? [0x4D, 0x4D] : [0x49, 0x49]) + number(42, 2) + number(8, 4)
        block += number(UInt32(entries.count), 2)
        for entry in entries {
            block += number(UInt32(entry.tag), 2) + number(UInt32(entry.type), 2) + number(entry.count, 4) + entry.value
        }
        return block + [0, 0, 0, 0]
    }

    @Test("Orientation is read in both byte orders", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let value = orientation.rawValue
        let blocks = [
            Self.exif([(0x0112, 3, 1, [0, value, 0, 0])]),
            Self.exif([(0x010F, 2, 4, [65, 66, 67, 0]), (0x0112, 3, 1, [value, 0, 0, 0])], big: false),
            Self.exif([(0x0112, 4, 1, [0, 0, 0, value])]),
        ]
        for block in blocks {
            // Carried as given, since the metadata says the same.
            let header = try Self.roundTrip(ImageMetadata(orientation: orientation, exif: block))
            #expect(header.metadata.orientation == orientation)
            #expect(header.metadata.exif?.count == block.count)
        }
    }

    @Test(
        "An invalid orientation is taken for upright",
        arguments: [
            exif([(0x0112, 3, 1, [0, 0, 0, 0])]), exif([(0x0112, 3, 1, [0, 9, 0, 0])]),
            exif([(0x0112, 3, 1, [1, 6, 0, 0])]), exif([(0x0112, 3, 0, [0, 6, 0, 0])]),
            exif([(0x0112, 5, 1, [0, 6, 0, 0])]), exif([(0x0112, 3, 9, [0, 6, 0, 0])]), exif([]),
        ])
    func noOrientation(block: [UInt8]) throws {
        // Behind another block's reader, bytes reach the file as they are; the first of two EXIF segments counts.
        let file = try JPEGFixture.inserting(block, into: JPEGFixture.file(JPEGFixture.Kind()))
        #expect(DecoderSession(JPEGCodec(), file).header?.metadata.orientation == .up)
    }

    @Test(
        "Blocks with false offsets are harmless",
        arguments: [
            [], [0x4D], [0x4D, 0x4D, 0, 42], [0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF], [0x4D, 0x4D, 0, 42, 0, 0, 0, 0, 0, 0],
            [0x49, 0x49, 42, 0, 0xF0, 0xFF, 0xFF, 0x7F], [0, 0, 0, 42, 0, 0, 0, 8, 0, 0],
            exif([(0x011A, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF]), (0x011B, 5, 1, [0xFF, 0xFF, 0xFF, 0xF8])]),
        ] as [[UInt8]])
    func hostile(block: [UInt8]) throws {
        let file = try JPEGFixture.inserting(block, into: JPEGFixture.file(JPEGFixture.Kind()))
        let header = try #require(DecoderSession(JPEGCodec(), file).header)
        #expect(header.metadata.orientation == .up)
        #expect(header.metadata.resolution == nil)
        #expect(header.metadata.exif == (block.isEmpty ? nil : block))
        // An orientation to be written replaces a block that can't be read.
        #expect(try Self.roundTrip(ImageMetadata(orientation: .left, exif: block)).metadata.orientation == .left)
    }

    @Test("The written orientation is the metadata's, whatever the block has", arguments: Orientation.allCases)
    func writtenOrientation(orientation: Orientation) throws {
        let make: (tag: UInt16, type: UInt16, count: UInt32, value: [UInt8]) = (0x010F, 2, 4, [65, 66, 67, 0])
        let date: (tag: UInt16, type: UInt16, count: UInt32, value: [UInt8]) = (0x0132, 2, 4, [68, 69, 70, 0])
        for block in [
            nil, Self.exif([(0x0112, 3, 1, [0, 3, 0, 0])]),
            Self.exif([make, (0x0112, 3, 1, [5, 0, 0, 0])], big: false),
            Self.exif([make, date]), Self.exif([make, date], big: false), Self.exif([date]),
        ] {
            let header = try Self.roundTrip(ImageMetadata(orientation: orientation, exif: block))
            #expect(header.metadata.orientation == orientation)
            if let block { #expect(header.metadata.exif!.count >= block.count) }
        }
    }

    @Test("EXIF, XMP, a profile and the resolution are written")
    func carried() throws {
        var profile = [UInt8](repeating: 7, count: 150_000)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let metadata = ImageMetadata(
            exif: Self.exif([(0x010F, 2, 4, [65, 66, 67, 0])]), xmp: Array("<x:xmpmeta/>".utf8),
            resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 150))
        let header = try Self.roundTrip(metadata, profile: .icc(profile))
        #expect(header.metadata == metadata)
        #expect(header.profile == .icc(profile))
    }

    @Test("The resolution comes from EXIF if JFIF has none")
    func resolution() throws {
        let fractions: [UInt8] = [0, 0, 0, 144, 0, 0, 0, 2, 0, 0, 1, 44, 0, 0, 0, 3]
        func block(unit: UInt8) -> [UInt8] {
            let directory = Self.exif([
                (0x011A, 5, 1, [0, 0, 0, 50]), (0x011B, 5, 1, [0, 0, 0, 58]), (0x0128, 3, 1, [0, unit, 0, 0]),
            ])
            return directory + fractions
        }
        let file = JPEGFixture.file(JPEGFixture.Kind())
        func read(_ unit: UInt8) throws -> ImageMetadata.Resolution? {
            DecoderSession(JPEGCodec(), try JPEGFixture.inserting(block(unit: unit), into: file)).header?.metadata
                .resolution
        }
        #expect(try read(2) == ImageMetadata.Resolution(horizontal: 72, vertical: 100))
        #expect(try read(3) == ImageMetadata.Resolution(horizontal: 72 * 2.54, vertical: 254))
        #expect(try read(1) == nil)
    }

    @Test("Profiles whose pieces don't fit are ignored")
    func brokenProfiles() throws {
        var profile = [UInt8](repeating: 1, count: 200)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let (first, second) = (Array(profile[..<120]), Array(profile[120...]))
        let cases: [([[UInt8]], Bool)] = [
            ([[1, 2] + first, [2, 2] + second], true), ([[2, 2] + second, [1, 2] + first], true),
            ([[1, 1] + profile], true), ([[1, 2] + first], false), ([[1, 1] + first, [1, 1] + second], false),
            ([[0, 1] + profile], false), ([[2, 1] + profile], false), ([[1, 2] + first, [2, 3] + second], false),
            ([[1, 1] + first], false), ([[]], false),
        ]
        let file = JPEGFixture.file(JPEGFixture.Kind())
        let gray = JPEGFixture.file(JPEGFixture.Kind(pixels: 1))
        for (pieces, fits) in cases {
            func inserted(_ file: [UInt8]) -> [UInt8] {
                pieces.reversed().reduce(file) {
                    JPEGFixture.inserting(segment: 0xE2, Array("ICC_PROFILE\0".utf8) + $1, into: $0)
                }
            }
            #expect(
                DecoderSession(JPEGCodec(), inserted(file)).header?.profile == (fits ? .icc(profile) : .sRGB),
                "\(pieces.map(\.count))")
            #expect(
                DecoderSession(JPEGCodec(), inserted(gray)).header?.profile == .sRGB,
                "an RGB profile says nothing of grey")
        }
    }
}

extension JPEGFixture {
    /// `file` with an EXIF segment of `block` right after the start-of-image marker.
    static func inserting(_ block: [UInt8], into file: [UInt8]) throws -> [UInt8] {
        inserting(segment: 0xE1, Array("Exif\0\0".utf8) + block, into: file)
    }

    /// `file` with a segment right after the start-of-image marker.
    static func inserting(segment marker: UInt8, _ bytes: [UInt8], into file: [UInt8]) -> [UInt8] {
        let count = bytes.count + 2
        return [0xFF, 0xD8, 0xFF, marker, UInt8(count >> 8), UInt8(count & 255)] + bytes + file.dropFirst(2)
    }
}
