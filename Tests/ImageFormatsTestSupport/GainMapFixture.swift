package import ImageFormats
package import Raster
import Testing

/// Files with gain maps, made for a test.
package enum GainMapFixture {
    /// Different parameters for each channel, none of them a number that binary fractions hold exactly.
    package static let colored = GainMapMetadata(
        red: .init(minimum: -0.3, maximum: 1.7, gamma: 1.1, baseOffset: 0.01, alternateOffset: 0.02),
        green: .init(minimum: 0, maximum: 2.3, gamma: 0.9, baseOffset: 0.015, alternateOffset: 0.025),
        blue: .init(minimum: 0.1, maximum: 1.9, gamma: 1, baseOffset: 0.03, alternateOffset: 0),
        alternateHeadroom: 2.3)
    package static let gray = GainMapMetadata(
        .init(minimum: 0, maximum: 2, gamma: 0.8, baseOffset: 1 / 64, alternateOffset: 1 / 64), alternateHeadroom: 2)

    /// Smooth pixels that differ in every corner and may have a mark off the centre: a turn or a shift shows.
    package static func bitmap(_ size: PixelSize, format: PixelFormat = .rgba8, hasMark: Bool = true) throws -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: format))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            func value(_ x: Int, _ scale: Int) -> UInt8 {
                let isMark = (x * 3 / size.width, y * 3 / size.height) == (2, 0)
                return isMark && hasMark ? 250 : UInt8((x * scale / size.width + y * (240 - scale) / size.height) + 10)
            }
            if format == .gray8 {
                var row = rows.row(y, as: Gray8.self)
                for x in 0..<size.width { row[x] = Gray8(value(x, 160)) }
            } else {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<size.width { row[x] = RGBA8(value(x, 200), value(x, 120), value(x, 40)) }
            }
        }
        return bitmap.freeze()
    }

    /// An image of `size` with a map of `mapSize`.
    package static func image(
        _ metadata: GainMapMetadata = gray, size: PixelSize = PixelSize(width: 96, height: 64),
        mapSize: PixelSize = PixelSize(width: 48, height: 32), isGray: Bool = true, hasMark: Bool = true
    ) throws -> Image {
        let map = GainMap(Image(try bitmap(mapSize, format: isGray ? .gray8 : .rgba8, hasMark: hasMark)), metadata)
        return Image(try bitmap(size)).withGainMap(map)
    }

    /// A picture in standard range, and its high rendition with the map that leads back.
    package static func highBase() throws -> (standard: Bitmap, image: Image) {
        let image = try image()
        let high = try image.rendered(for: .high(headroom: .infinity))
        let metadata = GainMapMetadata(
            gray.red, baseHeadroom: 2, alternateHeadroom: 0, usesBaseColorSpace: false)
        let map = GainMap(try #require(image.gainMap).image, metadata, alternateProfile: .sRGB)
        return (try image.bitmap(), high.withGainMap(map))
    }

    /// The file of `image`, of high quality.
    package static func file(
        _ image: Image, as format: ImageFormat = .jpeg, orientation: Orientation = .up
    ) throws -> [UInt8] {
        var options = EncodingOptions(quality: 0.95, metadata: ImageMetadata(orientation: orientation))
        options.avif.speed = 9
        return try image.data(as: format, options: options)
    }

    /// The reason why the map of `file` can't be used; nil if it can, or if there is none.
    package static func error(in file: [UInt8]) throws -> ImageError? {
        let header = try ImageSource.header(of: file)
        do throws(ImageError) {
            _ = try ImageSource.gainMap(in: Source(file), header: header)
            return nil
        } catch {
            return error
        }
    }

    /// The offset of `pattern` in `file`, the first from `start` on.
    package static func offset(of pattern: [UInt8], in file: [UInt8], from start: Int = 0) throws -> Int {
        try #require(
            file.indices.dropFirst(start).first { file[$0...].starts(with: pattern) }, "\(pattern) isn't in the file")
    }
}
