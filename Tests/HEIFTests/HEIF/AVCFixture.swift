#if HEIF
import ImageFormats
import Raster

/// An AVC picture whose macroblocks are stored as they are (I_PCM), so that its samples are known exactly (ITU-T H.264).
struct AVCFixture {
    /// After cropping; even numbers.
    var size: PixelSize
    var profile = 66
    /// As in the standard: 1 is 4:2:0.
    var chromaFormat = 1
    var bits = 8
    var isInterlaced = false
    /// Codes of primaries, transfer function and matrix, and whether the range is full; nil to leave them out.
    var colors: (codes: [Int], isFullRange: Bool)?
    /// Pixels cut off at the left and at the top; the rest of the last macroblocks is cut off at the other sides.
    var crop = (left: 0, top: 0)
    var sliceCount = 1
    var referenceCount = 1
    var lengthByteCount = 4
    /// The size in macroblocks, if the parameter set lies about it.
    var declared: PixelSize?

    init(_ size: PixelSize) { self.size = size }

    /// Whether the libraries are there.
    static let canBeDecoded =
        (try? HEIFCodecTests.decode(AVCFixture(PixelSize(width: 16, height: 16)).file()).error) == .some(nil)

    private var blocks: PixelSize {
        PixelSize(width: (size.width + crop.left + 15) / 16, height: (size.height + crop.top + 15) / 16)
    }

    /// A sample of the shown picture that differs from its neighbours: of luma (0), Cb (1) or Cr (2).
    func sample(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
        let shift = plane == 0 ? 0 : 1
        let (x, y) = ((x + crop.left) >> shift, (y + crop.top) >> shift)
        // Luma rises; chroma has patches, some of which change suddenly.
        let value = plane == 0 ? x * 3 + y * 5 : x / 3 * 40 + y / 2 * (plane == 1 ? 24 : 56) + plane * 77
        return UInt8(value % 256)
    }

    // MARK: Bits

    private struct Bits {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func add(_ value: Int, _ width: Int) {
            for bit in (0..<width).reversed() {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> bit & 1) << (7 - UInt8(count % 8))
                count += 1
            }
        }

        /// Exponential Golomb code.
        mutating func code(_ values: Int...) {
            for value in values {
                let width = Int.bitWidth - (value + 1).leadingZeroBitCount
                add(0, width - 1)
                add(value + 1, width)
            }
        }

        mutating func align() { count = bytes.count * 8 }

        mutating func append(_ byte: UInt8) {
            bytes.append(byte)
            count += 8
        }

