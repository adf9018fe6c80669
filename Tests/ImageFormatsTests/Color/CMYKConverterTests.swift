import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Conversion of CMYK")
struct CMYKConverterTests {
    private func converted(_ inks: [UInt8], profile: [UInt8]? = nil, isInverted: Bool = false) -> [RGBA8] {
        var row = [RGBA8](repeating: RGBA8(9, 9, 9, 9), count: inks.count / 4)
        var span = row.mutableSpan
        CMYKConverter(profile: profile, isInverted: isInverted).convert(inks.span.bytes, into: &span)
        return row
    }

    /// Every pair of an ink and black.
    private static let pairs: [UInt8] = (0..<65536).flatMap { (index: Int) -> [UInt8] in
        [UInt8(index >> 8), UInt8(index & 255), 0, UInt8(index & 255)]
    }

    @Test("Without a profile, the plain formula applies")
    func withoutAProfileItIsThePlainFormula() {
        let row = converted(Self.pairs)
        for (index, pixel) in row.enumerated() {
            let (ink, black): (Double, Double) = (Double(index >> 8), Double(index & 255))
            let red: Double = ((255 - ink) * (255 - black) / 255).rounded()
            let green: Double = ((255 - black) * (255 - black) / 255).rounded()
            #expect(pixel == RGBA8(UInt8(red), UInt8(green), UInt8(255 - black)))
        }
    }

    @Test("Inverted CMYK is the same CMYK", arguments: [nil, TestProfiles.cmyk])
    func invertedInksAreTheSameInks(_ profile: [UInt8]?) {
        let inverted = converted(Self.pairs.map { 255 - $0 }, profile: profile, isInverted: true)
        #expect(inverted == converted(Self.pairs, profile: profile))
    }

    @Test("A CMYK profile determines the colours")
    func aProfileSaysWhatInksLookLike() {
        // The corners of the profile's table, whose Lab values are written there, through CIE 15 to sRGB.
        func expected(_ lightness: Double, _ a: Double, _ b: Double) -> [Double] {
            let y = (lightness + 16) / 116
            func inverse(_ t: Double) -> Double { t > 6.0 / 29 ? t * t * t : (t - 4.0 / 29) * 108 / 841 }
            let xyz = [0.9642 * inverse(y + a / 500), inverse(y), 0.8249 * inverse(y - b / 200)]
            return ColorMath.sRGB(xyz: xyz).map { $0 * 255 }
        }
        let corners: [(inks: [UInt8], lab: (Double, Double, Double))] = [
            ([0, 0, 0, 0], (255, 0, 0)), ([0, 0, 0, 255], (0, 0, 0)), ([255, 0, 0, 0], (165, -30, -40)),
            ([0, 255, 0, 0], (155, 60, 0)), ([0, 0, 255, 0], (235, 0, 80)), ([255, 255, 0, 0], (65, 30, -40)),
        ]
        let row = converted(corners.flatMap(\.inks), profile: TestProfiles.cmyk)
        for (pixel, corner) in zip(row, corners) {
            let wanted = expected(corner.lab.0 / 2.55, corner.lab.1, corner.lab.2)
            for (value, wanted) in zip([pixel.red, pixel.green, pixel.blue], wanted) {
                #expect(abs(Double(value) - wanted) <= 4)
            }
            #expect(pixel.alpha == 255)
        }
    }

    @Test(
        "A profile that isn't for CMYK is ignored",
        arguments: [
            [], [1, 2, 3], TestProfiles.wideRGB, TestProfiles.linearGray, Array(TestProfiles.cmyk.dropLast(900)),
        ])
    func aProfileThatIsNotForInksIsLeftOutOfAccount(_ profile: [UInt8]) {
        #expect(converted(Self.pairs, profile: profile) == converted(Self.pairs))
    }
}
