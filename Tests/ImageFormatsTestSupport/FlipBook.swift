package import ImageFormats
package import Raster
import TestSupport

/// A flip book's file: made at random, and composed the slow way to be held against.
package struct FlipBook {
    package static let headByteCount = 12

    package var info: BitmapInfo
    package var orientation = Orientation.up
    /// How many frames the head says there are.
    package var announced: Int?
    package var loopCount = 1
    package var frames: [(frame: AnimationFrame, pixels: [UInt8])] = []

    package init(info: BitmapInfo, announced: Int? = nil, loopCount: Int = 1) {
        self.info = info
        self.announced = announced
        self.loopCount = loopCount
    }

    /// Frames anywhere on the canvas, disposed of and blended in all ways.
    package init(
        _ size: PixelSize, count: Int, format: PixelFormat = .rgba8, alpha: AlphaMode = .straight,
        profile: ColorProfile = .sRGB, disposals: [AnimationFrame.Disposal] = [.keep, .background, .previous],
        fullFrames: Int = 5, seed: UInt64 = 1
    ) {
        self.init(info: BitmapInfo(size: size, format: format, alpha: alpha, profile: profile), announced: count)
        var random = SeededGenerator(seed)
        for index in 0..<count {
            var region = PixelRect(size)
            if index == 0 && alpha == .none || Int.random(in: 0..<max(fullFrames, 1), using: &random) > 0 {
                region.width = Int.random(in: 1...size.width, using: &random)
                region.height = Int.random(in: 1...size.height, using: &random)
                region.x = Int.random(in: 0...(size.width - region.width), using: &random)
                region.y = Int.random(in: 0...(size.height - region.height), using: &random)
            }
            if index == 0, alpha == .none { region = PixelRect(size) }
            let frame = AnimationFrame(
                region: region, blending: Bool.random(using: &random) ? .over : .source,
                disposal: alpha == .none ? .keep : disposals.randomElement(using: &random)!,
                storedDuration: Double(Int.random(in: 0..<300, using: &random)) / 1000)
            var pixels: [UInt8] = []
            let (bytes, channel) = (format.bytesPerPixel, format.bitsPerChannel / 8)
            for byte in 0..<(region.size.pixelCount * bytes) {
                let isAlpha = byte % bytes >= 3 * channel
                // What is drawn over an opaque canvas may be transparent, what takes its place may not.
                let isOpaque = alpha == .none && (index == 0 || frame.blending == .source)
                let choices: [UInt8] =
                    isOpaque ? [255] : [0, 0, 255, 255, UInt8.random(in: 0...255, using: &random)]
                // Both bytes of a deep alpha are alike, so that opaque and transparent are met often.
                pixels.append(
                    !isAlpha
                        ? UInt8.random(in: 0...255, using: &random)
                        : channel == 2 && byte % 2 == 1 ? pixels[byte - 1] : choices.randomElement(using: &random)!)
            }
            frames.append((frame, pixels))
        }
    }

    package init(head: [UInt8]) {
        let format: PixelFormat = head[6] == 16 ? .rgba16 : .rgba8
        info = BitmapInfo(
            size: PixelSize(width: Int(head[4]), height: Int(head[5])), format: format,
            alpha: head[7] == 0 ? .none : .straight, profile: head[11] == 0 ? .sRGB : .icc(TestProfiles.wideRGB))
        orientation = Orientation(rawValue: head[8])!
        loopCount = Int(head[9])
        announced = head[10] == 255 ? nil : Int(head[10])
    }

    package var head: [UInt8] {
        Array("FLIP".utf8) + [
            UInt8(info.size.width), UInt8(info.size.height), UInt8(info.format.bitsPerChannel),
            info.alpha.hasAlpha ? 1 : 0, orientation.rawValue, UInt8(loopCount), UInt8(announced ?? 255),
            info.profile == .sRGB ? 0 : 1,
        ]
    }

    package var bytes: [UInt8] { head + frames.flatMap { Self.head(of: $0.frame) + $0.pixels } }

    package static func head(of frame: AnimationFrame) -> [UInt8] {
        let (region, milliseconds) = (frame.region, Int((frame.storedDuration * 1000).rounded()))
        return [
            UInt8(region.x), UInt8(region.y), UInt8(region.width), UInt8(region.height),
            frame.blending == .over ? 1 : 0, frame.disposal == .keep ? 0 : frame.disposal == .background ? 1 : 2,
            UInt8(milliseconds >> 8), UInt8(milliseconds & 255),
        ]
    }

    package static func frame(_ head: [Int]) -> AnimationFrame {
        AnimationFrame(
            region: PixelRect(x: head[0], y: head[1], width: head[2], height: head[3]),
            blending: head[4] == 1 ? .over : .source, disposal: [.keep, .background, .previous][head[5]],
            storedDuration: Double(head[6] << 8 | head[7]) / 1000)
    }

    /// Every frame as shown: red, green, blue and alpha of each pixel, by the definitions and in floating point.
    package var composed: [[UInt16]] {
        let (width, largest) = (info.size.width, info.format.bitsPerChannel == 16 ? 65535.0 : 255.0)
        var canvas = [UInt16](repeating: 0, count: info.size.pixelCount * 4)
        if !info.alpha.hasAlpha {
            for index in stride(from: 3, to: canvas.count, by: 4) { canvas[index] = UInt16(largest) }
        }
        var result: [[UInt16]] = []
        for (frame, bytes) in frames {
            let before = canvas
            let region = frame.region
            let pixels: [UInt16] =
                info.format == .rgba8
                ? bytes.map(UInt16.init)
                : stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
            for y in 0..<region.height {
                for x in 0..<region.width {
                    let (from, to) = ((y * region.width + x) * 4, ((region.y + y) * width + region.x + x) * 4)
                    let (front, back) = (Double(pixels[from + 3]) / largest, Double(canvas[to + 3]) / largest)
                    let alpha = front + back * (1 - front)
                    if frame.blending == .source || front == 1 {
                        canvas.replaceSubrange(to..<(to + 4), with: pixels[from..<(from + 4)])
                    } else if front > 0 {
                        for channel in 0..<3 {
                            let color =
                                (Double(pixels[from + channel]) * front
                                    + Double(canvas[to + channel]) * back * (1 - front)) / alpha
                            canvas[to + channel] = UInt16((color + 1e-9).rounded())
                        }
                        canvas[to + 3] = UInt16((alpha * largest + 1e-9).rounded())
                    }
                }
            }
            result.append(canvas)
            switch frame.disposal {
            case .keep: break
            case .background:
                for y in region.y..<(region.y + region.height) {
                    let row = (y * width + region.x) * 4
                    for index in row..<(row + 4 * region.width) { canvas[index] = 0 }
                }
            case .previous: canvas = before
            }
        }
        return result
    }
}
