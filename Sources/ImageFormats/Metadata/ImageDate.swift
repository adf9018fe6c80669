/// A calendar date and time as cameras write them, to the second or finer, with or without a time zone (EXIF 2.32,
/// 4.6.5, table 8).
public struct ImageDate: Hashable, Sendable {
    /// The year, 0 to 9999.
    public var year: Int
    /// The month, 1 to 12.
    public var month: Int
    /// The day, from 1.
    public var day: Int
    /// The hour, 0 to 23.
    public var hour: Int
    /// The minute, 0 to 59.
    public var minute: Int
    /// The second, 0 to 60.
    public var second: Int
    /// The digits after the second's decimal point; nil if the file has none.
    public var subsecond: String?
    /// Minutes ahead of UTC, negative to the west; nil if the time zone is unknown.
    public var offset: Int?

    /// Parses an EXIF date, "2024:05:31 12:00:00", with its optional subsecond digits and time zone, "+01:00" or "Z".
    ///
    /// Also accepts hyphens in the date, and a T before the time. Ignores an invalid subsecond or time zone.
    /// - Returns: Nil for any other text and for dates not in the calendar; blanks and zeros mean unknown.
    public init?(exif text: String, subsecond: String? = nil, offset: String? = nil) {
        let text = Array(text.utf8)
        guard text.count == 19, [0x20, 0x54].contains(text[10]), text[13] == 0x3A, text[16] == 0x3A,
            text[4] == text[7], [0x3A, 0x2D].contains(text[4]),
            let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
            let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
            (1...12).contains(month), day >= 1, day <= Self.dayCount(of: month, in: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        let digits = subsecond?.prefix { $0 != " " } ?? ""
        self.subsecond = Self.number(Array(digits.utf8)[...]) == nil ? nil : String(digits)
        self.offset = offset.flatMap { Self.offset($0) }
    }

    /// The date and time in EXIF's form, without subsecond and time zone: "2024:05:31 12:00:00".
    public var exifText: String {
        let date = "\(Self.padded(year, 4)):\(Self.padded(month, 2)):\(Self.padded(day, 2))"
        return date + " \(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
    }

    /// The time zone in EXIF's form, "+01:00"; nil if it is unknown.
    public var exifOffsetText: String? {
        offset.map { ($0 < 0 ? "-" : "+") + "\(Self.padded(abs($0) / 60, 2)):\(Self.padded(abs($0) % 60, 2))" }
    }

    /// Returns the date in `text`, in EXIF's form or in XMP's, moved by a time and in the same form; nil if it is no date,
    /// or the result isn't in the years 0 to 9999. The text after the seconds stays as it is.
    static func shifted(_ text: String, bySeconds seconds: Int) -> String? {
        guard var date = ImageDate(exif: String(text.prefix(19))) else { return nil }
        let day = 86_400
        let (old, clock) = (date.dayNumber, date.hour * 3600 + date.minute * 60 + min(59, date.second))
        let (total, overflows) = (old * day + clock).addingReportingOverflow(seconds)
        guard !overflows else { return nil }
        let days = total >= 0 ? total / day : (total - day + 1) / day
        let rest = total - days * day
        guard date.setDay(days) else { return nil }
        (date.hour, date.minute, date.second) = (rest / 3600, rest / 60 % 60, rest % 60)
        let isXMP = text.dropFirst(4).first == "-"
        let new = date.exifText
        let form = isXMP ? new.prefix(10).replacing(":", with: "-") + "T" + new.suffix(8) : new
        return form + text.dropFirst(19)
    }

    /// The number of days since the first of March of the year 0, in the Gregorian calendar.
    private var dayNumber: Int {
        // Years begin in March, so that a leap day is the last.
        let (years, months) = (month > 2 ? year : year - 1, (month + 9) % 12)
        return 365 * years + (years + 400) / 4 - (years + 400) / 100 + (years + 400) / 400 - 97
            + (153 * months + 2) / 5 + day - 1
    }

    /// Sets year, month and day by the number of days; false outside the years 0 to 9999.
    private mutating func setDay(_ number: Int) -> Bool {
        guard number > -366, number < 3_660_000 else { return false }
        // 146,097 days have 400 years.
        var date = self
        var low = 0
        var high = 9999
        date.month = 1
        date.day = 1
        while low < high {
            let middle = (low + high + 1) / 2
            date.year = middle
            if date.dayNumber <= number { low = middle } else { high = middle - 1 }
        }
        date.year = low
        while date.month < 12 {
            date.month += 1
            if date.dayNumber > number {
                date.month -= 1
                break
            }
        }
        date.day = number - date.dayNumber + 1
        guard (1...Self.dayCount(of: date.month, in: date.year)).contains(date.day) else { return false }
        (year, month, day) = (date.year, date.month, date.day)
        return true
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Parses 1 to 9 decimal digits and nothing else.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func dayCount(of month: Int, in year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func offset(_ text: String) -> Int? {
        let text = Array(text.utf8)
        if text == [0x5A] { return 0 }
        guard text.count == 6, [0x2B, 0x2D].contains(text[0]), text[3] == 0x3A, let hours = number(text[1..<3]),
            let minutes = number(text[4..<6]), hours <= 14, minutes < 60
        else { return nil }
        return (text[0] == 0x2D ? -1 : 1) * (hours * 60 + minutes)
    }
}

extension ImageMetadata {
    /// The dates in an image's EXIF block.
    public struct Dates: Hashable, Sendable {
        /// When the image was taken.
        public var original: ImageDate?
        /// When the image was digitised; for a scan, when it was scanned.
        public var digitized: ImageDate?
        /// When the file was last changed.
        public var modified: ImageDate?
    }

    /// The dates in the EXIF block.
    public var dates: Dates { exif.flatMap { EXIF($0) }?.dates ?? Dates() }
}

extension EXIF {
    /// The dates in the block. The modification date is in the first directory; the others, and all subseconds and time
    /// zones, are in the EXIF directory that it points to (EXIF 2.32, 4.6.4 and 4.6.5).
    var dates: ImageMetadata.Dates {
        let details = integer(.exifDirectory, in: first).flatMap { directory(at: $0) }
        return ImageMetadata.Dates(
            original: date(.original, in: details, .originalSubsecond, .originalOffset, in: details),
            digitized: date(.digitized, in: details, .digitizedSubsecond, .digitizedOffset, in: details),
            modified: date(.modified, in: first, .modifiedSubsecond, .modifiedOffset, in: details))
    }

    private func date(
        _ tag: Tag, in directory: EXIFDirectory?, _ subsecond: Tag, _ offset: Tag, in details: EXIFDirectory?
    ) -> ImageDate? {
        guard let directory, let text = text(tag, in: directory, limit: 20) else { return nil }
        return ImageDate(
            exif: text, subsecond: details.flatMap { self.text(subsecond, in: $0, limit: 16) },
            offset: details.flatMap { self.text(offset, in: $0, limit: 8) })
    }
}
