import ImageFormatsTestSupport
import Raster

/// Icon and cursor files put together field by field.
enum ICOFixture {
    struct Picture {
        var width: Int
        var height: Int
        var data: [UInt8]
        /// What the list says of planes and bits, or the hot spot.
        var fields = (1, 32)
    }

    static func file(_ kind: Int, _ pictures: [Picture]) -> [UInt8] {
        var list = BMPFixture.little(0, 2) + BMPFixture.little(kind, 2) + BMPFixture.little(pictures.count, 2)
        var offset = 6 + 16 * pictures.count
        for picture in pictures {
            list += [UInt8(picture.width & 255), UInt8(picture.height & 255), 0, 0]
            list += BMPFixture.little(picture.fields.0, 2) + BMPFixture.little(picture.fields.1, 2)
            list += BMPFixture.little(picture.data.count, 4) + BMPFixture.little(offset, 4)
            offset += picture.data.count
        }
        return list + pictures.flatMap(\.data)
    }

    /// A bitmap with a mask, of which each true pixel from the top left is transparent.
    static func bitmap(_ fixture: BMPFixture, mask: [Bool]) -> [UInt8] {
        var doubled = fixture
        doubled.height *= 2
        doubled.data = fixture.packed
        var bytes = doubled.header
        for color in fixture.palette { bytes += [color.blue, color.green, color.red, 0] }
        bytes += fixture.packed
        let width = fixture.width
        for y in stride(from: fixture.height - 1, through: 0, by: -1) where !mask.isEmpty {
            var row = [UInt8](repeating: 0, count: (width + 31) / 32 * 4)
            for x in 0..<width where mask[y * width + x] { row[x / 8] |= 0x80 >> UInt8(x % 8) }
            bytes += row
        }
        return bytes
    }

    static func mask(_ count: Int) -> [Bool] { BMPFixture.noise(count, below: 2).map { $0 == 1 } }
}
