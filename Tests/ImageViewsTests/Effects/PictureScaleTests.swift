import Foundation
import ImageEffects
import ImageFormats
import ImageLoadingTestSupport
import ImageViews
import Raster
import TestSupport
import Testing

/// A picture's own scale, in the view and in the names of files.
@MainActor @Suite("The scale of images in effect views")
struct PictureScaleTests {
    private let fixture = EffectFixture()

    nonisolated private static let unscaled: [ContentMode] = [
        .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight,
    ]

    @Test(
        "Unscaled modes show the image's size in points", arguments: unscaled,
        [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 3)] as [(Double, Double)])
    func points(_ mode: ContentMode, _ scales: (own: Double, view: Double)) throws {
        let view = fixture.view()
        view.size = ViewSize(width: 300, height: 300)
        view.scale = scales.view
        view.contentMode = mode
        view.image = Image(try Image.plain(90, 160, 120).bitmap(), scale: scales.own)
        let image = try #require(view.processedImage)
        #expect(image.scale == scales.view)
        let frame = try #require(view.processedFrame)
        // To the nearest pixel of the view.
        #expect(abs(frame.width - 160 / scales.own) <= 0.5 / scales.view)
        #expect(abs(frame.height - 120 / scales.own) <= 0.5 / scales.view)
        #expect(image.red == 90)
        // A smaller view shows a part of just its size.
        view.size = ViewSize(width: 30, height: 20)
        #expect(view.processedFrame == ViewRect(x: 0, y: 0, width: 30, height: 20))
    }

    @Test("Scaled modes fill the view, whatever the image's scale", arguments: [1, 2, 3] as [Double])
    func scaled(_ own: Double) throws {
        let view = fixture.view()
        view.size = ViewSize(width: 80, height: 80)
        view.scale = 2
        view.image = Image(try Image.plain(90, 160, 120).bitmap(), scale: own)
        for (mode, size) in [
            (ContentMode.aspectFit, ViewSize(width: 80, height: 60)), (.scaleToFill, ViewSize(width: 80, height: 80)),
            (.aspectFill, ViewSize(width: 80, height: 80)),
        ] {
            view.contentMode = mode
            let frame = try #require(view.processedFrame)
            #expect(ViewSize(width: frame.width, height: frame.height) == size, "\(mode)")
        }
    }

    /// Files of 10 × 10 points, each grey of its own, at the scale that its name gives.
    private func folder(_ files: [String: Int]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, value) in files {
            let scale = name.contains("@3x") ? 3 : name.contains("@2x") ? 2 : 1
            let picture = try Image.plain(value, 10 * scale, 10 * scale).bitmap()
            try folder.write([UInt8](TestPicture.file(.png, picture)), to: name)
        }
        return folder
    }

    nonisolated private static let all = ["a.png": 1, "a@2x.png": 2, "a@3x.png": 3]

    @Test(
        "The file for the view's scale is shown, and its name gives the image's scale", arguments: [false, true],
        [
            (all, "a.png", 1, 1), (all, "a.png", 2, 2), (all, "a.png", 3, 3), (all, "a", 2, 2), (all, "a.png", 4, 3),
            (["a.png": 1], "a.png", 2, 1), (["a.png": 1, "a@3x.png": 3], "a.png", 2, 3),
            (["a@2x.png": 2], "a.png", 1, 2), (all, "a@2x.png", 1, 2), (all, "a@2x", 3, 2),
            (["a@2x.png": 2], "a@2x.png", 2, 2), (["a.png": 1], "a@2x.png", 2, 1),
            (["a.png": 1, "a@3x.png": 3], "a@2x.png", 1, 1), (["v1.2.png": 1, "v1.2@2x.png": 2], "v1.2.png", 2, 2),
        ] as [([String: Int], String, Double, Int)])
    func siblings(
        asynchronous: Bool, _ row: (files: [String: Int], name: String, display: Double, expected: Int)
    ) async throws {
        let folder = try folder(row.files)
        let view = fixture.view(asynchronous: asynchronous)
        view.scale = row.display
        view.contentMode = .center
        view.size = ViewSize(width: 20, height: 20)
        view.setImage(contentsOfFile: folder.file(row.name))
        if asynchronous { await view.waitForPicture(row.expected) }
        #expect(view.shownRed == row.expected)
        #expect(view.image?.scale == Double(row.expected))
        #expect(view.image?.size.width == 10 * row.expected)
        // Every sibling is as large as the others on the screen.
        #expect(view.processedFrame == ViewRect(x: 5, y: 5, width: 10, height: 10))
    }

    @Test("A view that moves to another display shows the file for its scale", arguments: [false, true])
    func displayChanges(asynchronous: Bool) async throws {
        let folder = try folder(Self.all)
        let view = fixture.view(asynchronous: asynchronous)
        view.scale = 1
        view.setImage(contentsOfFile: folder.file("a.png"))
        for (scale, expected) in [(1.0, 1), (2, 2), (3, 3), (1, 1), (2, 2)] {
            view.scale = scale
            if asynchronous { await view.waitForPicture(expected) }
            #expect(view.shownRed == expected)
            #expect(view.image?.scale == scale)
            #expect(view.processedImage?.scale == scale)
        }
    }
}
