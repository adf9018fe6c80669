package import Raster

// Sizes, regions, plans and pixel properties in messages.

extension MessageWriter {
    package mutating func write(_ size: PixelSize) {
        write(size.width)
        write(size.height)
    }

    package mutating func write(_ rect: PixelRect) {
        write(rect.x)
        write(rect.y)
        write(rect.size)
    }

    package mutating func write(_ plan: DecodingPlan) {
        write(plan.region) { $0.write($1) }
        write(plan.targetSize) { $0.write($1) }
        write(plan.reducingGap)
    }

    package mutating func write(_ info: BitmapInfo) {
        write(info.size)
        write(info.format.rawValue)
        write(info.alpha.rawValue)
        write(info.profile)
    }

    package mutating func write(_ profile: ColorProfile) {
        switch profile {
        case .sRGB:
            write(UInt8(0))
        case .icc(let bytes):
            write(UInt8(1))
            write(bytes)
        case .calibrated(let gamma, let chromaticities):
            write(UInt8(2))
            write(gamma)
            write(chromaticities) { writer, points in
                for point in [points.white, points.red, points.green, points.blue] {
                    writer.write(point.x)
                    writer.write(point.y)
                }
            }
        }
    }
}

extension MessageReader {
    /// Reads a size that isn't empty.
    package mutating func size() throws(ImageError) -> PixelSize {
        let width = try int(in: 1...Int(Int32.max))
        return PixelSize(width: width, height: try int(in: 1...Int(Int32.max)))
    }

    package mutating func rect() throws(ImageError) -> PixelRect {
        let x = try int(in: 0...Int(Int32.max))
        let y = try int(in: 0...Int(Int32.max))
        let size = try size()
        return PixelRect(x: x, y: y, width: size.width, height: size.height)
    }

    package mutating func plan() throws(ImageError) -> DecodingPlan {
        let region = try optional { (reader) throws(ImageError) in try reader.rect() }
        var plan = DecodingPlan(
            region: region, targetSize: try optional { (reader) throws(ImageError) in try reader.size() })
        plan.reducingGap = try double(in: 1...1e3)
        return plan
    }

    /// Reads pixel properties with a profile of at most `profileLimit` bytes.
    package mutating func info(profileLimit: Int) throws(ImageError) -> BitmapInfo {
        let size = try size()
        guard let format = PixelFormat(rawValue: try string(limit: 32)),
            let alpha = AlphaMode(rawValue: try string(limit: 32))
        else { throw Self.failure }
        return BitmapInfo(size: size, format: format, alpha: alpha, profile: try profile(limit: profileLimit))
    }

    package mutating func profile(limit: Int) throws(ImageError) -> ColorProfile {
        switch try byte() {
        case 0: return .sRGB
        case 1: return .icc(try array(limit: limit))
        case 2:
            let gamma = try double()
            let points = try optional { (reader) throws(ImageError) in
                ColorProfile.Chromaticities(
                    white: try reader.point(), red: try reader.point(), green: try reader.point(),
                    blue: try reader.point())
            }
            return .calibrated(gamma: gamma, points)
        default: throw Self.failure
        }
    }

    private mutating func point() throws(ImageError) -> ColorProfile.Chromaticities.Point {
        let x = try double(in: -1e6...1e6)
        return ColorProfile.Chromaticities.Point(x: x, y: try double(in: -1e6...1e6))
    }
}
