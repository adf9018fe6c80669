import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Platform
import Raster
import TestSupport
import Testing

import ImagePyramid

@Suite("A packed pyramid")
struct PackedPyramidTests {
    private let folder: TemporaryFolder
    private let maker: PlainTileMaker
    private var path: String { folder.file("a.pyramid") }

    init() throws {
        folder = try TemporaryFolder()
        let geometry = try PyramidGeometry(size: PixelSize(width: 700, height: 515), tileSize: 64, overlap: 1)
        maker = try PlainTileMaker(.grainy(geometry.size), geometry, TileEncoding(quality: 0.9))
    }

    private func makeWriter(
        _ encoding: TileEncoding? = nil, metadata: [String: String] = [:], overwrites: Bool = false,
        resumes: Bool = false
    ) throws -> PackedPyramidWriter {
        try PackedPyramidWriter(
            path: path, geometry: maker.geometry, encoding: encoding ?? maker.encoding, metadata: metadata,
            overwrites: overwrites, resumes: resumes)
    }

    @discardableResult
    private func write() throws -> [UInt8] {
        let writer = try makeWriter(metadata: ["source": "a.jpg", "": "empty", "ö": ""])
        try maker.write(to: writer)
        try writer.finish()
        return try folder.read("a.pyramid")
    }

    @Test("Tiles written by several threads are read back with their metadata")
    func roundTrip() throws {
        try write()
        let pyramid = try PackedPyramid(path: path)
        #expect(pyramid.geometry == maker.geometry)
        #expect(pyramid.encoding == maker.encoding)
        #expect(pyramid.metadata == ["source": "a.jpg", "": "empty", "ö": ""])
        #expect(pyramid.presentTileCount == maker.addresses.count)
        for address in maker.addresses {
            let tile = try pyramid.tile(at: address)
            #expect(try tile == maker.tile(address), "\(address)")
            let range = try #require(try pyramid.range(of: address))
            #expect(range.count == tile?.count)
        }
        #expect(try folder.names() == ["a.pyramid"])
    }

    @Test("An unfinished pyramid leaves no file")
    func unfinished() throws {
        var writer: PackedPyramidWriter? = try makeWriter()
        if let writer { try maker.write(to: writer) }
        // Hidden where the system has no files without a name.
        #expect(try folder.names().count == (UnnamedFile.canBeNamed ? 0 : 1))
        writer = nil
        #expect(try folder.names() == [])
    }

    @Test("Missing tiles are nil, and the others are counted")
    func missing() throws {
        let writer = try makeWriter()
        try maker.write(Array(maker.addresses.prefix(5)), to: writer)
        try writer.finish()
        let pyramid = try PackedPyramid(path: path)
        #expect(pyramid.presentTileCount == 5)
        #expect(try pyramid.tile(at: maker.addresses[4]) != nil)
        #expect(try pyramid.tile(at: maker.addresses[5]) == nil)
    }

    @Test("An existing file stays, unless it may be replaced")
    func existing() throws {
        try folder.write([1, 2, 3], to: "a.pyramid")
        #expect(errorCode { try makeWriter() } == .inputOutput)
        #expect(errorCode { try makeWriter(resumes: true) } == .inputOutput)
        let writer = try makeWriter(overwrites: true)
        try maker.write(to: writer)
        #expect(try folder.read("a.pyramid") == [1, 2, 3])
        try writer.finish()
        #expect(try PackedPyramid(path: path).presentTileCount == maker.addresses.count)
    }

    @Test("An interrupted run is resumed, and only missing tiles are made")
    func resuming() throws {
        let addresses = maker.addresses
        do {
            // Flushed by finishing the appender only: the pieces of this small picture are never full.
            let first = try makeWriter(resumes: true)
            try maker.write(Array(addresses.prefix(60)), to: first)
            try first.flush()
            try maker.write(Array(addresses[60..<80]), to: first)
        }
        #expect(try folder.names() == ["a.pyramid.part"])
        #expect(errorCode { try PackedPyramid(path: path + ".part") } == .truncated)
        let second = try makeWriter(resumes: true)
        #expect(second.resumedTileCount == 60)
        #expect(addresses.prefix(60).allSatisfy { second.contains($0) })
        #expect(addresses.dropFirst(60).allSatisfy { !second.contains($0) })
        try maker.write(to: second)
        try second.finish()
        #expect(try folder.names() == ["a.pyramid"])
        let pyramid = try PackedPyramid(path: path)
        for address in addresses { #expect(try pyramid.tile(at: address) == maker.tile(address)) }
    }

    @Test("A writer waits a moment for a partial file that is locked")
    func waitsForALock() throws {
        // It waits for two seconds, in which a busy machine may not run the thread that unlocks: one time of ten is enough.
        for attempt in 1...10 {
            try folder.write([], to: "a.pyramid.part")
            let number = SystemCall.open(path + ".part", O_RDWR)
            #expect(flock(number, LOCK_EX) == 0)
            let isUnlocked = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // That a writer has found the lock can't be seen from outside.
                usleep(200_000)
                close(number)
                isUnlocked.signal()
            }
            let writer = Result { try makeWriter(resumes: true) }
            isUnlocked.wait()
            if case .success = writer { return }
            if attempt == 10 { _ = try writer.get() }
        }
    }