        /// The unit with this header: with the bit that ends it, and a 3 after each two zeros before a byte below 4.
        mutating func unit(_ head: UInt8) -> [UInt8] {
            add(1, 1)
            var unit = [head]
            var zeros = 0
            for byte in bytes {
                if zeros == 2, byte < 4 {
                    unit.append(3)
                    zeros = 0
                }
                zeros = byte == 0 ? zeros + 1 : 0
                unit.append(byte)
            }
            return unit
        }
    }

    // MARK: Units

    var sequenceParameterSet: [UInt8] {
        var bits = Bits()
        bits.add(profile, 8)
        bits.add(0, 8)
        bits.add(52, 8)
        bits.code(0)
        if profile >= 100 {
            bits.code(chromaFormat)
            if chromaFormat == 3 { bits.add(0, 1) }
            bits.code(self.bits - 8, self.bits - 8)
            bits.add(0, 1)
            // Matrices: the first is given by its first number, the rest as usual.
            bits.add(0b11, 2)
            bits.code(0)
            for _ in 1..<16 { bits.code(0) }
            bits.add(0, chromaFormat == 3 ? 11 : 7)
        }
        // Frame numbers of four bits, and pictures in order.
        bits.code(0, 2, referenceCount)
        bits.add(0, 1)
        let declared = declared ?? blocks
        bits.code(declared.width - 1, declared.height - 1)
        bits.add(isInterlaced ? 0b00 : 0b1, isInterlaced ? 2 : 1)
        bits.add(1, 1)
        let rest = (
            right: 16 * blocks.width - size.width - crop.left, bottom: 16 * blocks.height - size.height - crop.top
        )
        bits.add(1, 1)
        bits.code(crop.left / 2, rest.right / 2, crop.top / 2, rest.bottom / 2)
        bits.add(colors == nil ? 0 : 1, 1)
        if let colors {
            // An aspect ratio of 1 by 1, and overscan.
            bits.add(1, 1)
            bits.add(255, 8)
            bits.add(1 << 16 | 1, 32)
            bits.add(0b10, 2)
            bits.add(0b1101, 4)
            bits.add(colors.isFullRange ? 1 : 0, 1)
            bits.add(colors.codes.isEmpty ? 0 : 1, 1)
            for code in colors.codes { bits.add(code, 8) }
            // No places of chroma, times or buffers.
            bits.add(0, 6)
        }
        return bits.unit(0x67)
    }

    var pictureParameterSet: [UInt8] {
        var bits = Bits()
        bits.code(0, 0)
        bits.add(0, 2)
        bits.code(0, 0, 0)
        bits.add(0, 3)
        bits.code(0, 0, 0)
        // Slices say whether they are filtered.
        bits.add(0b100, 3)
        return bits.unit(0x68)
    }

    /// Slices of about as many macroblocks each.
    var slices: [[UInt8]] {
        let count = blocks.pixelCount
        return (0..<sliceCount).map { slice in
            let part = slice * count / sliceCount..<(slice + 1) * count / sliceCount
            var bits = Bits()
            bits.code(part.lowerBound, 7, 0)
            bits.add(0, 4)
            bits.code(0)
            bits.add(0, 2)
            bits.code(0, 1)
            for block in part {
                bits.code(25)
                bits.align()
                let (x, y) = (16 * (block % blocks.width), 16 * (block / blocks.width))
                for plane in 0..<3 {
                    let shift = plane == 0 ? 0 : 1
                    for row in 0..<16 >> shift {
                        for column in 0..<16 >> shift {
                            bits.append(
                                sample(
                                    plane, x + column << shift - crop.left, y + row << shift - crop.top))
                        }
                    }
                }
            }
            return bits.unit(0x65)
        }
    }

    // MARK: The item

    /// The box with the configuration.
    var configuration: [UInt8] {
        func unit(_ unit: [UInt8]) -> [UInt8] { HEIFFixture.number(unit.count, 2) + unit }
        return HEIFFixture.box(
            "avcC",
            [1, UInt8(profile), 0, 52, 0xFC | UInt8(lengthByteCount - 1), 0xE1] + unit(sequenceParameterSet) + [1]
                + unit(pictureParameterSet))
    }

    func data(of units: [[UInt8]]) -> [UInt8] {
        units.flatMap { HEIFFixture.number($0.count, lengthByteCount) + $0 }
    }

    /// The item's bytes, with units that aren't slices before and after them.
    var data: [UInt8] { data(of: [[9, 0x10], [6, 5, 1, 0, 0x80]] + slices + [[12, 0xFF, 0x80]]) }

    /// A file of this picture.
    func file(_ properties: [[UInt8]] = [], brand: String = "avci") -> [UInt8] {
        file(data: data, properties: [HEIFFixture.size(size), configuration] + properties, brand: brand)
    }

    /// A file of an item with these bytes and properties.
    func file(data: [UInt8], properties: [[UInt8]], brand: String = "avci") -> [UInt8] {
        let item = HEIFFixture.Item(type: "avc1", data: data, properties: Array(1...properties.count))
        return HEIFFixture(brand: brand, [item], properties: properties).bytes
    }

    // MARK: Pixels

    /// Red, green and blue of a pixel, computed as the standard defines them.
    func pixel(_ x: Int, _ y: Int, matrix: Int, isFullRange: Bool) -> [Double] {
        let parts = [1: (0.2126, 0.0722), 9: (0.2627, 0.0593)][matrix] ?? (0.299, 0.114)
        /// Chroma at luma's place: on even columns, and between rows.
        func chroma(_ plane: Int) -> Double {
            func line(_ row: Int) -> Double {
                let row = max(0, min(size.height / 2 - 1, row))
                let next = min(size.width / 2 - 1, x / 2 + x % 2)
                return Double(Int(sample(plane, x / 2 * 2, 2 * row)) + Int(sample(plane, 2 * next, 2 * row))) / 2
            }
            return 0.75 * line(y / 2) + 0.25 * line(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1) - 128
        }
        let scale: (luma: Double, chroma: Double, black: Double) =
            isFullRange ? (1, 1, 0) : (255.0 / 219, 255.0 / 224, 16)
        let luma = (Double(sample(0, x, y)) - scale.black) * scale.luma
        let red = luma + 2 * (1 - parts.0) * scale.chroma * chroma(2)
        let blue = luma + 2 * (1 - parts.1) * scale.chroma * chroma(1)
        let green = (luma - parts.0 * red - parts.1 * blue) / (1 - parts.0 - parts.1)
        return [red, green, blue].map { max(0, min(255, $0)) }
    }

    /// The largest difference of `bitmap` from the picture.
    func largestDifference(from bitmap: Bitmap, matrix: Int = 2, isFullRange: Bool = false) -> Double {
        let bytes = bitmap.tightBytes()
        var largest = 0.0
        for y in 0..<size.height {
            for x in 0..<size.width {
                for (channel, value) in pixel(x, y, matrix: matrix, isFullRange: isFullRange).enumerated() {
                    largest = max(largest, abs(value - Double(bytes[4 * (y * size.width + x) + channel])))
                }
            }
        }
        return largest
    }
}
#endif
