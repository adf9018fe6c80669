import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// What is wrong with the map never keeps the base from being read.
@Suite("Damaged gain maps")
struct GainMapDamageTests {
    private let file: [UInt8]
    /// The offset of the index of images, from its byte order on.
    private let index: Int
    /// The offset of the map.
    private let map: Int

    init() throws {
        file = try GainMapFixture.file(GainMapFixture.image())
        index = try GainMapFixture.offset(of: Array("MPF\0".utf8), in: file) + 4
        map = try GainMapFixture.offset(of: [0xFF, 0xD9, 0xFF, 0xD8], in: file) + 2
    }

    /// The file with `bytes` at `offset`.
    private func patched(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        file[..<offset] + bytes + file[(offset + bytes.count)...]
    }

    private func bytes(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    /// Checks that `file` is read without a map, for the reason given.
    private func expect(_ code: ImageError.Code?, _ file: [UInt8]) throws {
        #expect(try GainMapFixture.error(in: file)?.code == code)
        let image = try Image(data: file)
        #expect(image.gainMap == nil)
        let whole = try ImageSource.decode(self.file).bitmap
        #expect(try image.bitmap().tightBytes() == whole.tightBytes())
        #expect(try Image(data: image.data(as: .jpeg)).gainMap == nil)
    }

    @Test("The fixture's places are right")
    func places() throws {
        #expect(file[map...].starts(with: [0xFF, 0xD8]))
        #expect(file[(index + 70)...].starts(with: bytes(file.count - map)))
        #expect(file[(index + 74)...].starts(with: bytes(map - index)))
        #expect(try Image(data: file).gainMap != nil)
    }

    @Test("A map beyond the file's end is missing", arguments: [1, 1000, 0x7FFF_FFFF])
    func beyond(shift: Int) throws {
        try expect(.truncated, patched(bytes(file.count - index + shift), at: index + 74))
        try expect(.truncated, patched(bytes(file.count - map + shift), at: index + 70))
        try expect(.truncated, Array(file.dropLast(min(shift, file.count - map - 100))))
    }

    @Test("An offset that leads back into the base isn't followed")
    func loops() throws {
        // The image list is refused where an image would begin within the index.
        try expect(.corrupt, patched(bytes(1), at: index + 74).replacing("GainMap", with: "GainMop"))
        // The base's entropy-coded data isn't a JPEG.
        try expect(.corrupt, patched(bytes(200), at: index + 74))
        // The base itself, once more behind itself, has only the versions.
        let doubled = Array(file[..<map]) + file
        let listed = Array(doubled[..<(index + 70)]) + bytes(file.count) + doubled[(index + 74)...]
        try expect(.corrupt, listed)
    }

    @Test("Without the index, the container's directory has the map's length")
    func container() throws {
        let image = try Image(data: patched("MPX\0".utf8.map { $0 }, at: index - 4))
        #expect(image.gainMap?.metadata == GainMapFixture.gray)
        // More bytes after the map move its place, where there is no JPEG then.
        try expect(.corrupt, patched("MPX\0".utf8.map { $0 }, at: index - 4) + [0, 0, 0])
    }

    @Test("Metadata that is damaged, and metadata of neither form")
    func metadata() throws {
        let block =
            try GainMapFixture.offset(
                of: Array("urn:iso:std:iso:ts:21496:-1\0".utf8), in: file, from: map) + 28
        // The denominator of the base's headroom, the version, and a gamma of 0.
        try expect(.corrupt, patched(bytes(0), at: block + 9))
        try expect(.unsupported, patched([0, 1], at: block))
        try expect(.corrupt, patched(bytes(0), at: block + 37))
        // The binary form under another name leaves XMP, which says the same.
        let renamed = patched(Array("xxx".utf8), at: block - 28)
        #expect(try Image(data: renamed).gainMap?.metadata == GainMapFixture.gray)
        try expect(.corrupt, renamed.replacing("hdr-gain-map", with: "hdr-gain-mop", from: map))
        try expect(.corrupt, renamed.replacing("hdrgm:GainMapMax", with: "hdrgm:GainMapMux", from: map))
    }

    @Test("The map's own pixels may be damaged, or claim too many")
    func pixels() throws {
        let frame = try GainMapFixture.offset(of: [0xFF, 0xC0], in: file, from: map)
        try expect(.limitExceeded, patched([0x7D, 0, 0x7D, 0], at: frame + 5))
        // The header is sound: the error comes with the pixels.
        let scan = try GainMapFixture.offset(of: [0xFF, 0xDA], in: file, from: frame)
        let cut = patched([0xFF, 0xD9], at: scan + 10)
        let image = try Image(data: cut)
        #expect(image.gainMap != nil)
        #expect(errorCode { try image.rendered(for: .high(headroom: 4)) } != nil)
    }

    @Test("Every byte of the map's head, and of the index, may be anything")
    func anyByte() throws {
        for offset in Array(index..<(index + 82)) + Array(map..<(map + 900)) {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                let damaged = patched([value], at: offset)
                // Either has a reason or a map whose numbers are sound.
                guard let map = try Image(data: damaged).gainMap else { continue }
                #expect(map.metadata.red.gamma > 0 && map.metadata.red.maximum.isFinite)
                #expect(!map.image.size.isEmpty)
            }
        }
    }
}

extension [UInt8] {
    /// The bytes with the first `text` from `start` on replaced by one of the same length.
    fileprivate func replacing(_ text: String, with other: String, from start: Int = 0) throws -> [UInt8] {
        let place = try GainMapFixture.offset(of: Array(text.utf8), in: self, from: start)
        return self[..<place] + Array(other.utf8) + self[(place + other.utf8.count)...]
    }
}
