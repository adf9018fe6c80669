import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Images opened in one call")
struct ImageReadingTests {
    /// The formats that this build writes, and so has files of. What is written as HEIF is read as HEIC.
    static let formats = CodecRegistry.default.encodableFormats.filter { $0 != .heif }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A path, an array, Data, a slice and a source are the same lazy image", arguments: formats)
    func forms(_ format: ImageFormat) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 48, height: 30))
        let bytes = try ImageDestination(format: format).encode(bitmap)
        let path = try folder.write(bytes, to: "image")
        let expected = try ImageSource.decode(bytes).bitmap
        let images = [
            try Image(path: path), try Image(data: bytes), try Image(data: Data(bytes)),
            try Image(data: ([0] + bytes).dropFirst()), try Image(Source(path: path)), try Image(Source(Data(bytes))),
        ]
        for image in images {
            #expect(!image.isDecoded && image.format == format && image.size == expected.size)
            #expect(image.info == expected.info)
            #expect(try image.bitmap().tightBytes() == expected.tightBytes())
            #expect(image.isDecoded)
        }
    }

    @Test("Images are upright", arguments: Orientation.allCases)
    func upright(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.pattern(11, 7)
        let options = EncodingOptions(metadata: ImageMetadata(orientation: orientation))
        let image = try Image(data: ImageDestination(format: .png, options: options).encode(bitmap))
        #expect(image.size == orientation.applied(to: bitmap.size))
        #expect(try image.bitmap().tightBytes() == bitmap.oriented(by: orientation).tightBytes())
    }

    @Test("What is opened holds no descriptor, so that a program can hold any number of images")
    func manyFiles() throws {
        let path = try folder.write(ImageDestination(format: .png).encode(Bitmap.pattern(3, 2)), to: "small.png")
        let images = try (0..<3000).map { _ in try Image(path: path) }
        #expect(try images[2999].bitmap().size == PixelSize(width: 3, height: 2))
    }

    @Test("A file that has changed since it was opened is refused")
    func changedFile() throws {
        let destination = try ImageDestination(format: .png)
        let path = try folder.write(destination.encode(Bitmap.pattern(3, 2)), to: "a.png")
        let image = try Image(path: path)
        try FileManager.default.removeItem(atPath: path)
        try folder.write(destination.encode(Bitmap.pattern(30, 20)), to: "a.png")
        let error = try #require(throws: ImageError.self) { try image.bitmap() }
        #expect(error.code == .inputOutput)
        #expect(error.message == "\(path): file has changed since its header was read; open it again")
    }

    @Test("What can't be opened says which file and why")
    func failures() throws {
        let png = try ImageDestination(format: .png).encode(Bitmap.pattern(40, 30))
        let missing = folder.file("missing.png")
        let cases: [(bytes: [UInt8]?, code: ImageError.Code, words: String)] = [
            (nil, .inputOutput, "No such file"),
            ([], .unknownFormat, "no bytes"),
            (Array("just some words, and then more of them".utf8), .unknownFormat, "not in any format"),
            (Array("%!PS-Adobe-3.0 and so on and on".utf8), .unknownFormat, "a PostScript document, not an image"),
            (Array(png.prefix(12)), .truncated, "ends before its header does"),
        ]
        for (bytes, code, words) in cases {
            let path = try bytes.map { try folder.write($0, to: "file") } ?? missing
            let error = try #require(throws: ImageError.self) { try Image(path: path) }
            #expect(error.code == code)
            #expect(error.message.contains(path) && error.message.contains(words), "\(error)")
            guard let bytes else { continue }
            #expect(errorCode { try Image(data: bytes) } == code)
            #expect(errorCode { try Image(data: Data(bytes)) } == code)
        }
        #expect(errorCode { try Image(path: folder.path) } == .inputOutput)
    }

    @Test("Truncated pixels are found when they are asked for, with the file's name")
    func truncatedPixels() throws {
        let png = try ImageDestination(format: .png).encode(Bitmap.grainy(PixelSize(width: 64, height: 64)))
        let path = try folder.write(Array(png.prefix(png.count / 2)), to: "half.png")
        let image = try Image(path: path)
        let error = try #require(throws: ImageError.self) { try image.bitmap() }
        #expect(error.code == .truncated && error.message.hasPrefix("\(path): "))
        #expect(errorCode { try image.write(to: folder.file("out.png")) } == .truncated)
        #expect(try folder.names() == ["half.png"])
    }
}
