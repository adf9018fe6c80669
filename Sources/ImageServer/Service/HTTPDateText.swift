internal import ImageLoading

/// Moments as HTTP writes them (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDateText {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A moment in seconds since 1970; none before that.
    package static func text(_ seconds: Int64) -> String {
        let moment = CivilTime(Int(max(0, seconds)))
        return "\(days[moment.daysSince1970 % 7]), \(two(moment.day)) \(months[moment.month - 1]) \(moment.year) "
            + "\(two(moment.hour)):\(two(moment.minute)):\(two(moment.second)) GMT"
    }

    /// Seconds since 1970; nil for what isn't a date.
    package static func seconds(_ text: String) -> Int64? { HTTPDate.secondsSince1970(text) }

    /// As JSON's dates are written: `1994-11-06T08:49:37Z`.
    package static func internetText(_ seconds: Int64) -> String {
        let moment = CivilTime(Int(max(0, seconds)))
        return "\(moment.year)-\(two(moment.month))-\(two(moment.day))T"
            + "\(two(moment.hour)):\(two(moment.minute)):\(two(moment.second))Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A moment of universal time in the Gregorian calendar.
    private struct CivilTime {
        let daysSince1970, year, month, day, hour, minute, second: Int

        init(_ seconds: Int) {
            let days = seconds / 86400
            daysSince1970 = days
            (hour, minute, second) = (seconds % 86400 / 3600, seconds % 3600 / 60, seconds % 60)
            // Years are counted from March, so that leap days come last, in eras of 400.
            let shifted = days + 719_468
            let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }
    }
}
