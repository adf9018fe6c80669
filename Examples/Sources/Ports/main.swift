// Ports FOLDER: the programs of the pages "Coming from …", each on the images that FirstMinute drew in FOLDER.
//
// Each page (Sources/Tessera/Documentation.docc/ComingFrom….md) prints the code of the file with its name;
// `Examples/compare-samples` checks that they are the same.

import Foundation
import ImageViews
import Tessera

guard CommandLine.arguments.count == 2, FileManager.default.changeCurrentDirectoryPath(CommandLine.arguments[1]) else {
    print("Ports FOLDER")
    exit(64)
}

/// Ends the program unless `size` is the expected one.
func check(_ name: String, _ size: PixelSize?, is width: Int, _ height: Int) {
    guard size == PixelSize(width: width, height: height) else {
        print("\(name): expected \(width)x\(height), got \(size.map { "\($0)" } ?? "nothing")")
        exit(1)
    }
    print("\(name): \(width)x\(height)")
}

/// The size of the image in the file at `path`.
func size(_ path: String) throws -> PixelSize { try Image(path: path).size }

let photo = URL(filePath: "photo.jpg")

let texture = try convertCutOut("card.png", to: "card.jpng")
check("JPNG", PixelSize(width: texture.width, height: texture.height), is: 400, 300)

let feed = PhotoFeed(cachingIn: "cache")
feed.willShow([photo])
check("Nuke", try await feed.photo(at: photo, showing: { _ in }).size, is: 320, 240)
feed.didHide([photo])

let view = ImageViewModel()
check("SDWebImage", try await show(photo, in: view, placeholder: Image(path: "card.png"))?.size, is: 320, 240)
let bytes = try Data(contentsOf: photo)
let arrived = try decodeWhileArriving([bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)])
check("SDWebImage's coder", try Image(data: arrived).size, is: 1600, 1200)

var drawing: [TileDrawing] = []
try await scroll(photo, in: ViewSize(width: 320, height: 480)) { tiles in
    drawing = tiles
    // Until the two columns and three rows of tiles that are in view are sharp.
    return tiles.filter { !$0.isStandIn }.count < 6
}
check("PhotoScroller", drawing.first?.image.size, is: 256, 256)

EffectImageView.resourceFolder = FileManager.default.currentDirectoryPath
check("FXImageView", try showReflected("photo.jpg", mask: "card.png")?.size, is: 234, 356)

try share("photo.jpg", mark: "card.png", to: "shared.jpg")
check("Pillow", try size("shared.jpg"), is: 640, 480)
try swapRedAndBlue("shared.jpg", to: "swapped.png")
check("Pillow's pixels", try size("swapped.png"), is: 640, 480)

try await makeWebImages(of: "photo.jpg")
check("libvips", try size("cover.jpg"), is: 640, 480)
check("libvips, a part", try size("part.png"), is: 320, 240)

check("sharp", try Image(data: await makePreview(of: bytes, stamp: "card.png")).size, is: 320, 240)
