import ImageFormats
import Raster
import Testing

/// A TGA file put together field by field, and what it must decode to.
struct TGAFixture: CustomTestStringConvertible {
    enum Kind: UInt8 {
        case indexed = 1
        case rgb = 2
        case gray = 3
    }

    var kind: Kind
    var bits: Int
    var attributeBits = 0
    /// The bits of a colour in the palette.
    var colorBits = 24
    var firstColor = 0
    var isTopDown = false
    var isRightToLeft = false
    var usesRunLengths = false
    /// Whether runs go on in the next row, as some writers' do.
    var runsCrossRows = false
    var text: [UInt8] = []
    /// The type of the attributes in the extension area; nil for a file of version 1.
    var attributesType: UInt8?
    var size = PixelSize(width: 9, height: 6)

    var testDescription: String {
        let origin = (isTopDown ? "top" : "bottom") + (isRightToLeft ? " right" : " left")
        let run = usesRunLengths ? runsCrossRows ? ", runs across rows" : ", runs" : ""
        let type = attributesType.map { ", type \($0)" } ?? ""
        return "\(kind) \(bits)/\(attributeBits), \(kind == .indexed ? "\(colorBits), " : "")\(origin)\(run)\(type)"
    }

    var pixelByteCount: Int { (bits + 7) / 8 }

    private static let colorCount = 40

    /// The image's pixels as the file has them, top-down from left to right: runs, and pixels that differ.
    var stored: [[UInt8]] {
        (0..<size.pixelCount).map { index in
            let number = index % 9 < 4 ? index / 9 : index * 37
            guard kind == .indexed else {
                return (0..<pixelByteCount).map { UInt8(truncatingIfNeeded: number * 41 + $0 * 85) }
            }
            let place = firstColor + number % Self.colorCount
            return bits == 16 ? [UInt8(place & 255), UInt8(place >> 8)] : [UInt8(place)]
        }
    }

    private var palette: [[UInt8]] {
        guard kind == .indexed else { return [] }
        return (0..<Self.colorCount).map { color in
            (0..<((colorBits + 7) / 8)).map { UInt8(truncatingIfNeeded: color * 53 + $0 * 71) }
        }
    }

    // MARK: The file

    private func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    var header: [UInt8] {
        let colors = palette.count
        let type = kind.rawValue | (usesRunLengths ? 8 : 0)
        let descriptor = UInt8(attributeBits) | (isRightToLeft ? 0x10 : 0) | (isTopDown ? 0x20 : 0)
        return [UInt8(text.count), colors > 0 ? 1 : 0, type]
            + (colors > 0 ? little(firstColor) + little(colors) + [UInt8(colorBits)] : [0, 0, 0, 0, 0])
            + [0, 0, 0, 0] + little(size.width) + little(size.height) + [UInt8(bits), descriptor]
    }

    private var body: [UInt8] {
        let (stored, width) = (stored, size.width)
        let ordered = (0..<size.height).map { y in
            let start = (isTopDown ? y : size.height - 1 - y) * width
            let row = Array(stored[start..<(start + width)])
            return isRightToLeft ? row.reversed() : row
        }
        guard usesRunLengths else { return ordered.flatMap { $0.flatMap(\.self) } }
        return runsCrossRows ? packets(ordered.flatMap(\.self)) : ordered.flatMap { packets($0) }
    }