    @Test("A partial file of other tiles is replaced, and a damaged tile is dropped")
    func resumingOthers() throws {
        do {
            let first = try makeWriter(resumes: true)
            try maker.write(to: first)
            try first.flush()
        }
        var bytes = try folder.read("a.pyramid.part")
        // A tile's bytes stand behind the header, the metadata's length and the chunk's header.
        bytes[PackedHeader.byteCount + 4 + PackedChunk.headerByteCount + 40] ^= 0xFF
        try folder.write(bytes, to: "a.pyramid.part")
        #expect(try makeWriter(resumes: true).resumedTileCount == maker.addresses.count - 1)
        #expect(try makeWriter(metadata: ["source": "b.jpg"], resumes: true).resumedTileCount == 0)
        #expect(try makeWriter(TileEncoding(quality: 0.5), resumes: true).resumedTileCount == 0)
    }

    @Test("Two writers can't resume the same file")
    func locked() throws {
        let first = try makeWriter(resumes: true)
        #expect(errorCode { try makeWriter(resumes: true) } == .inputOutput)
        withExtendedLifetime(first) {}
    }

    @Test("A truncated file is refused, and every wrong byte of its header or index is detected")
    func damage() throws {
        let bytes = try write()
        for count in stride(from: 0, to: bytes.count, by: 997) {
            try folder.write(Array(bytes.prefix(count)), to: "cut.pyramid")
            let code = errorCode { try PackedPyramid(path: folder.file("cut.pyramid")) }
            #expect(code == (count < 8 ? .unknownFormat : count < 128 ? .truncated : .corrupt), "\(count)")
        }
        let index = bytes.count - maker.addresses.count * 16
        for position in Array(0..<128) + Array(stride(from: index, to: bytes.count, by: 7)) {
            var damaged = bytes
            damaged[position] ^= 0x10
            try folder.write(damaged, to: "damaged.pyramid")
            #expect(errorCode { try PackedPyramid(path: folder.file("damaged.pyramid")) } != nil, "\(position)")
        }
    }

    @Test("A damaged tile is an error, and the others are read")
    func damagedTile() throws {
        var bytes = try write()
        let first = TileAddress(level: 0, column: 0, row: 0)
        let range = try #require(try PackedPyramid(path: path).range(of: first))
        bytes[range.lowerBound + 100] ^= 1
        try folder.write(bytes, to: "a.pyramid")
        let pyramid = try PackedPyramid(path: path)
        #expect(errorCode { try pyramid.tile(at: first) } == .corrupt)
        #expect(try pyramid.tile(at: TileAddress(level: 0, column: 1, row: 0)) != nil)
    }

    @Test("A false header with a valid checksum is refused before memory is allocated")
    func lies() throws {
        let bytes = try write()
        let lies: [(offset: Int, value: [UInt8])] = [
            (12, [99, 0, 0, 0]), (16, [255, 255, 255, 255]), (16, [0, 0, 0, 0]), (24, [1, 0, 0, 0]),
            (24, [0, 0, 0, 0]), (28, [65, 0, 0, 0]), (32, [1, 2, 3, 4]),
            (48, [255, 255, 255, 255, 255, 255, 255, 255]),
            (64, [0, 0, 0, 0, 0, 1, 0, 0]), (64, [255, 255, 255, 127, 0, 0, 0, 0]), (72, [255, 255, 255, 127]),
            (80, [255, 255, 255, 127]), (8, [2, 0, 0, 0]),
        ]
        for lie in lies {
            var lying = bytes
            lying.replaceSubrange(lie.offset..<lie.offset + lie.value.count, with: lie.value)
            lying.set(littleEndian: CRC32.of(lying[..<124]), at: 124)
            try folder.write(lying, to: "lying.pyramid")
            #expect(errorCode { try PackedPyramid(path: folder.file("lying.pyramid")) } != nil, "\(lie)")
        }
    }

    @Test("Values that a packed file can't store are refused")
    func refusals() throws {
        #expect(errorCode { try makeWriter(TileEncoding(format: .gif)) } == .invalidParameter)
        #expect(errorCode { try makeWriter(TileEncoding(padding: .edges)) } == .invalidParameter)
        #expect(errorCode { try makeWriter(metadata: ["a": "b\0"]) } == .invalidParameter)
        #expect(errorCode { try PackedPyramid(path: folder.path) } == .inputOutput)
        #expect(errorCode { try PackedPyramid(path: folder.file("none")) } == .inputOutput)
    }
}
