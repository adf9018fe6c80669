internal import Raster

/// The text of an entry's values, as people read and write it.
struct EXIFValue {
    /// Returns the text of `entry` in a block.
    ///
    /// Fractions are decimal numbers with up to six digits; an exposure time under a second is a fraction, and a
    /// position is in degrees. Binary values give their length.
    static func text(_ entry: EXIFEntry, in exif: EXIF, tag: MetadataTag? = nil) -> String {
        if tag?.style == .dateOrText || entry.type == .ascii || entry.type == .utf8 {
            return readable(entry.value.prefix { $0 != 0 })
        }
        if tag?.style == .comment { return comment(entry.value, exif) }
        if entry.type == .undefined {
            let isText = entry.value.count <= 8 && entry.value.allSatisfy { (0x20..<0x7F).contains($0) }
            if isText, !entry.value.isEmpty { return String(decoding: entry.value, as: UTF8.self) }
            guard entry.value.count <= 8 else { return "(\(entry.value.count) bytes)" }
        }
        let numbers = numbers(entry, exif)
        switch tag?.style {
        case .exposureTime: if let first = numbers.first { return exposureTime(first) }
        case .degrees: if numbers.count == 3 { return decimal(numbers[0] + numbers[1] / 60 + numbers[2] / 3600) }
        default: break
        }
        guard numbers.count <= 64 else { return "(\(numbers.count) values)" }
        return numbers.map(decimal).joined(separator: " ")
    }

    /// The values as numbers; a fraction without a denominator is 0.
    static func numbers(_ entry: EXIFEntry, _ exif: EXIF) -> [Double] {
        let size = entry.type.byteCount
        return (0..<min(entry.count, entry.value.count / size)).map { index in
            func unsigned(_ offset: Int, _ count: Int) -> Int {
                entry.value.integer(at: index * size + offset, byteCount: count, isLittleEndian: exif.isLittleEndian)
                    ?? 0
            }
            switch entry.type {
            case .signedByte: return Double(Int8(truncatingIfNeeded: unsigned(0, 1)))
            case .signedShort: return Double(Int16(truncatingIfNeeded: unsigned(0, 2)))
            case .signedLong: return Double(Int32(truncatingIfNeeded: unsigned(0, 4)))
            case .rational:
                return unsigned(4, 4) == 0 ? 0 : Double(unsigned(0, 4)) / Double(unsigned(4, 4))
            case .signedRational:
                let denominator = Int32(truncatingIfNeeded: unsigned(4, 4))
                return denominator == 0
                    ? 0 : Double(Int32(truncatingIfNeeded: unsigned(0, 4))) / Double(denominator)
            case .float: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned(0, 4))))
            case .double:
                return Double(bitPattern: UInt64(unsigned(0, 4)) << 32 | UInt64(unsigned(4, 4)))
            default: return Double(unsigned(0, size))
            }
        }
    }

    /// A number with at most six decimals, without trailing zeros.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
        let scaled = Int((abs(value) * 1e6).rounded())
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: 1_000_000)
        var digits = String(part)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return digits.isEmpty ? "\(sign)\(whole)" : "\(sign)\(whole).\(digits)"
    }

    /// Seconds as people write them: 1/125, 0.3, 2.
    static func exposureTime(_ seconds: Double) -> String {
        seconds > 0 && seconds < 0.25001 ? "1/\(Int((1 / max(seconds, 1e-9)).rounded()))" : decimal(seconds)
    }

    /// The text of a UserComment: eight bytes for its encoding, then characters (EXIF 2.32, 4.6.5).
    private static func comment(_ value: [UInt8], _ exif: EXIF) -> String {
        let text = value.dropFirst(8)
        guard value.starts(with: "UNICODE".utf8) else { return readable(text.prefix { $0 != 0 }) }
        let units = stride(from: 8, to: value.count - 1, by: 2).map {
            UInt16(value.integer(at: $0, byteCount: 2, isLittleEndian: exif.isLittleEndian) ?? 0)
        }
        return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    }

    /// Text in UTF-8, or else in Latin-1, without trailing blanks.
    static func readable(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        while text.last == " " { text.removeLast() }
        return text
    }
}

