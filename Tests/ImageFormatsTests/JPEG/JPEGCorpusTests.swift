import Foundation
import ImageFormats
import Raster
import Testing

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum JPEGCorpus {
    static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    static func files(_ kind: String) -> [String] {
        guard let folder else { return [] }
        let path = "\(folder)/\(kind)/jpeg"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

@Suite("JPEG corpus", .enabled(if: JPEGCorpus.folder != nil, "TESSERA_CORPUS is not set"))
struct JPEGCorpusTests {
    @Test("every valid file decodes, and to djpeg's pixels", arguments: JPEGCorpus.files("valid"))
    func valid(path: String) throws {
        let file = try JPEGCorpus.bytes(path)
        let session = JPEGSession(file)
        if path.hasSuffix("testorig12.jpg") {
            // Twelve bits: Debian's libjpeg is built for eight.
            #expect(session.error?.code == .unsupported)
            return
        }
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        // Inks are beyond djpeg.
        guard DJPEG.isInstalled, session.header?.colorModel != .cmyk else { return }
        let expected = try #require(try DJPEG.decode(file))
        #expect(session.bitmap?.size == expected.size)
        #expect(session.bitmap?.pnmSamples == expected.samples)
    }

    @Test("every valid file gives the same for any split", arguments: JPEGCorpus.files("valid"))
    func splits(path: String) throws {
        let file = try JPEGCorpus.bytes(path)
        let whole = JPEGSession(file)
        let expected = whole.bitmap?.tightBytes()
        var random = SeededGenerator(UInt64(file.count))
        for round in 0..<(file.count < 30000 ? 6 : 2) {
            var splits: [Int] = []
            while (splits.last ?? 0) < file.count - 1 {
                let most = round == 0 && file.count < 30000 ? 1 : 1 << Int.random(in: 0..<16, using: &random)
                splits.append(min(file.count - 1, (splits.last ?? 0) + Int.random(in: 1...most, using: &random)))
            }
            let session = JPEGSession(file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.bitmap?.tightBytes() == expected)
            #expect(session.header == whole.header)
            #expect(session.error?.code == whole.error?.code)
        }
    }

    @Test("every invalid file gives an error or a picture", arguments: JPEGCorpus.files("invalid"))
    func invalid(path: String) throws {
        let file = try JPEGCorpus.bytes(path)
        let session = JPEGSession(file)
        #expect(session.isComplete || session.error != nil)
        let pieces = Array(stride(from: 100, to: file.count, by: 100))
        let split = JPEGSession(file, splits: pieces)
        #expect(session.rows == split.rows)
        #expect(session.bitmap?.tightBytes() == split.bitmap?.tightBytes())
        #expect(session.error?.code == split.error?.code)
    }

    @Test("truncated files keep what there is")
    func truncated() throws {
        for (name, rows) in [("libvips__truncated.jpg", 192), ("wuffs__peacock.default.truncated.jpeg", 32)] {
            let path = try #require(JPEGCorpus.files("invalid").first { $0.hasSuffix(name) })
            let session = JPEGSession(try JPEGCorpus.bytes(path))
            #expect(session.rows == rows)
            #expect(session.error?.code == .truncated)
        }
    }

    // The first file's profile is one for inks, on a picture of RGB: of no use, and left aside.
    @Test(
        "profiles, orientations and other metadata are found",
        arguments: [
            ("cantaloupe__jpg-icc-chunked.jpg", Orientation.up, 0), ("exiforient__Landscape_6.jpg", .right, 0),
            ("exiforient__Landscape_7.jpg", .rightMirrored, 0),
            ("libavif__paris_exif_orientation_5.jpg", .leftMirrored, 0),
            ("kimaging__pizza-cmyk8-usswop.jpg", .up, 557_220), ("kimaging__orientation_0.jpg", .up, 0),
        ])
    func metadata(name: String, orientation: Orientation, profileByteCount: Int) throws {
        let path = try #require(JPEGCorpus.files("valid").first { $0.hasSuffix(name) })
        let header = try #require(JPEGSession(try JPEGCorpus.bytes(path)).header)
        #expect(header.metadata.orientation == orientation)
        if case .icc(let profile) = header.profile {
            #expect(profile.count == profileByteCount)
        } else {
            #expect(profileByteCount == 0)
        }
    }
}