    /// Runs of two pixels and more; the others in packets of three at the most.
    private func packets(_ pixels: [[UInt8]]) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), pixels[...])
        while let pixel = rest.first {
            let run = min(128, rest.prefix { $0 == pixel }.count)
            if run > 1 {
                bytes += [0x80 | UInt8(run - 1)] + pixel
                rest = rest.dropFirst(run)
            } else {
                let some = rest.prefix(3)
                bytes += [UInt8(some.count - 1)] + some.flatMap(\.self)
                rest = rest.dropFirst(some.count)
            }
        }
        return bytes
    }

    /// The file up to the end of its pixels.
    var bare: [UInt8] { header + text + palette.flatMap(\.self) + body }

    var file: [UInt8] {
        guard let attributesType else { return bare }
        let area = little(495) + [UInt8](repeating: 0, count: 492) + [attributesType]
        let start = bare.count
        return bare + area + little(start & 0xFFFF) + little(start >> 16) + [0, 0, 0, 0]
            + Array("TRUEVISION-XFILE.\0".utf8)
    }

    // MARK: What it must decode to

    var hasAlpha: Bool { attributeBits > 0 && (kind == .indexed ? colorBits == 32 : bits == 16 || bits == 32) }

    /// The decoded pixels by the definitions.
    var expected: [RGBA8] {
        stored.map { pixel in
            switch kind {
            case .gray: finished(RGBA8(pixel[0], pixel[0], pixel[0], bits == 16 ? pixel[1] : 255))
            case .rgb: finished(color(pixel, bits))
            case .indexed:
                finished(color(palette[Int(pixel[0]) + (bits == 16 ? Int(pixel[1]) << 8 : 0) - firstColor], colorBits))
            }
        }
    }

    private func color(_ bytes: [UInt8], _ bits: Int) -> RGBA8 {
        guard bits <= 16 else { return RGBA8(bytes[2], bytes[1], bytes[0], bits == 32 ? bytes[3] : 255) }
        let word = Int(bytes[0]) | Int(bytes[1]) << 8
        func channel(_ shift: Int) -> UInt8 { UInt8((Double(word >> shift & 31) / 31 * 255).rounded()) }
        return RGBA8(channel(10), channel(5), channel(0), word >> 15 == 1 ? 255 : 0)
    }

    private func finished(_ color: RGBA8) -> RGBA8 {
        guard hasAlpha, attributesType == nil || attributesType! >= 3 else {
            return RGBA8(color.red, color.green, color.blue)
        }
        guard attributesType == 4 else { return color }
        func straight(_ channel: UInt8) -> UInt8 {
            color.alpha == 0 ? 0 : UInt8(min(255, (Int(channel) * 255 + Int(color.alpha) / 2) / Int(color.alpha)))
        }
        return RGBA8(straight(color.red), straight(color.green), straight(color.blue), color.alpha)
    }

    // MARK: Every kind of file

    private static let kinds: [TGAFixture] = [
        TGAFixture(kind: .gray, bits: 8), TGAFixture(kind: .gray, bits: 16, attributeBits: 8),
        TGAFixture(kind: .gray, bits: 16), TGAFixture(kind: .rgb, bits: 15), TGAFixture(kind: .rgb, bits: 16),
        TGAFixture(kind: .rgb, bits: 16, attributeBits: 1), TGAFixture(kind: .rgb, bits: 24),
        TGAFixture(kind: .rgb, bits: 32), TGAFixture(kind: .rgb, bits: 32, attributeBits: 8),
        TGAFixture(kind: .indexed, bits: 8), TGAFixture(kind: .indexed, bits: 8, colorBits: 15),
        TGAFixture(kind: .indexed, bits: 8, colorBits: 16), TGAFixture(kind: .indexed, bits: 8, colorBits: 32),
        TGAFixture(kind: .indexed, bits: 8, attributeBits: 8, colorBits: 32),
        TGAFixture(kind: .indexed, bits: 8, firstColor: 200), TGAFixture(kind: .indexed, bits: 16, firstColor: 1000),
    ]

    /// Every kind of pixel from every origin, with and without run lengths.
    static let all: [TGAFixture] = kinds.flatMap { kind in
        (0..<12).map { variant in
            var fixture = kind
            fixture.isTopDown = variant & 1 == 1
            fixture.isRightToLeft = variant & 2 == 2
            fixture.usesRunLengths = variant >= 4
            fixture.runsCrossRows = variant >= 8
            if variant % 3 == 0 { fixture.text = Array("a text".utf8) }
            return fixture
        }
    }

    /// Files with alpha and every type of attributes that an extension area can state.
    static let versionTwo: [TGAFixture] = [kinds[1], kinds[5], kinds[8], kinds[13], kinds[6]].flatMap { kind in
        (UInt8(0)...4).flatMap { type in
            [false, true].map { isTopDown in
                var fixture = kind
                fixture.attributesType = type
                fixture.isTopDown = isTopDown
                fixture.usesRunLengths = type % 2 == 0
                return fixture
            }
        }
    }
}
