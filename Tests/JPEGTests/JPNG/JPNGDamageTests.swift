import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import Testing

@Suite("JPNG: damaged and hostile files")
struct JPNGDamageTests {
    typealias Fixture = JPNGFixture

    private static func file() throws -> [UInt8] { try Fixture.encode(Fixture.cutout(56, 40)) }

    private static func put(_ value: UInt32, at offsetFromEnd: Int, in file: inout [UInt8]) {
        for byte in 0..<4 { file[file.count - offsetFromEnd + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    /// A damaged footer, by the bytes from the end that change.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: ImageError.Code
        let change: @Sendable (inout [UInt8]) -> Void

        init(_ description: String, _ code: ImageError.Code, _ change: @escaping @Sendable (inout [UInt8]) -> Void) {
            testDescription = description
            self.code = code
            self.change = change
        }
    }

    static let footers = [
        Damage("a mask size of 4 GiB", .corrupt) { put(.max, at: 12, in: &$0) },
        Damage("a colour size of 4 GiB", .corrupt) { put(.max, at: 16, in: &$0) },
        Damage("both sizes of 4 GiB", .corrupt) {
            put(.max, at: 12, in: &$0)
            put(.max, at: 16, in: &$0)
        },
        Damage("one byte more than the file has", .corrupt) { file in
            let mask = UInt32(file[file.count - 12]) | UInt32(file[file.count - 11]) << 8
            put(mask + 1, at: 12, in: &file)
        },
        Damage("version 0", .unsupported) { $0[$0.count - 6] = 0 },
        Damage("version 3", .unsupported) { $0[$0.count - 6] = 3 },
        Damage("a footer of 15 bytes", .corrupt) { $0[$0.count - 8] = 15 },
        Damage("a footer of 65535 bytes in a later version", .corrupt) {
            $0[$0.count - 8] = 255
            $0[$0.count - 7] = 255
            $0[$0.count - 5] = 1
        },
    ]

    @Test("A damaged footer shows the colours and reports why", arguments: footers)
    func aDamagedFooterShowsTheColorsAndSaysWhy(damage: Damage) throws {
        let good = try Self.file()
        var file = good
        damage.change(&file)
        let color = try Fixture.decode(Array(good[Fixture.container(good).colorRange]))
        let picture = try Fixture.decode(file)
        #expect(picture.error?.code == damage.code)
        #expect((picture.error?.byteOffset).map { $0 >= good.count - 16 } == true)
        #expect(picture.bitmap.pixels == color.bitmap.pixels)

        let streamed = try Fixture.stream(file, pieces: [97])
        #expect(streamed.error == picture.error)
        #expect(streamed.bitmap?.pixels == color.bitmap.pixels)
    }

    @Test("Readers of rows get the error", arguments: footers)
    func whoPullsRowsGetsTheError(damage: Damage) throws {
        var file = try Self.file()
        damage.change(&file)
        let rows = try ImageRowSource(Source(file), options: Fixture.stored, registry: .builtIn)
        let sink = try BitmapSink(rows.info)
        try rows.copyRows(to: sink)
        #expect(try sink.result?.pixels == Fixture.decode(file).bitmap.pixels)
        let error = #expect(throws: ImageError.self) { try rows.finish() }
        #expect(error?.code == damage.code)
    }

    @Test("A truncated file is a JPEG", arguments: [1, 16, 17, 40, 60])
    func aTruncatedFileIsAJPEG(missing: Int) throws {
        let file = try Self.file()
        let picture = try Fixture.decode(Array(file.dropLast(missing)))
        #expect(picture.header.format == .jpeg)
        #expect(picture.error == nil)
        #expect(Set(Fixture.alpha(picture.bitmap)) == [255])
    }

    @Test("A file truncated in its colour part is a truncated JPEG")
    func aFileCutInItsColorsIsATruncatedJPEG() throws {
        let file = try Self.file()
        let half = try Fixture.container(file).colorRange.upperBound * 3 / 4
        let picture = try Fixture.decode(Array(file[..<half]))
        #expect(picture.header.format == .jpeg)
        #expect(picture.error?.code == .truncated)
    }

    @Test("A mask without a signature leaves the image opaque")
    func aMaskWithoutASignatureLeavesThePictureOpaque() throws {
        var file = try Self.file()
        let start = try Fixture.container(file).maskRange.lowerBound
        file[start] = 0
        let picture = try Fixture.decode(file)
        #expect(picture.error?.code == .corrupt)
        #expect(picture.error?.byteOffset == start)
        #expect(Set(Fixture.alpha(picture.bitmap)) == [255])
    }

    @Test("A truncated mask yields its rows")
    func aMaskThatEndsEarlyGivesTheRowsThereAre() throws {
        let bitmap = try Fixture.cutout(300, 400)
        let whole = try Fixture.encode(bitmap)
        let container = try Fixture.container(whole)
        let mask = Array(whole[container.maskRange].prefix(container.maskRange.count / 2))
        let picture = try Fixture.decode(Fixture.join(Array(whole[container.colorRange]), mask))
        #expect(picture.error?.code == .truncated)
        #expect(picture.error?.message.contains("mask") == true)
        let (alpha, expected) = (Fixture.alpha(picture.bitmap), Fixture.alpha(bitmap))
        // Rows at the top are right, those that never came are transparent.
        #expect(alpha[..<(300 * 20)] == expected[..<(300 * 20)])
        #expect(alpha.suffix(300 * 20).allSatisfy { $0 == 0 })
        #expect(expected.suffix(300 * 40).contains { $0 > 0 })
    }

    @Test("Truncated colours yield their rows")
    func colorsThatEndEarlyGiveTheRowsThereAre() throws {
        let whole = try Fixture.encode(Fixture.cutout(300, 400))
        let container = try Fixture.container(whole)
        let color = Array(whole[container.colorRange].prefix(container.colorRange.count / 2))
        let picture = try Fixture.decode(Fixture.join(color, Array(whole[container.maskRange])))
        #expect(picture.header.format == .jpng)
        #expect(picture.error?.code == .truncated)
        #expect(Fixture.alpha(picture.bitmap).contains { $0 > 0 })
    }

    @Test("A huge mask is refused before memory is allocated")
    func aHugeMaskIsRefusedBeforeAnythingIsAllocated() throws {
        let whole = try Self.file()
        let container = try Fixture.container(whole)
        var mask = Array(whole[container.maskRange])
        // The width and height in IHDR.
        for byte in 16..<24 { mask[byte] = byte % 4 == 0 ? 0x7F : 0xFF }
        let picture = try Fixture.decode(Fixture.join(Array(whole[container.colorRange]), mask))
        #expect(picture.error != nil)
        #expect(Set(Fixture.alpha(picture.bitmap)) == [255])
    }

    @Test("No damaged byte traps")
    func noByteOfDamageTraps() throws {
        let file = try Self.file()
        for index in file.indices {
            for value in [UInt8(0), 0xFF, file[index] ^ 0x10] {
                var damaged = file
                damaged[index] = value
                _ = try? Fixture.decode(damaged)
            }
        }
        for length in 0..<file.count { _ = try? Fixture.decode(Array(file[..<length])) }
    }

    @Test("Every identifier is read", arguments: JPNGFooter.Identifier.allCases)
    func everyIdentifierIsRead(identifier: JPNGFooter.Identifier) throws {
        var file = try Self.file()
        Self.put(identifier.rawValue, at: 4, in: &file)
        #expect(try Fixture.decode(file).header.format == .jpng)
    }

    @Test("Padding and a later minor version are accepted")
    func slackAndALaterMinorVersionAreRead() throws {
        let good = try Self.file()
        var slack = good
        slack.insert(contentsOf: [1, 2, 3, 4, 5], at: good.count - 16)
        #expect(try Fixture.decode(slack).bitmap.pixels == Fixture.decode(good).bitmap.pixels)
        var later = slack
        later[later.count - 5] = 1
        later[later.count - 8] = 21
        #expect(try Fixture.decode(later).bitmap.pixels == Fixture.decode(good).bitmap.pixels)
    }
}
