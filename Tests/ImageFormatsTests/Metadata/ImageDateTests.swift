import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Dates of images")
struct ImageDateTests {
    @Test("EXIF dates are parsed")
    func exifTextIsRead() throws {
        let date = try #require(ImageDate(exif: "2024:02:29 23:59:60", subsecond: "045", offset: "-03:30"))
        #expect((date.year, date.month, date.day) == (2024, 2, 29))
        #expect((date.hour, date.minute, date.second) == (23, 59, 60))
        #expect(date.subsecond == "045" && date.offset == -210)
        #expect(date.exifText == "2024:02:29 23:59:60" && date.exifOffsetText == "-03:30")
        #expect(ImageDate(exif: "0007:01:09 03:04:05")?.exifText == "0007:01:09 03:04:05")
        // As others write it.
        #expect(ImageDate(exif: "2001-12-31T00:00:00") == ImageDate(exif: "2001:12:31 00:00:00"))
    }

    @Test(
        "Dates that aren't in the calendar are ignored",
        arguments: [
            "", "0000:00:00 00:00:00", "    :  :     :  :  ", "2023:02:29 00:00:00", "1900:02:29 00:00:00",
            "2024:13:01 00:00:00", "2024:00:01 00:00:00", "2024:04:31 00:00:00", "2024:01:00 00:00:00",
            "2024:01:01 24:00:00", "2024:01:01 00:60:00", "2024:01:01 00:00:61", "2024:01:01 00:00", "2024:01:01",
            "2024:01-01 00:00:00", "+024:01:01 00:00:00", "2024:01:01 00:00:00 ", "２024:01:01 0:00:00",
        ])
    func whatIsInNoCalendarIsNothing(_ text: String) {
        #expect(ImageDate(exif: text) == nil)
    }

    @Test("Invalid fractions and offsets are ignored")
    func companionsThatMakeNoSenseAreLeftOut() {
        for (text, offset) in [
            ("+01:00", 60), ("-00:30", -30), ("Z", 0), ("+14:00", 840), ("+15:00", nil), ("+01:60", nil),
            ("01:00", nil),
            ("   :  ", nil), ("", nil), ("+1:00", nil),
        ] as [(String, Int?)] {
            #expect(ImageDate(exif: "2024:01:01 00:00:00", offset: text)?.offset == offset, "\(text)")
        }
        for (text, subsecond) in [
            ("5", "5"), ("00", "00"), ("123456789", "123456789"), ("12   ", "12"), ("", nil), ("   ", nil),
            ("1.5", nil),
            ("1234567890", nil),
        ] as [(String, String?)] {
            #expect(ImageDate(exif: "2024:01:01 00:00:00", subsecond: text)?.subsecond == subsecond, "\(text)")
        }
    }

    /// A block with the three dates, put together by the book.
    private func block(isLittleEndian: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return isLittleEndian ? bytes : bytes.reversed()
        }
        func directory(_ texts: [(Int, String)], _ longs: [(Int, Int)], at start: Int) -> [UInt8] {
            var entries: [(Int, [UInt8])] = longs.map {
                ($0.0, number($0.0, 2) + number(4, 2) + number(1, 4) + number($0.1, 4))
            }
            var data: [UInt8] = []
            let end = start + 2 + 12 * (texts.count + longs.count) + 4
            for (tag, text) in texts {
                let bytes = Array(text.utf8) + [0]
                let value =
                    bytes.count <= 4
                    ? bytes + [UInt8](repeating: 0, count: 4 - bytes.count) : number(end + data.count, 4)
                entries.append((tag, number(tag, 2) + number(2, 2) + number(bytes.count, 4) + value))
                if bytes.count > 4 { data += bytes + (bytes.count % 2 == 0 ? [] : [0]) }
            }
            entries.sort { $0.0 < $1.0 }
            return number(entries.count, 2) + entries.flatMap(\.1) + [0, 0, 0, 0] + data
        }
        let first = directory([(0x0132, "2024:03:03 03:03:03")], [(0x8769, 100)], at: 8)
        let head = (isLittleEndian ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]) + first
        let details = directory(
            [
                (0x9003, "2024:01:01 01:01:01"), (0x9004, "2024:02:02 02:02:02"), (0x9010, "+03:00"),
                (0x9011, "-01:00"),
                (0x9290, "3"), (0x9291, "111"), (0x9292, "22222"),
            ], [], at: 100)
        return head + [UInt8](repeating: 0, count: 100 - head.count) + details
    }

    @Test("The three EXIF dates are read", arguments: [false, true])
    func theThreeDatesAreRead(isLittleEndian: Bool) throws {
        let exif = block(isLittleEndian: isLittleEndian)
        for format in [ImageFormat.jpeg, .png] {
            let options = EncodingOptions(metadata: ImageMetadata(exif: exif))
            let bytes = try ImageDestination(format: format, options: options).encode(Bitmap.pattern(2, 2))
            let dates = try ImageSource.header(of: bytes).metadata.dates
            #expect(dates.original == ImageDate(exif: "2024:01:01 01:01:01", subsecond: "111", offset: "-01:00"))
            #expect(dates.digitized == ImageDate(exif: "2024:02:02 02:02:02", subsecond: "22222"))
            #expect(dates.modified == ImageDate(exif: "2024:03:03 03:03:03", subsecond: "3", offset: "+03:00"))
        }
        let none = ImageMetadata().dates
        #expect(none.original == nil && none.digitized == nil && none.modified == nil)
        // Cut short or damaged anywhere: fewer dates, never a trap.
        for count in 0..<exif.count { _ = ImageMetadata(exif: Array(exif.prefix(count))).dates }
        for index in exif.indices {
            for value: UInt8 in [0, 0x80, 0xFF] {
                var damaged = exif
                damaged[index] = value
                _ = ImageMetadata(exif: damaged).dates
            }
        }
        #expect(ImageMetadata(exif: Array(exif.prefix(100))).dates.original == nil)
        #expect(ImageMetadata(exif: Array(exif.prefix(100))).dates.modified != nil)
    }
}
