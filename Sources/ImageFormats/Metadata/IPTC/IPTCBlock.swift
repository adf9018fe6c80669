internal import Raster

/// The data sets of an IPTC block (Information Interchange Model 4.2, 3).
struct IPTCBlock {
    /// A data set, by its record and number.
    struct DataSet: Hashable {
        let record: UInt8
        let number: UInt8
        var value: [UInt8]
    }

    private(set) var dataSets: [DataSet] = []

    /// A block without data sets.
    init() {}

    /// The escape sequence that announces UTF-8, in data set 1:90 (ISO/IEC 2022).
    private static let utf8: [UInt8] = [0x1B, 0x25, 0x47]
    private static let marker: UInt8 = 0x1C

    /// Reads the data sets in `bytes`.
    /// - Throws: `corrupt` with the offset for anything but complete data sets, and padding of zeros at the end.
    init(_ bytes: [UInt8]) throws(ImageError) {
        var position = 0
        while position < bytes.count {
            if bytes[position] == 0, bytes[position...].allSatisfy({ $0 == 0 }) { return }
            guard bytes[position] == Self.marker, position + 5 <= bytes.count,
                var length = bytes.bigEndian(at: position + 3, byteCount: 2)
            else { throw ImageError(.corrupt, "no IPTC data set begins here", byteOffset: position) }
            var start = position + 5
            if length & 0x8000 != 0 {
                // The length of the length.
                let count = length & 0x7FFF
                guard count <= 4, let long = bytes.bigEndian(at: start, byteCount: count) else {
                    throw ImageError(.corrupt, "an IPTC data set has an impossible length", byteOffset: position)
                }
                (length, start) = (long, start + count)
            }
            guard length <= bytes.count - start else {
                throw ImageError(
                    .corrupt, "an IPTC data set of \(length) bytes ends beyond its block", byteOffset: position)
            }
            dataSets.append(
                DataSet(
                    record: bytes[position + 1], number: bytes[position + 2],
                    value: Array(bytes[start..<(start + length)])))
            position = start + length
        }
    }

    private var isUTF8: Bool { dataSets.contains { $0.record == 1 && $0.number == 90 && $0.value == Self.utf8 } }

    /// The values of a data set of record 2, in UTF-8 if the block says so, else in Latin-1.
    func values(_ number: Int) -> [String] {
        dataSets.filter { $0.record == 2 && Int($0.number) == number }.map { text($0.value) }
    }

    private func text(_ value: [UInt8]) -> String {
        isUTF8 ? String(decoding: value, as: UTF8.self) : EXIFValue.readable(value)
    }

    /// The numbers of the data sets of record 2, each once.
    var numbers: [Int] { Array(Set(dataSets.filter { $0.record == 2 }.map { Int($0.number) })).sorted() }

    /// Replaces the values of a data set of record 2; an empty list removes it.
    ///
    /// A block with a value outside ASCII becomes UTF-8 as a whole.
    mutating func set(_ number: Int, to values: [String]) {
        dataSets.removeAll { $0.record == 2 && Int($0.number) == number }
        if !isUTF8, values.contains(where: { $0.utf8.contains { $0 >= 128 } }) {
            for index in dataSets.indices where dataSets[index].record == 2 && dataSets[index].number != 0 {
                dataSets[index].value = Array(text(dataSets[index].value).utf8)
            }
            dataSets.removeAll { $0.record == 1 && $0.number == 90 }
            dataSets.append(DataSet(record: 1, number: 90, value: Self.utf8))
        }
        for value in values {
            dataSets.append(DataSet(record: 2, number: UInt8(truncatingIfNeeded: number), value: Array(value.utf8)))
        }
        // Version 4, which the standard requires.
        if !dataSets.contains(where: { $0.record == 2 && $0.number == 0 }) {
            dataSets.append(DataSet(record: 2, number: 0, value: [0, 4]))
        }
        // Stable, so that repeated ones keep their order.
        dataSets = dataSets.enumerated().sorted {
            ($0.element.record, $0.element.number, $0.offset) < ($1.element.record, $1.element.number, $1.offset)
        }.map(\.element)
    }

    /// Whether nothing is left but the version and the encoding.
    var isEmpty: Bool { !dataSets.contains { $0.record > 1 && $0.number != 0 } }

    /// The block's bytes.
    var encoded: [UInt8] {
        dataSets.flatMap { set in
            let length =
                set.value.count < 0x8000
                ? set.value.count.bigEndianBytes(2) : [0x80, 4] + set.value.count.bigEndianBytes(4)
            return [Self.marker, set.record, set.number] + length + set.value
        }
    }
}
