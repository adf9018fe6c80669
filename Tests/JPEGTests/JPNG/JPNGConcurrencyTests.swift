import ImageFormats
import Raster
import Testing

@Suite("JPNG decoded by many tasks at once")
struct JPNGConcurrencyTests {
    private typealias Fixture = JPNGFixture

    /// Files of both versions and several sizes, each with what one task alone decodes of it.
    private static func files() throws -> [(bytes: [UInt8], expected: [UInt8])] {
        try [(96, 64, 1), (96, 64, 2), (33, 200, 1), (7, 5, 2)].map { width, height, version in
            let bytes = try Fixture.cutout(width, height).jpngData(version: version)
            return (bytes, try Image(jpngData: bytes).bitmap().tightBytes())
        }
    }

    @Test("All tasks request pixels, regions and reduced sizes of one image while its pixels are dropped")
    func oneImage() async throws {
        for file in try Self.files() {
            let image = try Image(jpngData: file.bytes)
            let part = PixelRect(x: 2, y: 1, width: 4, height: 3)
            let cut = try image.bitmap(for: DecodingPlan(region: part)).tightBytes()
            let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        switch number % 4 {
                        case 0:
                            image.removeDecodedPixels()
                            return false
                        case 1: return try image.bitmap(for: DecodingPlan(region: part)).tightBytes() != cut
                        case 2:
                            let plan = DecodingPlan(targetSize: PixelSize(width: 3, height: 3))
                            return try image.bitmap(for: plan).alpha == .none
                        default: return try image.bitmap().tightBytes() != file.expected
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wrong == 0)
        }
    }

    @Test("Several files decode whole, decode while arriving and are encoded concurrently")
    func manyFiles() async throws {
        let files = try Self.files()
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                let file = files[number % files.count]
                group.addTask {
                    guard number % 3 != 0 else {
                        let image = try Image(jpngData: file.bytes)
                        let again = try image.jpngData(quality: 1)
                        return try Fixture.alpha(Image(jpngData: again).bitmap()) != Fixture.alpha(image.bitmap())
                    }
                    guard number % 3 == 1 else {
                        return try ImageSource.decode(file.bytes).bitmap.tightBytes() != file.expected
                    }
                    let source = ImageSource()
                    for start in stride(from: 0, to: file.bytes.count, by: 97) {
                        try source.append(Array(file.bytes[start..<min(file.bytes.count, start + 97)]))
                    }
                    try source.finish()
                    return try source.currentBitmap()?.tightBytes() != file.expected
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
    }
}
