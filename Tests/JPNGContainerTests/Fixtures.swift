import JPNGContainer

/// The smallest bytes that begin as each part must.
enum Part {
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x42]
}

/// A file put together byte by byte as the format's table says, by none of the code under test, right unless told otherwise.
struct FileBuilder {
    var color = Part.jpeg
    var mask = Part.png
    var slack: [UInt8] = []
    var extensionFields: [UInt8] = []
    var imageSize: UInt32?
    var maskSize: UInt32?
    var footerSize: UInt16?
    var major: UInt8 = 1
    var minor: UInt8 = 0
    var identifier = "GNPJ"

    var bytes: [UInt8] {
        let image = imageSize ?? UInt32(color.count)
        let mask = maskSize ?? UInt32(self.mask.count)
        let footer = footerSize ?? UInt16(16 + extensionFields.count)
        var bytes = color + self.mask + slack + extensionFields
        for size in [image, mask] {
            bytes += [UInt8(size & 255), UInt8(size >> 8 & 255), UInt8(size >> 16 & 255), UInt8(size >> 24)]
        }
        bytes += [UInt8(footer & 255), UInt8(footer >> 8), major, minor]
        return bytes + Array(identifier.utf8)
    }
}

func caught<T>(_ body: () throws(JPNGError) -> T) -> JPNGError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
