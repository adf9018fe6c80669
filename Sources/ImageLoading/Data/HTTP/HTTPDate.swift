/// HTTP dates (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms.
package enum HTTPDate {
    /// Formats a time in seconds since 1970; negative times count as 0.
    package static func text(_ secondsSince1970: Int64) -> String {
        let moment = Moment(secondsSince1970)
        return "\(days[moment.daysSince1970 % 7]), \(two(moment.day)) \(months[moment.month - 1]) \(moment.year) "
            + "\(moment.clock) GMT"
    }

    /// Formats a time in seconds since 1970 as in JSON (RFC 3339): `1994-11-06T08:49:37Z`.
    package static func internetText(_ secondsSince1970: Int64) -> String {
        let moment = Moment(secondsSince1970)
        return "\(moment.year)-\(two(moment.month))-\(two(moment.day))T\(moment.clock)Z"
    }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private struct Moment {
        let daysSince1970, year, month, day: Int
        let clock: String

        init(_ secondsSince1970: Int64) {
            let seconds = Int(max(0, secondsSince1970))
            daysSince1970 = seconds / 86400
            clock = "\(two(seconds % 86400 / 3600)):\(two(seconds % 3600 / 60)):\(two(seconds % 60))"
            // Counts years from March, so that leap days come last, in eras of 400.
            let shifted = daysSince1970 + 719_468
            let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }
    }

    /// Parses a date to seconds since 1970; nil if it is invalid.
    package static func secondsSince1970(_ text: String) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        // Sun, 06 Nov 1994 08:49:37 GMT
        if parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT" || parts[5] == "UTC" {
            return seconds(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if parts.count == 4, parts[0].hasSuffix(","), parts[3] == "GMT" {
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3 else { return nil }
            return seconds(day: date[0], month: date[1], year: date[2], time: parts[2])
        }
        // Sun Nov  6 08:49:37 1994
        if parts.count == 5 { return seconds(day: parts[2], month: parts[1], year: parts[4], time: parts[3]) }
        return nil
    }

    private static func seconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }), (1...2).contains(day.utf8.count),
            year.utf8.count == 2 || year.utf8.count == 4,
            let month = months.firstIndex(where: { $0 == month }).map({ Int64($0 + 1) }),
            let day = DeltaSeconds.parse(day), let year = fullYear(year),
            let hour = DeltaSeconds.parse(clock[0]), let minute = DeltaSeconds.parse(clock[1]),
            let second = DeltaSeconds.parse(clock[2]),
            (1...dayCount(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        return daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// Two-digit years mean 1970 to 2069.
    private static func fullYear(_ text: Substring) -> Int64? {
        guard let year = DeltaSeconds.parse(text), text.utf8.count == 2 else { return DeltaSeconds.parse(text) }
        return year < 70 ? 2000 + year : 1900 + year
    }

    private static func dayCount(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in the Gregorian calendar, with years that begin in March so that leap days come last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
