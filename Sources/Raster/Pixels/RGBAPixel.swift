/// What `RGBA8` and `RGBA16` have in common, for arithmetic that is written once for both.
package protocol RGBAPixel: Pixel {
    /// A channel's value; its largest is 1.
    associatedtype Channel: FixedWidthInteger & UnsignedInteger
    /// Holds twice the cube of the largest channel.
    associatedtype CubeSum: FixedWidthInteger & UnsignedInteger

    var red: Channel { get set }
    var green: Channel { get set }
    var blue: Channel { get set }
    var alpha: Channel { get set }

    init(_ red: Channel, _ green: Channel, _ blue: Channel, _ alpha: Channel)
}

extension RGBA8: RGBAPixel {
    package typealias CubeSum = UInt32
}

extension RGBA16: RGBAPixel {
    package typealias CubeSum = UInt64
}
