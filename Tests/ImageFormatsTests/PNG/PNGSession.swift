import CTesseraPNGOracle
import Foundation
import ImageFormats
import Raster

/// Drives one decoding session the way a caller would, and keeps what it says.
struct PNGSession {
    var header: ImageHeader?
    /// The rows that came; nil when there are none.
    var bitmap: Bitmap?
    var rows = 0
    var passes: [Int] = []
    /// The picture as each pass left it.
    var passBitmaps: [Bitmap] = []
    var isComplete = false
    var error: ImageError?

    /// Appends `bytes` in pieces that end at `splits`, reading in between as far as rows come.
    init(
        _ bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        bits: Int = 16, limits: DecodingLimits = .standard
    ) {
        var target: MutableBitmap?
        do throws(ImageError) {
            let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: bits, limits: limits)
            let decoder = try PNGCodec().makeDecoder(for: FormatProbe(whole: bytes.span.bytes), options: options)
            var start = 0
            for end in splits + [bytes.count, -1] {
                if end >= 0 {
                    try decoder.append(bytes.span.bytes.extracting(start..<end))
                    start = end
                } else {
                    try decoder.finish()
                }
                guard let known = decoder.header else { continue }
                header = known
                if target == nil { target = try MutableBitmap(try decoder.start(plan, delivery: delivery)) }
                try pull(decoder, into: &target!)
            }
        } catch {
            self.error = error
        }
        guard let made = target.take() else { return }
        let whole = made.freeze()
        let count = passes.isEmpty ? rows : whole.height
        bitmap = count == 0 ? nil : try? whole.cropped(to: PixelRect(x: 0, y: 0, width: whole.width, height: count))
    }

    private mutating func pull(_ decoder: any IncrementalDecoder, into target: inout MutableBitmap) throws(ImageError) {
        let height = target.info.size.height
        while !isComplete {
            let delivered = try target.withMutableRows(min(rows, height - 1)..<height) { (rows) throws(ImageError) in
                try decoder.read(into: &rows)
            }
            switch delivered {
            case .rows(let count): rows += count
            case .needMoreData: return
            case .passComplete(let count):
                passes.append(count)
                passBitmaps.append(try target.snapshot())
                rows = 0
            case .end: isComplete = true
            case .restart: return
            }
        }
    }
}

extension Bitmap {
    /// Red, green, blue and alpha of sixteen bits, whatever the format.
    var samples16: [UInt16] {
        var result: [UInt16] = []
        result.reserveCapacity(4 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                switch format {
                case .gray8:
                    let value = UInt16(rows.row(y, as: Gray8.self)[x].value) * 257
                    result += [value, value, value, 65535]
                case .gray16:
                    let value = rows.row(y, as: Gray16.self)[x].value
                    result += [value, value, value, 65535]
                case .rgba8:
                    let pixel = rows.row(y, as: RGBA8.self)[x]
                    result += [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { UInt16($0) * 257 }
                case .rgba16:
                    let pixel = rows.row(y, as: RGBA16.self)[x]
                    result += [pixel.red, pixel.green, pixel.blue, pixel.alpha]
                }
            }
        }
        return result
    }
}

/// libpng, as the judge of what a file's pixels are.
enum LibPNG {
    /// Red, green, blue and alpha of sixteen bits; nil when libpng gives up.
    static func decode(_ file: [UInt8]) -> (size: PixelSize, samples: [UInt16])? {
        var (width, height): (UInt32, UInt32) = (0, 0)
        var pixels: UnsafeMutablePointer<UInt16>?
        guard tessera_oracle_read_png(file, file.count, &width, &height, &pixels) == 0, let pixels else { return nil }
        defer { free(pixels) }
        let count = Int(width) * Int(height) * 4
        return (
            PixelSize(width: Int(width), height: Int(height)),
            Array(UnsafeBufferPointer(start: pixels, count: count))
        )
    }
}
