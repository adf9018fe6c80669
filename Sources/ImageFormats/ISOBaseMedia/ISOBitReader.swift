internal import Raster

/// Reads the fields of a `mini` box, which are numbers of any bit length, and after them its parts.
struct ISOBitReader {
    private let file: [UInt8]
    private let end: Int
    /// The next bit, counted from the file's first.
    private var position: Int

    init(_ file: [UInt8], _ contents: Range<Int>) {
        self.file = file
        end = contents.upperBound
        position = 8 * contents.lowerBound
    }

    /// Reads an unsigned number of `bitCount` bits, at most 32.
    mutating func number(_ bitCount: Int) throws(ImageError) -> Int {
        guard bitCount <= 8 * end - position else { throw damage("a field beyond its end") }
        var number = 0
        for bit in position..<position + bitCount {
            number = number << 1 | Int(file[bit / 8] >> (7 - UInt8(bit % 8)) & 1)
        }
        position += bitCount
        return number
    }

    mutating func flag() throws(ImageError) -> Bool { try number(1) == 1 }

    /// Reads a four-character code.
    mutating func code() throws(ImageError) -> FourCharacterCode { FourCharacterCode(rawValue: UInt32(try number(32))) }

    /// Reads sides of `bitCount` bits, which are stored less one.
    mutating func size(_ bitCount: Int) throws(ImageError) -> PixelSize {
        let width = try number(bitCount) + 1
        return PixelSize(width: width, height: try number(bitCount) + 1)
    }

    /// Reads the number of bits of a sample.
    mutating func bitDepth() throws(ImageError) -> Int { try flag() ? try number(3) + 9 : 8 }

    /// Skips where chroma's samples lie between luma's, which the codec's data say too.
    mutating func skipChromaLocation(_ subsampling: Int) throws(ImageError) {
        if subsampling == 1 || subsampling == 2 { _ = try flag() }
        if subsampling == 1 { _ = try flag() }
    }

    /// Reads the contents of `clli` and `mdcv`, and skips the other properties of high dynamic range.
    mutating func lightProperties() throws(ImageError) -> (lightLevel: [UInt8]?, displayVolume: [UInt8]?) {
        let (hasLevel, hasDisplay, hasVolume) = (try flag(), try flag(), try flag())
        let (hasAmbient, hasReference, hasWhite) = (try flag(), try flag(), try flag())
        let lightLevel = try hasLevel ? octets(4) : nil
        let displayVolume = try hasDisplay ? octets(24) : nil
        if hasVolume {
            // Two reserved bits, four flags, two reserved bits.
            let flags = try number(8)
            _ = try octets(4 * (6 * (flags >> 5 & 1) + (flags >> 4 & 1) + (flags >> 3 & 1) + (flags >> 2 & 1)))
        }
        _ = try octets((hasAmbient ? 8 : 0) + (hasReference ? 16 : 0) + (hasWhite ? 4 : 0))
        return (lightLevel, displayVolume)
    }

    /// Reads bytes that needn't begin at one of the file's.
    private mutating func octets(_ count: Int) throws(ImageError) -> [UInt8] {
        var octets: [UInt8] = []
        for _ in 0..<count { octets.append(UInt8(try number(8))) }
        return octets
    }

    /// Advances to the next whole byte.
    mutating func align() { position = (position + 7) / 8 * 8 }

    /// Skips whole bytes, and returns their place in the file.
    mutating func bytes(_ count: Int) throws(ImageError) -> Range<Int> {
        let start = position / 8
        guard count <= end - start else { throw damage("a part of \(count) bytes, of which \(end - start) are there") }
        position += 8 * count
        return start..<start + count
    }

    var isAtEnd: Bool { position == 8 * end }

    func damage(_ problem: String) -> ImageError {
        ImageError(.corrupt, "the file's minimized image box has \(problem)", byteOffset: position / 8)
    }

    func unsupported(_ feature: String) -> ImageError {
        ImageError(
            .unsupported, "the file's minimized image box has \(feature), which can't be read",
            byteOffset: position / 8)
    }
}
