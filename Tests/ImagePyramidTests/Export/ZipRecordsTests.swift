import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

import ImagePyramid

@Suite("Zip archives")
struct ZipRecordsTests {
    @Test("Archives of more than 65535 files and beyond 4 GB are read by Python and here", .needs(.python))
    func large() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.zip")
        let file = try OutputFile(path: path, overwrites: false)
        let gap = 5 << 30
        let (count, content) = (66000, Array("tile".utf8))
        var directory: [UInt8] = []
        // Half of the files lie behind a hole that takes no room on the disk.
        var records: [UInt8] = []
        for index in 0..<count {
            if index == count / 2 {
                try file.write(records, at: 0)
                records = []
            }
            let offset = records.count + (index < count / 2 ? 0 : gap)
            let name = Array("a/\(index)".utf8)
            let checksum = CRC32.of(content)
            records += ZipRecords.localHeader(name, byteCount: 4, checksum: checksum) + content
            ZipRecords.append(
                ZipRecords.Entry(name: name, offset: UInt64(offset), byteCount: 4, checksum: checksum), to: &directory)
        }
        try file.write(records, at: gap)
        let start = gap + records.count
        try file.write(
            directory
                + ZipRecords.end(count: count, directoryOffset: start, directoryByteCount: directory.count), at: start)
        try file.commit()

        let files = try ZipFiles(path: path)
        for index in [0, 1, count / 2 - 1, count / 2, count - 1] { #expect(try files.read("a/\(index)") == content) }
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            names = z.namelist()
            assert len(names) == 66000
            assert all(z.read(n) == b"tile" for n in names[::1000])
            print("good", end="")
            """
        #expect(try CommandLineTool.python.output(["-c", script, path]) == Array("good".utf8))
    }

    @Test("Damaged archives give an error or complete tiles, never a trap")
    func damage() throws {
        let folder = try TemporaryFolder()
        let geometry = try PyramidGeometry(size: PixelSize(width: 100, height: 80), tileSize: 64)
        let maker = try PlainTileMaker(.grainy(geometry.size), geometry, TileEncoding())
        let sink = try ZipSink(
            path: folder.file("a.zip"), layout: .zoomify, geometry: geometry, encoding: maker.encoding)
        try maker.write(to: sink)
        try sink.finish()
        let bytes = try folder.read("a.zip")
        var generator = SeededGenerator(7)
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { damaged.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            try folder.write(damaged, to: "b.zip")
            guard let pyramid = try? TreePyramid(path: folder.file("b.zip")), pyramid.geometry == geometry else {
                continue
            }
            for address in maker.addresses {
                guard let tile = try? pyramid.tile(at: address) else { continue }
                #expect(try tile == maker.tile(address))
            }
        }
    }
}
