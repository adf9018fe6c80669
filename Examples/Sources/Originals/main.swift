// Originals FOLDER: the APIs of JPNG, FXImageView, PhotoScroller, Nuke and SDWebImage, called as their documents print them.
// The page of the module TesseraCompatibility lists what differs and why.
import Foundation
import TesseraCompatibility

guard CommandLine.arguments.count == 2 else {
    print("Originals FOLDER")
    exit(64)
}

/// The value; an error if there is none.
func require<Value>(_ value: Value?, line: Int = #line) throws -> Value {
    guard let value else { throw ImageError(.invalidParameter, "no value in line \(line)") }
    return value
}

/// Ends the program if something isn't as promised.
func expect(_ isTrue: Bool, file: String = #fileID, line: Int = #line) {
    guard !isTrue else { return }
    print("\(file):\(line) is false")
    exit(1)
}

/// Waits for something that a callback does; ends the program after a minute.
@MainActor
func wait(until isTrue: () -> Bool, file: String = #fileID, line: Int = #line) async {
    let end = ContinuousClock.now + .seconds(60)
    while !isTrue(), .now < end { await Task.yield() }
    expect(isTrue(), file: file, line: line)
}

/// A drawing whose pixels differ; a disc with a soft edge if it has alpha.
func drawing(width: Int, height: Int, alpha: AlphaMode = .none) throws -> UIImage {
    let size = PixelSize(width: width, height: height)
    var canvas = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: alpha))
    var rows = canvas.mutableRows
    for y in 0..<height {
        var row = rows.row(y, as: RGBA8.self)
        for x in 0..<width {
            let (dx, dy) = (Double(x) - Double(width) / 2, Double(y) - Double(height) / 2)
            let edge = (Double(min(width, height)) / 2 - (dx * dx + dy * dy).squareRoot()) / 8
            let opacity = alpha.hasAlpha ? UInt8(max(0, min(1, edge)) * 255) : 255
            row[x] = RGBA8(UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), 160, opacity)
        }
    }
    return UIImage(canvas.freeze())
}

let folder = CommandLine.arguments[1]
do {
    let disc = try drawing(width: 96, height: 64, alpha: .straight)
    try JPNGDocument.run(disc, in: folder)
    try FXImageViewDocument.run(disc, in: folder)
    try SDImageIOCoderDocument.run(disc)
    try await PhotoScrollerDocument.run(in: folder)
    try await ImageFormatsDocument.run(disc, in: folder)
} catch {
    print(error)
    exit(1)
}
