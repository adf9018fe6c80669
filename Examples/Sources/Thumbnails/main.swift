// Thumbnails FOLDER FILE…: a thumbnail of each picture, as many at a time as there are processors.

import Foundation
import ImageFormats
import Raster
import Tessera

@Sendable func makeThumbnail(of path: String, in folder: String) throws -> String {
    let box = PixelSize(width: 256, height: 256)
    // A JPEG is decoded at a half, a quarter or an eighth where that is large enough; rows stream from file to file.
    let rows = try ImageRowSource(Source(path: path)) { header in
        DecodingPlan(targetSize: header.size.fitted(within: box))
    }
    let size = rows.header.size.fitted(within: box)
    let small = try ResamplingRowSource(rows, to: size)

    let name = path.split(separator: "/").last.map(String.init) ?? path
    let output = try AtomicFile(path: "\(folder)/\(name).png", overwrites: true)
    try ImageDestination(format: .png).encode(small, to: output)
    try output.commit()
    return "\(name): \(rows.header.size) to \(size)"
}

guard CommandLine.arguments.count > 2 else {
    print("Thumbnails FOLDER FILE…")
    exit(64)
}
let folder = CommandLine.arguments[1]
await withTaskGroup(of: String.self) { group in
    for path in CommandLine.arguments.dropFirst(2) {
        group.addTask(executorPreference: ImageExecutor.shared) {
            do { return try makeThumbnail(of: path, in: folder) } catch { return "\(path): \(error)" }
        }
    }
    for await line in group { print(line) }
}