// MARK: - Parsing

extension EXIFValue {
    /// Returns the entry for a tag with the value that `text` gives.
    /// - Throws: `invalidParameter` for text that is no such value.
    static func entry(_ tag: MetadataTag, number: Int, text: String, in exif: EXIF) throws(ImageError) -> EXIFEntry {
        func fail(_ expected: String) -> ImageError {
            ImageError(.invalidParameter, "\"\(text)\" is no value for \(tag.name): write \(expected)")
        }
        switch tag.style {
        case .dateOrText:
            if tag.isDate, ImageDate(exif: text) == nil { throw fail("a date as 2024:05:31 12:00:00") }
            let bytes = Array(text.utf8) + [0]
            return EXIFEntry(tag: number, type: .ascii, count: bytes.count, value: bytes)
        case .comment:
            let code = text.utf8.allSatisfy { $0 < 128 } ? "ASCII\0\0\0" : "UNICODE\0"
            let characters =
                text.utf8.allSatisfy { $0 < 128 } ? Array(text.utf8) : text.utf16.flatMap { exif.encoded(Int($0), 2) }
            let value = Array(code.utf8) + characters
            return EXIFEntry(tag: number, type: .undefined, count: value.count, value: value)
        case .integer:
            guard let value = Int(text), (0...0xFFFF).contains(value) else { throw fail("a whole number up to 65535") }
            return EXIFEntry(tag: number, type: .short, count: 1, value: exif.encoded(value, 2))
        case .number, .exposureTime:
            guard let fraction = fraction(text) else { throw fail("a number such as 2.8 or 1/125") }
            return EXIFEntry(
                tag: number, type: .rational, count: 1, value: exif.encoded(fraction.0, 4) + exif.encoded(fraction.1, 4)
            )
        case .signedNumber:
            let isNegative = text.hasPrefix("-")
            guard let fraction = fraction(isNegative ? String(text.dropFirst()) : text), fraction.0 <= Int(Int32.max)
            else { throw fail("a number such as -0.3") }
            let numerator = Int(UInt32(bitPattern: Int32(isNegative ? -fraction.0 : fraction.0)))
            return EXIFEntry(
                tag: number, type: .signedRational, count: 1,
                value: exif.encoded(numerator, 4) + exif.encoded(fraction.1, 4))
        case .degrees:
            let bound = tag.name == "GPSLatitude" ? 90.0 : 180
            guard let degrees = Double(text), abs(degrees) <= bound else {
                throw fail("degrees as a decimal number, such as 48.858222 or -2.294")
            }
            return EXIFEntry(tag: number, type: .rational, count: 3, value: sexagesimal(abs(degrees), exif))
        case .readOnly: throw ImageError(.unsupported, "\(tag.name) can't be set")
        }
    }

    /// Degrees, minutes and seconds to a ten-thousandth, as three fractions.
    private static func sexagesimal(_ degrees: Double, _ exif: EXIF) -> [UInt8] {
        let parts = Int((degrees * 36_000_000).rounded())
        let values = [
            (parts / 36_000_000, 1), (parts % 36_000_000 / 600_000, 1), (parts % 600_000, 10_000),
        ]
        return values.flatMap { exif.encoded($0.0, 4) + exif.encoded($0.1, 4) }
    }

    /// Parses a fraction or a decimal number that 32-bit integers hold.
    private static func fraction(_ text: String) -> (Int, Int)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let numerator = UInt32(parts[0]), let denominator = UInt32(parts[1]), denominator > 0 else {
                return nil
            }
            return (Int(numerator), Int(denominator))
        }
        guard let value = Double(text), value >= 0, value < 4e9 else { return nil }
        var denominator = 1
        while denominator < 1_000_000, value * Double(denominator * 10) < 4e9,
            abs((value * Double(denominator)).rounded() - value * Double(denominator)) > 1e-9
        {
            denominator *= 10
        }
        return (Int((value * Double(denominator)).rounded()), denominator)
    }
}
