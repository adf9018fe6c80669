import ImageEffects
import Raster
import Testing

@Suite("Corner radius and circle")
struct CornerRadiusTests {
    static let context = try! EffectContext()

    @Test("Each pixel is kept by how much of it lies within the arcs")
    func reference() throws {
        var noise = Noise(3)
        for (width, height) in [(1, 1), (2, 2), (3, 3), (5, 8), (21, 16), (40, 9)] {
            for radii in [
                [0.3, 0.3, 0.3, 0.3], [1, 1, 1, 1], [2.5, 2.5, 2.5, 2.5], [3, 0, 7.7, 1.5], [100, 100, 100, 100],
            ] {
                for (bits, alpha) in [(8, AlphaMode.none), (8, .premultiplied), (16, .none)] {
                    let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                    let effect = Effects.CornerRadius(
                        topLeft: radii[0], topRight: radii[1], bottomLeft: radii[2], bottomRight: radii[3])
                    let result = try effect.apply(to: picture, in: Self.context)
                    let wanted = ReferencePicture(picture).rounded(radii[0], radii[1], radii[2], radii[3])
                    #expect(
                        wanted.largestDifference(result) <= (bits == 8 ? 1 : 100),
                        "\(width)x\(height) of \(bits) bits, \(radii)")
                    #expect(result.alpha == .premultiplied)
                    #expect(result.keepsItsWord)
                    #expect(try effect.resultSize(of: picture.size, in: Self.context) == picture.size)
                }
            }
        }
    }

    @Test("The area of a circle of one pixel's width is π/4")
    func smallest() throws {
        let result = try Effects.CornerRadius(0.5).apply(to: try TextPicture("W").bitmap(bits: 16), in: Self.context)
        #expect(abs(Double(result.channels(0, 0)[3]) / 65535 - Double.pi / 4) < 2 / 65535.0)
    }

    @Test("The areas of large corners add up to what an arc cuts off", arguments: [1, 2.25, 17, 100.5, 333])
    func area(radius: Double) throws {
        let side = Int(2 * radius) + 2
        let info = BitmapInfo(size: PixelSize(width: side, height: side), format: .rgba16)
        let picture = try Bitmap(info) { _, _ in [0, 0, 0, 65535] }
        let result = try Effects.CornerRadius(topRight: radius).apply(to: picture, in: Self.context)
        var lost = 0.0
        for y in 0..<side { for x in 0..<side { lost += 1 - Double(result.channels(x, y)[3]) / 65535 } }
        #expect(abs(lost - radius * radius * (1 - Double.pi / 4)) < 0.001 * radius)
    }

    @Test("All corners are alike")
    func symmetry() throws {
        let info = BitmapInfo(size: PixelSize(width: 23, height: 31), format: .rgba8)
        let picture = try Bitmap(info) { _, _ in [255, 255, 255, 255] }
        for radius in [3, 7.5, 11.5] {
            let result = try Effects.CornerRadius(radius).apply(to: picture, in: Self.context)
            for orientation in [Orientation.upMirrored, .down, .downMirrored] {
                #expect(try result.oriented(by: orientation).largestDifference(result) == 0)
            }
        }
    }

    @Test("A radius of 0 changes nothing; one too large is half the shorter side")
    func limits() throws {
        var noise = Noise(8)
        let picture = try noise.picture(15, 10, alpha: .none)
        let same = try Effects.CornerRadius(0).apply(to: picture, in: Self.context)
        #expect(same.info == picture.info)
        #expect(same.tightBytes() == picture.tightBytes())
        let largest = try Effects.CornerRadius(5).apply(to: picture, in: Self.context)
        let larger = try Effects.CornerRadius(9e5).apply(to: picture, in: Self.context)
        #expect(largest.largestDifference(larger) == 0)
        let points = try Effects.CornerRadius(2).apply(to: picture, in: try EffectContext(scale: 2))
        let pixels = try Effects.CornerRadius(4).apply(to: picture, in: Self.context)
        #expect(points.largestDifference(pixels) == 0)
    }

    @Test("A circle is the middle square with the largest radius")
    func circle() throws {
        var noise = Noise(8)
        for (width, height) in [(1, 1), (9, 4), (4, 9), (7, 7), (30, 13)] {
            for bits in [8, 16] {
                let picture = try noise.picture(width, height, bits: bits)
                let side = min(width, height)
                let square = try Effects.Crop(
                    x: Double((width - side) / 2), y: Double((height - side) / 2), width: Double(side),
                    height: Double(side)
                ).apply(to: picture, in: Self.context)
                let wanted = try Effects.CornerRadius(1e4).apply(to: square, in: Self.context)
                let result = try Effects.Circle().apply(to: picture, in: Self.context)
                #expect(result.tightBytes() == wanted.tightBytes())
                #expect(try Effects.Circle().resultSize(of: picture.size, in: Self.context) == result.size)
            }
        }
    }

    @Test("An invalid radius is an error", arguments: [-1, .nan, .infinity, 1e30])
    func mistakes(radius: Double) throws {
        let picture = try TextPicture("RG").bitmap()
        for effect in [Effects.CornerRadius(radius), Effects.CornerRadius(bottomLeft: radius)] {
            #expect(throws: ImageError.self) { try effect.apply(to: picture, in: Self.context) }
            #expect(throws: ImageError.self) { try effect.resultSize(of: picture.size, in: Self.context) }
        }
    }
}
