internal import Raster

/// A pixel of red, green, blue and alpha as integers.
protocol ComparedPixel: Pixel {
    /// The largest value of a channel.
    static var maximum: Int { get }
    /// Red, green, blue and alpha.
    var channels: SIMD4<Int32> { get }
    /// An opaque pixel with the colour in the first three channels.
    init(_ channels: SIMD4<Int32>)
}

extension RGBA8: ComparedPixel {
    static var maximum: Int { 255 }
    var channels: SIMD4<Int32> { SIMD4(Int32(red), Int32(green), Int32(blue), Int32(alpha)) }
    init(_ channels: SIMD4<Int32>) { self.init(UInt8(channels[0]), UInt8(channels[1]), UInt8(channels[2])) }
}

extension RGBA16: ComparedPixel {
    static var maximum: Int { 65535 }
    var channels: SIMD4<Int32> { SIMD4(Int32(red), Int32(green), Int32(blue), Int32(alpha)) }
    init(_ channels: SIMD4<Int32>) { self.init(UInt16(channels[0]), UInt16(channels[1]), UInt16(channels[2])) }
}
