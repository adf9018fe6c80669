import Foundation
import ImageViews
import Tessera

/// What the carousel shows: files, or pictures that are drawn here.
enum Picture: Sendable {
    case file(String)
    /// Its pixels, and the colour of all of it but the rings.
    case drawn(Image, RGBA8)

    /// Has `model` show it.
    @MainActor
    func set(in model: EffectImageView) {
        switch self {
        case .file(let path): model.setImage(contentsOfFile: path)
        case .drawn(let image, _): model.image = image
        }
    }

    /// As many pictures as there are hues in steps of ten degrees, with rings of their own.
    static func drawn() throws(ImageError) -> [Picture] {
        var pictures: [Picture] = []
        for number in 0..<36 {
            let (color, ring) = (hue(Double(number) / 36, 0.75), hue(Double(number) / 36 + 0.08, 0.95))
            let image = try paint(width: 520, height: 380) { x, y in
                let distance = (((x - 260) * (x - 260) + (y - 190) * (y - 190)) as Double).squareRoot()
                let isRing = distance > 60 && Int(distance / (8 + Double(number) / 2)) % 2 == 0
                return isRing ? ring : color
            }
            pictures.append(.drawn(image, color))
        }
        return pictures
    }

    /// A grey card.
    static func placeholder(width: Int, height: Int) throws(ImageError) -> Image {
        try paint(width: width, height: height) { _, _ in RGBA8(70, 70, 74) }
    }

    private static func paint(
        width: Int, height: Int, _ color: (Double, Double) -> RGBA8
    ) throws(ImageError) -> Image {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .none))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width { row[x] = color(Double(x), Double(y)) }
        }
        return Image(bitmap.freeze())
    }

    /// A colour by its place in the rainbow, 0 to 1, and its lightness.
    private static func hue(_ hue: Double, _ light: Double) -> RGBA8 {
        func channel(_ shift: Double) -> UInt8 {
            UInt8((light * (0.6 + 0.4 * cos(2 * .pi * (hue - shift))) * 255).rounded())
        }
        return RGBA8(channel(0), channel(1 / 3), channel(2 / 3))
    }
}
