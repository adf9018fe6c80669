import Foundation
import ImageFormats
import Raster
import TestSupport
import Testing

/// The viewer with a picture of 201 megapixels.
@Suite("The viewer with large images", .needsWindows, .serialized)
struct LargePictureTests {
    private let folder: TemporaryFolder
    private let file: String
    /// Within the picture, whatever panel is shown.
    private let stage = PixelRect(x: 40, y: 120, width: 600, height: 440)

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("large.jpg")
        try BlockPicture.write(to: file)
    }

    @Test("One to one shows the image's exact pixels")
    func oneToOneShowsTheVeryPixels() async throws {
        let session = try await ViewerSession([file])
        // The picture needn't be there when its zoom is set.
        try await session.key("1")
        // Its middle is in the stage's, which lies in the window's.
        let (x, y) = (BlockPicture.size.width / 2 - 550, BlockPicture.size.height / 2 - 360)
        var place: (x: Int, y: Int)?
        _ = try await session.capture("the picture at one to one") { capture in
            place = BlockPicture.offset(of: capture, in: stage, nearX: x, y: y)
            return place != nil
        }
        let before = try #require(place)

        try await session.drag(fromX: 500, y: 400, byX: -170, y: -90)
        _ = try await session.capture("the picture elsewhere") { capture in
            place = BlockPicture.offset(of: capture, in: stage, nearX: before.x + 170, y: before.y + 90)
            return place.map { $0 != before } ?? false
        }
        let after = try #require(place)
        #expect(after.x == before.x + 170 && after.y == before.y + 90, "\(after) after \(before)")

        // Out until all of it is seen, and in again: other levels, the same place.
        try await session.key("0")
        _ = try await session.capture("all of it") { BlockPicture.offset(of: $0, in: stage, nearX: x, y: y) == nil }
        _ = try await session.settledCapture()
        try await session.key("1")
        _ = try await session.capture("one to one again") {
            BlockPicture.offset(of: $0, in: stage, nearX: x, y: y) != nil
        }
        let memory = try #require(session.viewer.peakByteCount)
        #expect(memory < 400_000_000)
        #expect(try await session.close() == 0)
    }

    /// Its neighbours aren't loaded before they are shown, and what was left is let go of.
    @Test("Only the displayed image takes much memory")
    func onlyTheOneThatIsShownTakesMuch() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("set"), withIntermediateDirectories: true)
        let size = PixelSize(width: 8192, height: 6144)
        try BlockPicture.write(to: folder.file("set/1.jpg"), size: size, isProgressive: true)
        for number in 2...5 {
            try FileManager.default.copyItem(
                atPath: folder.file("set/1.jpg"), toPath: folder.file("set/\(number).jpg"))
        }
        let session = try await ViewerSession([folder.file("set/3.jpg")])
        try await session.waitForPicture()
        // On in the middle of it, and back to where it had begun.
        for key in ["Right", "Left", "Left", "Right"] {
            try await session.key(key)
            try await session.waitForPicture()
        }
        _ = try await session.settledCapture()
        #expect(try await session.title() == "3.jpg – Tessera")
        let memory = try #require(session.viewer.peakByteCount)
        // No image's coefficients are kept, which would take 302 MB each.
        #expect(memory < 400_000_000)
        #expect(try await session.close() == 0)
    }

    @Test("The window closes while an image loads", arguments: [0, 50, 200, 500, 1500], [false, true])
    func closesWhileItLoads(_ milliseconds: Int, isProgressive: Bool) async throws {
        var file = file
        if isProgressive {
            file = folder.file("progressive.jpg")
            try BlockPicture.write(to: file, size: PixelSize(width: 8192, height: 6144), isProgressive: true)
        }
        let session = try await ViewerSession([file])
        try await session.key("1", "minus", "e")
        // The moment is what is tested; none is too early or too late.
        try await Task.sleep(for: .milliseconds(milliseconds))
        #expect(try await session.close() == 0, "\(session.viewer.errors)")
    }
}
