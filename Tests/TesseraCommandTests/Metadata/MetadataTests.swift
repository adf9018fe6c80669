import Foundation
import ImageFormats
import Raster
import Tessera
import Testing
import TestSupport

/// Tags, read and changed without touching the image.
@Suite("tessera metadata")
struct MetadataTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let exiftool = CommandLineTool("exiftool")
    private static let formats: [(name: String, format: ImageFormat)] = [
        ("a.jpg", .jpeg), ("a.png", .png), ("a.webp", .webP),
    ]

    private func write(_ name: String, _ format: ImageFormat, _ metadata: ImageMetadata = ImageMetadata()) throws {
        try folder.write(Pictures.photograph().file(format, EncodingOptions(metadata: metadata)), to: name)
    }

    /// What ExifTool reads for some tags, one on a line; empty for none.
    private func read(_ name: String, _ tags: String...) throws -> [String] {
        let output = try Self.exiftool.output(
            ["-s3", "-f", "-c", "%+.6f"] + tags.map { "-\($0)" } + [folder.file(name)])
        let lines = String(decoding: try #require(output), as: UTF8.self)
        return lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            $0 == "-" ? "" : String($0)
        }
    }

    /// ExifTool's digest of the image data, which metadata has no part in.
    private func digest(_ name: String) throws -> String {
        try read(name, "ImageDataMD5").joined()
    }

    /// Problems that ExifTool finds in a file's metadata.
    private func problems(_ name: String) throws -> String {
        let output = try #require(
            try Self.exiftool.output(["-validate", "-a", "-warning", "-error", folder.file(name)]))
        return String(decoding: output, as: UTF8.self)
    }

    @Test("ExifTool reads what was set, and finds nothing wrong", .needs(exiftool), arguments: formats)
    func sets(_ name: String, _ format: ImageFormat) throws {
        try write(name, format)
        let before = try ImageSource.decode(folder.read(name)).bitmap
        let outcome = try Command.run(
            [
                "metadata", "set", name, "--in-place", "--tag", "Artist=Jane Doe", "--tag", "ExposureTime=1/125",
                "--tag", "FNumber=2.8", "--tag", "ISO=400", "--tag", "DateTimeOriginal=2024:05:31 12:00:00",
                "--tag", "GPSLatitude=48.858222", "--tag", "GPSLongitude=-2.2945", "--tag", "GPSAltitude=35.5",
                "--tag", "ExposureCompensation=-0.3", "--tag", "XMP:Title=Größe & <Maß>", "--tag", "XMP:Subject=sea",
                "--tag", "XMP:Subject=sun", "--tag", "XMP:Rating=5", "--tag", "UserComment=été",
            ], in: folder)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
        #expect(
            try read(
                name, "EXIF:Artist", "EXIF:ExposureTime", "EXIF:FNumber", "EXIF:ISO", "EXIF:DateTimeOriginal",
                "Composite:GPSLatitude", "Composite:GPSLongitude", "EXIF:GPSAltitude#", "EXIF:ExposureCompensation#",
                "XMP:Title", "XMP:Subject", "XMP:Rating", "EXIF:UserComment")
                == [
                    "Jane Doe", "1/125", "2.8", "400", "2024:05:31 12:00:00", "+48.858222", "-2.294500", "35.5", "-0.3",
                    "Größe & <Maß>", "sea, sun", "5", "été",
                ])
        let found = try problems(name)
        #expect(found.contains("OK"), "\(found)")
        #expect(try ImageSource.decode(folder.read(name)).bitmap.meanDifference(from: before) == 0)

        let printed = try Command.run("metadata", "get", name, "--json", in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(printed.output)) as? [String: Any]
        let tags = try #require(object?["tags"] as? [String: Any])
        #expect(tags["EXIF:Artist"] as? String == "Jane Doe" && tags["EXIF:ExposureTime"] as? String == "1/125")
        #expect(tags["EXIF:GPSLatitude"] as? String == "48.858222" && tags["EXIF:GPSLongitude"] as? String == "-2.2945")
        #expect(tags["XMP:Subject"] as? [String] == ["sea", "sun"] && tags["XMP:Title"] as? String == "Größe & <Maß>")
        #expect(tags["EXIF:UserComment"] as? String == "été")

        let information = try Command.run("info", name, in: folder)
        for line in [
            "  exposure:      1/125 s, f/2.8", "  ISO:           400", "  place:         48.858222, -2.2945, 35.5 m",
        ] {
            #expect(information.text.split(separator: "\n").contains(Substring(line)), "\(information.text)")
        }
        #expect(try Command.run("info", "--tags", name, in: folder).text.contains("  EXIF:Artist: Jane Doe"))
    }

    @Test("The image data stays as it was, byte for byte", .needs(exiftool), arguments: formats.prefix(2))
    func keepsImageData(_ name: String, _ format: ImageFormat) throws {
        try write(name, format, ImageMetadata(resolution: .init(horizontal: 72, vertical: 72)))
        let file = try folder.read(name)
        let marker: [UInt8] = format == .jpeg ? [0xFF, 0xDB] : Array("IDAT".utf8)
        func data(_ file: [UInt8]) throws -> ArraySlice<UInt8> {
            let start = try #require(file.indices.first { file[$0...].starts(with: marker) })
            return file[start...]
        }
        for arguments in [
            ["set", name, "--tag", "Artist=Jane"], ["set", name, "--tag", "XMP:Label=red"], ["remove", name],
        ] {
            #expect(try Command.run(["metadata"] + arguments + ["--in-place"], in: folder).status == 0)
            let (new, old) = (try data(folder.read(name)), try data(file))
            #expect(new.elementsEqual(old))
        }
    }

    @Test("IPTC is read and written as ExifTool does", .needs(exiftool))
    func setsIPTC() throws {
        try write("a.jpg", .jpeg)
        try #require(
            try Self.exiftool.run([
                "-q", "-overwrite_original", "-IPTC:City=M\u{FC}nchen", "-IPTC:Credit=x", folder.file("a.jpg"),
            ]))
        #expect(try Command.run("metadata", "get", "a.jpg", "--tag", "IPTC:City", in: folder).text.contains("München"))
        let outcome = try Command.run(
            "metadata", "set", "a.jpg", "--in-place", "--tag", "IPTC:Keywords=Łódź", "--tag", "IPTC:Keywords=b",
            "--tag",
            "IPTC:Credit=", in: folder)
        #expect(outcome.status == 0)
        #expect(try read("a.jpg", "IPTC:Keywords", "IPTC:City", "IPTC:Credit") == ["Łódź, b", "München", ""])
        let found = try problems("a.jpg")
        #expect(found.contains("OK"), "\(found)")
        #expect(try Command.run("metadata", "remove", "a.jpg", "--in-place", "--tag", "IPTC", in: folder).status == 0)
        #expect(try read("a.jpg", "IPTC:City") == [""])
    }

    @Test("Dates are shifted in EXIF, XMP and IPTC, over months and leap years", .needs(exiftool))
    func shiftsDates() throws {
        try write("a.jpg", .jpeg)
        try #require(
            try Self.exiftool.run([
                "-q", "-overwrite_original", "-EXIF:DateTimeOriginal=2024:02:28 23:30:00",
                "-EXIF:ModifyDate=2023:12:31 23:59:59", "-XMP:CreateDate=2024:03:01 00:15:00+02:00",
                "-IPTC:DateCreated=2024:02:29", "-IPTC:TimeCreated=00:10:00+00:00", folder.file("a.jpg"),
            ]))
        let tags = [
            "EXIF:DateTimeOriginal", "EXIF:ModifyDate", "XMP:CreateDate", "IPTC:DateCreated", "IPTC:TimeCreated",
        ]
        let before = try read("a.jpg", tags[0], tags[1], tags[2], tags[3], tags[4])
        for (shift, expected) in [
            (
                "+1h",
                [
                    "2024:02:29 00:30:00", "2024:01:01 00:59:59", "2024:03:01 01:15:00+02:00", "2024:02:29",
                    "01:10:00+00:00",
                ]
            ), ("-1h", before),
            (
                "-1d30m",
                [
                    "2024:02:27 23:00:00", "2023:12:30 23:29:59", "2024:02:28 23:45:00+02:00", "2024:02:27",
                    "23:40:00+00:00",
                ]
            ),
        ] {
            #expect(
                try Command.run("metadata", "set", "a.jpg", "--in-place", "--shift-dates", shift, in: folder).status
                    == 0)
            #expect(try read("a.jpg", tags[0], tags[1], tags[2], tags[3], tags[4]) == expected, "\(shift)")
        }
    }

    @Test("Removed positions are gone from the file, and other tags stay", .needs(exiftool))
    func removesPositions() throws {
        try write("a.jpg", .jpeg)
        try #require(
            try Self.exiftool.run([
                "-q", "-overwrite_original", "-GPSLatitude=48.858222", "-GPSLatitudeRef=N", "-GPSMapDatum=WGS-84 here",
                "-Artist=Jane", "-XMP:Label=red", folder.file("a.jpg"),
            ]))
        #expect(try Command.run("metadata", "remove", "a.jpg", "--in-place", "--tag", "GPS", in: folder).status == 0)
        #expect(try read("a.jpg", "EXIF:GPSLatitude", "EXIF:Artist", "XMP:Label") == ["", "Jane", "red"])
        let file = try folder.read("a.jpg")
        let datum = Array("WGS-84 here".utf8)
        #expect(!file.indices.contains { file[$0...].starts(with: datum) })
        let found = try problems("a.jpg")
        #expect(found.contains("OK"), "\(found)")
    }

    @Test("All metadata is copied to another format, and a tag alone", .needs(exiftool), arguments: formats)
    func copies(_ name: String, _ format: ImageFormat) throws {
        try write("source.jpg", .jpeg, ImageMetadata(orientation: .left))
        try #require(
            try Self.exiftool.run([
                "-q", "-overwrite_original", "-Artist=Jane", "-Make=Acme", "-XMP:Label=red", folder.file("source.jpg"),
            ]))
        try write(name, format)
        #expect(
            try Command.run("metadata", "copy", "source.jpg", name, "one-\(name)", "--tag", "Make", in: folder).status
                == 0)
        #expect(try read("one-\(name)", "EXIF:Make", "EXIF:Artist", "XMP:Label") == ["Acme", "", ""])
        #expect(try Command.run("metadata", "copy", "source.jpg", name, "--in-place", in: folder).status == 0)
        #expect(try read(name, "EXIF:Make", "EXIF:Artist", "XMP:Label") == ["Acme", "Jane", "red"])
        // The orientation is the image's own.
        #expect(try ImageSource.header(of: folder.read(name)).metadata.orientation == .up)
    }

    @Test("A folder's files are changed, and those of other formats left alone")
    func changesFolders() throws {
        for (name, format) in Self.formats { try write("in/\(name)", format) }
        try write("in/b/a.jpg", .jpeg)
        try write("in/a.gif", .gif)
        let outcome = try Command.run(
            "metadata", "set", "in", "--recursive", "--output-dir", "out", "--tag", "Artist=Jane", in: folder)
        #expect(outcome.status == 0 && outcome.errors.hasPrefix("4 of 4 files changed"), "\(outcome.errors)")
        #expect(try folder.names(in: "out") == ["a.jpg", "a.png", "a.webp", "b"])
        let printed = try Command.run("metadata", "get", "out", "-r", "--tag", "Artist", in: folder)
        #expect(printed.text.split(separator: "\n").filter { $0.hasPrefix("EXIF:Artist") }.count == 4)
    }

    /// An EXIF block whose first entry is `entry`, 12 bytes.
    private static func block(_ entry: [UInt8], count: UInt8 = 1) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, count] + entry + [0, 0, 0, 0]
    }

    @Test(
        "A hostile EXIF block isn't edited, and can be removed",
        arguments: [
            [1, 2, 3], block([0x01, 0x3B, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 26]),
            block([0x01, 0x3B, 0, 99, 0, 0, 0, 1, 0, 0, 0, 0]),
            block([0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0xFF, 0xF0]),
            block([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8]),
            block([0x01, 0x3B, 0, 5, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 8]), block([], count: 200),
        ])
    func refusesHostileBlocks(_ block: [UInt8]) throws {
        let exif = Array("Exif".utf8) + [0, 0] + block
        let file = try Pictures.photograph().file(.jpeg)
        try folder.write(
            Array(file.prefix(2)) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file.dropFirst(2), to: "a.jpg")
        let before = try folder.read("a.jpg")
        let outcome = try Command.run("metadata", "set", "a.jpg", "--in-place", "--tag", "Artist=x", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("EXIF"), "\(outcome.errors)")
        #expect(try folder.read("a.jpg") == before)
        #expect(try Command.run("metadata", "get", "a.jpg", in: folder).status == 0)
        #expect(try Command.run("metadata", "remove", "a.jpg", "--in-place", "--tag", "EXIF", in: folder).status == 0)
        #expect(try folder.read("a.jpg") == file)
    }

    @Test("A first directory that moves behind the next one has the room that ExifTool expects", .needs(exiftool))
    func movesDirectories() throws {
        // An empty directory, and one of nine entries for the thumbnail, which isn't there.
        let tags = [0x00FE, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0115, 0x0201, 0x0202]
        let entries = tags.flatMap { (tag: Int) -> [UInt8] in
            [UInt8(tag >> 8), UInt8(tag & 255), 0, 4, 0, 0, 0, 1, 0, 0, 0, 1]
        }
        let block: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 14, 0, 9] + entries + [0, 0, 0, 0]
        try write("a.jpg", .jpeg)
        let file = try folder.read("a.jpg")
        let exif = Array("Exif".utf8) + [0, 0] + block
        try folder.write(
            Array(file.prefix(2)) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file.dropFirst(2), to: "a.jpg")
        #expect(try Command.run("metadata", "set", "a.jpg", "--in-place", "--tag", "Artist=x", in: folder).status == 0)
        let found = try problems("a.jpg")
        #expect(!found.contains("Short directory"), "\(found)")
        #expect(try read("a.jpg", "EXIF:Artist", "IFD1:ImageWidth#") == ["x", "1"])
    }

    @Test("Bytes between segments don't become markers when segments move")
    func leavesGapsOut() throws {
        let file = try Pictures.photograph().file(.jpeg)
        let tables = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xDB]) })
        let fill = [UInt8](repeating: 0xFF, count: 70)
        let rest = file[tables...]
        // Fill bytes before a segment, behind which the rest begins without its FF or with other bytes.
        let files: [[UInt8]] = [
            [0xFF, 0xD8] + fill + [0xFF, 0xE5, 0, 2, 0xDA, 0, 8] + rest,
            [0xFF, 0xD8] + fill + [0xFF, 0xFE, 0, 3, 65] + rest,
            [0xFF, 0xD8, 0xFF, 0xE5, 0, 2, 0, 1, 2] + rest, [0xFF, 0xD8, 0xFF, 0xFF, 0xE2, 0, 2, 0xD9] + fill + rest,
        ]
        for (index, damaged) in files.enumerated() {
            try folder.write(damaged, to: "a.jpg")
            for arguments in [["set", "a.jpg", "b.jpg", "--tag", "Artist=x"], ["remove", "a.jpg", "b.jpg"]] {
                let outcome = try Command.run(["metadata"] + arguments + ["--force"], in: folder)
                #expect(outcome.status == 0, "\(index): \(outcome.errors)")
                let result = try ImageSource.decode(folder.read("b.jpg"))
                // Nothing is there to remove, so the file stays.
                #expect(result.error == nil || arguments[0] == "remove")
                #expect(try result.bitmap.meanDifference(from: ImageSource.decode(damaged).bitmap) == 0)
            }
        }
    }

    @Test("An index of further images that points outside its segment is no reason to write there")
    func keepsBytesBehindIndexes() throws {
        let file = try Pictures.photograph().file(.jpeg)
        // Offsets within and behind the segment, over fill bytes and over tables.
        for offset: UInt8 in [46, 60, 90, 110, 130] {
            let index: [UInt8] =
                [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2, 0xB0, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1]
                + [0xB0, 0x02, 0, 7, 0, 0, 0, 16, 0, 0, 0, offset, 0, 0, 0, 0]
            let payload = Array("MPF".utf8) + [0] + index
            let fill = [UInt8](repeating: 0xFF, count: 70)
            try folder.write(
                Array(file.prefix(2)) + [0xFF, 0xE2, 0, UInt8(payload.count + 2)] + payload + fill + file.dropFirst(2),
                to: "a.jpg")
            let outcome = try Command.run("metadata", "set", "a.jpg", "b.jpg", "-f", "--tag", "Artist=x", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let (old, new) = (try folder.read("a.jpg"), try folder.read("b.jpg"))
            // The tables and the scan, which follow the segments, are as they were.
            let tables = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xDB]) })
            #expect(new.suffix(file.count - tables).elementsEqual(old.suffix(file.count - tables)), "\(offset)")
            #expect(try ImageSource.decode(new).bitmap.meanDifference(from: ImageSource.decode(file).bitmap) == 0)
        }
    }

    @Test(
        "What makes no sense is refused, and nothing is written",
        arguments: [
            Refusal("set", "a.jpg", "--in-place", says: "there is nothing to set"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "Artist", says: "as in 'Artist=Jane Doe'"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "Nonsense=1", says: "\"Nonsense\" is no tag"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "MakerNote=1", says: "MakerNote can't be set"),
            Refusal("set", "a.jpg", "--in-place", "--shift-dates", "soon", says: "as in -1h30m or 2d"),
            Refusal("set", "a.jpg", "--tag", "Artist=x", says: "--in-place or --output-dir"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "ISO=fast", status: 1, says: "is no value for ISO"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "GPSLatitude=91", status: 1, says: "degrees as a decimal"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "FNumber=-1", status: 1, says: "a number such as 2.8"),
            Refusal("set", "a.jpg", "--in-place", "--tag", "ModifyDate=today", status: 1, says: "2024:05:31 12:00:00"),
            Refusal("set", "a.png", "--in-place", "--tag", "IPTC:City=x", status: 1, says: "PNG has no place for IPTC"),
            Refusal("set", "a.gif", "--in-place", "--tag", "Artist=x", status: 1, says: "JPEG, PNG and WebP"),
            Refusal("set", "cut.jpg", "--in-place", "--tag", "Artist=x", status: 1, says: "cut.jpg: "),
            Refusal("get", "a.jpg", "--tag", "Nonsense", says: "Nonsense"),
            Refusal("get", "missing.jpg", status: 1, says: "missing.jpg can't be read"),
            Refusal("copy", "missing.jpg", "a.jpg", "--in-place", status: 1, says: "missing.jpg can't be read"),
        ])
    func refusals(_ refusal: Refusal) throws {
        for (name, format) in Self.formats + [("a.gif", .gif)] { try write(name, format) }
        try folder.write(folder.read("a.jpg").dropLast(100), to: "cut.jpg")
        let before = try folder.names().map { try folder.read($0) }
        let outcome = try Command.run(["metadata"] + refusal.arguments, in: folder)
        #expect(outcome.status == refusal.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(refusal.message), "\(outcome.errors)")
        #expect(try folder.names().map { try folder.read($0) } == before)
    }
}
