import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Lossless JPEG decoding")
struct JPEGLosslessTests {
    private static func decode(
        _ file: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, depth: Int = 16
    ) -> DecoderSession {
        DecoderSession(
            JPEGCodec(), file, splits: splits, plan: plan,
            options: DecodingOptions(color: .asStored, maximumBitsPerChannel: depth), rowCount: 7)
    }

    private static func color(_ change: (inout LosslessJPEG) -> Void = { _ in }) -> LosslessJPEG {
        LosslessJPEG {
            ($0.sampling, $0.scans) = ([(1, 1), (1, 1), (1, 1)], [[0, 1, 2]])
            change(&$0)
        }
    }

    /// An Adobe segment with this transform.
    private static func adobe(_ transform: UInt8) -> [UInt8] {
        LosslessJPEG.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
    }

    private static let jfif = LosslessJPEG.segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 2, 0, 100, 0, 50, 0, 0])

    /// A sample's share of the largest, of `channel`, rounded.
    private static func scaled(_ sample: UInt16, _ precision: Int, _ channel: Int) -> UInt16 {
        let largest = Double((1 << precision) - 1)
        return UInt16((Double(sample) / largest * Double(channel)).rounded())
    }

    @Test("Samples of up to 8 bits become 8, more become 16, or 8 by default", arguments: 2...16)
    func depth(precision: Int) throws {
        for components in [1, 3] {
            let image = LosslessJPEG {
                ($0.precision, $0.predictors) = (precision, [precision % 7 + 1])
                $0.sampling = .init(repeating: (1, 1), count: components)
                $0.scans = [Array(0..<components)]
            }
            for depth in [8, 16] {
                let session = Self.decode(image.file, depth: depth)
                let header = try #require(session.header)
                #expect(header.format == .jpeg && header.bitsPerChannel == precision)
                #expect(header.storedSize == PixelSize(width: 19, height: 13))
                #expect(header.colorModel == (components == 1 ? .gray : .rgb))
                #expect(!header.isProgressive && !header.hasAlpha && header.sequence == nil)
                let bits = precision > 8 && depth > 8 ? 16 : 8
                #expect(session.info?.format == (components == 1 ? PixelFormat.gray8 : .rgba8).withBitsPerChannel(bits))
                let largest = UInt16((1 << bits) - 1)
                let expected = (0..<13).flatMap { y in
                    let rows = (0..<components).map { image.row(y, of: $0) }
                    return (0..<19).flatMap { x in
                        rows.map { Self.scaled($0[x], precision, Int(largest)) } + (components == 1 ? [] : [largest])
                    }
                }
                let isRight = session.bitmap?.storedSamples == expected
                #expect(session.error == nil && session.isComplete && isRight)
            }
        }
    }

    @Test(
        "Three components are RGB, unless JFIF, Adobe or the sampling says otherwise",
        arguments: [
            ([], false), (adobe(0), false), (adobe(1), true), (adobe(2), true), (jfif, true), (jfif + adobe(0), true),
        ] as [([UInt8], Bool)])
    func colorSpace(head: [UInt8], isYCC: Bool) throws {
        for precision in [8, 12, 16] {
            let image = Self.color { ($0.precision, $0.head) = (precision, head) }
            let bitmap = try #require(Self.decode(image.file).bitmap)
            let found = bitmap.samples16
            let channel = 65535.0
            for y in 0..<image.height {
                let samples = (0..<3).map { image.row(y, of: $0).map { Double($0) / Double((1 << precision) - 1) } }
                for x in 0..<image.width {
                    var rgb = samples.map { $0[x] }
                    if isYCC {
                        // JFIF's equations around the middle of the range.
                        let middle = Double(1 << (precision - 1)) / Double((1 << precision) - 1)
                        let (cb, cr) = (rgb[1] - middle, rgb[2] - middle)
                        rgb = [rgb[0] + 1.402 * cr, rgb[0] - 0.344136 * cb - 0.714136 * cr, rgb[0] + 1.772 * cb]
                    }
                    // Half a step of the precision, and of a channel of 8 bits.
                    let tolerance = isYCC ? 0.51 * channel / Double((1 << precision) - 1) + 1 : 0.51
                    for (index, value) in rgb.enumerated() {
                        let wanted = min(max(value, 0), 1) * channel
                        let got = Double(found[4 * (y * image.width + x) + index])
                        #expect(abs(got - wanted) <= tolerance)
                    }
                }
            }
        }
    }

    @Test("Subsampled components are YCbCr, whose samples are repeated")
    func subsampled() throws {
        let image = LosslessJPEG {
            ($0.sampling, $0.scans) = ([(2, 2), (1, 1), (1, 1)], [[0, 1, 2]])
            // Grey: no chroma.
            $0.sample = { component, x, y in component == 0 ? x * 11 + y * 5 : 128 }
        }
        let session = Self.decode(image.file)
        #expect(session.info?.format == .rgba8 && session.error == nil)
        let expected = (0..<13).flatMap { y in
            image.row(y, of: 0).map { RGBA8(UInt8($0), UInt8($0), UInt8($0)) }
        }
        #expect(session.pixels == expected)
    }

    @Test("CMYK and YCCK become RGB as in other JPEGs", arguments: [nil, 0, 2] as [UInt8?])
    func inks(transform: UInt8?) throws {
        for precision in [8, 12] {
            let image = LosslessJPEG {
                $0.precision = precision
                ($0.sampling, $0.scans) = (.init(repeating: (1, 1), count: 4), [[0, 1, 2, 3]])
                $0.head = transform.map { Self.adobe($0) } ?? []
                if transform == 2 {
                    // Without chroma, luma is the inverse of each of the three.
                    $0.sample = { component, x, y in
                        component % 3 == 0 ? (x * 9 + y * 7 + component) << (precision - 8) : 1 << (precision - 1)
                    }
                }
            }
            let session = Self.decode(image.file)
            #expect(session.header?.colorModel == .cmyk && session.header?.bitsPerChannel == precision)
            #expect(session.info?.format == .rgba8 && session.info?.profile == .sRGB && session.error == nil)
            let expected = (0..<13).flatMap { y in
                let rows = (0..<4).map { image.row(y, of: $0).map { Int(Self.scaled($0, precision, 255)) } }
                return (0..<19).map { x in
                    // Stored inverted, as in Adobe's files.
                    let colors = (0..<3).map { transform == 2 ? 255 - rows[0][x] : rows[$0][x] }
                    let channels = colors.map { UInt8(($0 * rows[3][x] + 127) / 255) }
                    return RGBA8(channels[0], channels[1], channels[2])
                }
            }
            #expect(session.pixels == expected)
        }
    }

    @Test("Any pieces give the same, and interleaved rows come while bytes arrive", arguments: 0..<6)
    func splits(round: Int) {
        let images = [
            Self.color { ($0.width, $0.height, $0.precision, $0.predictors) = (60, 90, 10, [7]) },
            LosslessJPEG { ($0.height, $0.restartRows) = (80, 3) },
            Self.color { ($0.scans, $0.height) = ([[0], [1], [2]], 40) },
            Self.color { ($0.scans, $0.hasDNL) = ([[2], [0, 1]], true) }, Self.color { $0.hasDNL = true },
        ]
        for (index, image) in images.enumerated() {
            let file = image.file
            let whole = Self.decode(file)
            #expect(whole.rows == image.height && whole.error == nil)
            let session = Self.decode(file, splits: DecoderSession.splits(of: file.count, round: round))
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(session.error == nil)
            guard round == 0, index < 2 else { continue }
            #expect(session.firstRowByteCount.map { $0 < file.count / 4 } == true)
            #expect(session.progress == session.progress.sorted())
        }
    }

    @Test("A region has the pixels that it has in the whole")
    func regions() throws {
        for scans in [[[0, 1, 2]], [[0], [1], [2]]] {
            let file = Self.color { ($0.scans, $0.precision) = (scans, 11) }.file
            let whole = try #require(Self.decode(file).bitmap)
            for (x, y, width, height) in [(0, 0, 19, 13), (3, 2, 5, 4), (18, 12, 1, 1), (0, 5, 19, 1), (7, 0, 12, 13)] {
                let region = PixelRect(x: x, y: y, width: width, height: height)
                let session = Self.decode(file, plan: DecodingPlan(region: region))
                let expected = try whole.cropped(to: region).tightBytes()
                #expect(session.bitmap?.tightBytes() == expected && session.isComplete)
            }
        }
    }

    @Test("Metadata before the scan is read as in other JPEGs")
    func metadata() throws {
        let exif = JPEGMetadataTests.exif([(0x0112, 3, 1, [0, 6, 0, 0])])
        let image = LosslessJPEG {
            $0.precision = 16
            $0.head =
                Self.jfif + LosslessJPEG.segment(0xE1, Array("Exif\0\0".utf8) + exif)
                + LosslessJPEG.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
                + LosslessJPEG.segment(0xFE, [1, 2, 3])
        }
        let header = try #require(Self.decode(image.file).header)
        #expect(header.metadata.orientation == .right && header.size == PixelSize(width: 13, height: 19))
        #expect(header.metadata.exif == exif)
        #expect(header.metadata.xmp == Array("<x/>".utf8))
        // 100 and 50 a centimetre.
        #expect(header.metadata.resolution?.horizontal == 254 && header.metadata.resolution?.vertical == 127)
    }

    @Test("A lossless JPEG is opened, reduced and written like any other")
    func everyday() throws {
        let image = Self.color { ($0.width, $0.height, $0.precision) = (64, 48, 16) }
        let source = try Image(data: image.file)
        #expect(
            try source.thumbnail(fitting: PixelSize(width: 16, height: 16)).size == PixelSize(width: 16, height: 12))
        let png = try ImageSource.decode(
            try source.data(as: .png), options: DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        ).bitmap
        #expect(png.storedSamples == Self.decode(image.file).bitmap?.storedSamples)
    }
}
