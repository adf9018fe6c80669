// Gallery SHEET.png PICTURE…: a sheet of square thumbnails, of files or URLs, loaded side by side by one pipeline.
// Built with the trait HTTP, it takes http and https too.
import Foundation
import ImageFormats
import Tessera

/// The side of a thumbnail, and the space between two.
let (side, gap) = (160, 8)

/// Loads all pictures at once; what can't be loaded is said and left out.
func loadThumbnails(_ names: [String]) async -> [Bitmap] {
    let tasks = names.map { name in
        let url = name.contains("://") ? URL(string: name)! : URL(fileURLWithPath: name)
        var request = ImageRequest(url: url, processors: [.roundedCorners(radius: 12)])
        request.thumbnail = .init(width: Double(side), height: Double(side), contentMode: .aspectFill)
        return ImagePipeline.shared.imageTask(with: request)
    }
    var bitmaps: [Bitmap] = []
    for task in tasks {
        do {
            let response = try await task.response
            bitmaps.append(try response.image.bitmap().converted(to: .rgba8, alpha: .premultiplied))
            print("\(task.request): \(response.source.rawValue), \(response.metrics.total)")
        } catch {
            print("\(task.request): \(error)")
        }
    }
    return bitmaps
}

/// The pictures in rows and columns, each in the middle of its place.
func makeSheet(of bitmaps: [Bitmap]) throws(ImageError) -> Bitmap {
    let columns = max(1, Int(Double(bitmaps.count).squareRoot().rounded(.up)))
    let lines = max(1, (bitmaps.count + columns - 1) / columns)
    let size = PixelSize(width: gap + columns * (side + gap), height: gap + lines * (side + gap))
    var sheet = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied))
    for (index, bitmap) in bitmaps.enumerated() {
        let left = gap + index % columns * (side + gap) + (side - bitmap.width) / 2
        let top = gap + index / columns * (side + gap) + (side - bitmap.height) / 2
        var target = sheet.mutableRows
        let source = bitmap.rows
        for y in 0..<bitmap.height {
            let pixels = source.row(y, as: RGBA8.self)
            var row = target.row(top + y, as: RGBA8.self)
            for x in 0..<bitmap.width { row[left + x] = pixels[x] }
        }
    }
    return sheet.freeze()
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 1 else {
    print("usage: Gallery SHEET.png PICTURE…")
    exit(64)
}
let file = try AtomicFile(path: arguments.first!, overwrites: true)
try ImageDestination(format: .png).encode(makeSheet(of: await loadThumbnails(Array(arguments.dropFirst()))), to: file)
try file.commit()
