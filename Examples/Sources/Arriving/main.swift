// Arriving FILE: feeds a picture in pieces, as a slow network would, and tells what can be shown after which byte.

import Foundation
import ImageFormats
import Tessera

guard CommandLine.arguments.count == 2 else {
    print("Arriving FILE")
    exit(64)
}
do {
    let file = try Source(path: CommandLine.arguments[1]).reader()
    let picture = ImageSource()
    var arrived = 0

    func report(_ events: [DecodingEvent]) throws {
        for event in events {
            switch event {
            case .header(let header): print("\(arrived) bytes: a \(header.format) of \(header.size)")
            case .rows(let upTo): print("\(arrived) bytes: \(upTo) rows")
            case .pass(let count):
                // The picture so far, upright and in sRGB, ready to be shown.
                let preview = try picture.currentBitmap()
                print("\(arrived) bytes: pass \(count), a preview of \(preview?.size.description ?? "nothing")")
            case .metadata(let metadata): print("\(arrived) bytes: \(metadata.exif?.count ?? 0) bytes of EXIF")
            case .frame(let index): print("\(arrived) bytes: frame \(index)")
            case .complete: print("\(arrived) bytes: complete")
            }
        }
    }

    while try file.nextBytes({ (piece) throws(ImageError) in
        var start = 0
        while start < piece.byteCount {
            let end = min(start + 4096, piece.byteCount)
            let events = try picture.append(piece.extracting(start..<end))
            arrived += end - start
            start = end
            do { try report(events) } catch { throw ImageError(.inputOutput, "\(error)") }
        }
    }) {}
    try report(try picture.finish())
} catch {
    print(error)
    exit(1)
}
