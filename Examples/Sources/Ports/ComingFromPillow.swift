import Foundation
import ImageEffects
import Raster
import Tessera

func share(_ source: String, mark: String, to target: String) throws {
    let image = try Image(path: source).thumbnail(fitting: 640)
    let stamp = EffectPicture(try Image(path: mark), reference: mark)
    let corner = (x: Double(image.size.width - 108), y: Double(image.size.height - 84))
    try image.applying(.overlay(stamp, x: corner.x, y: corner.y, width: 96, height: 72), .saturation(1.2))
        .write(to: target, quality: 0.85)
}

func swapRedAndBlue(_ source: String, to target: String) throws {
    var bitmap = try Image(path: source).bitmap().converted(to: .rgba8).mutableCopy()
    var rows = bitmap.mutableRows
    for y in 0..<rows.count {
        var row = rows.row(y, as: RGBA8.self)
        for x in row.indices { (row[x].red, row[x].blue) = (row[x].blue, row[x].red) }
    }
    try Image(bitmap.freeze()).write(to: target)
}
