import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import SamplePictures
import Testing

/// Small pictures and files, and ways to look at them.
enum JPNGFixture {
    /// Colours and straight alpha as stored, nothing converted.
    static let stored = DecodingOptions(color: .asStored)

    static func cutout(_ width: Int = 96, _ height: Int = 64) throws -> Bitmap {
        try SamplePicture.cutout.makeBitmap(size: PixelSize(width: width, height: height))
    }

    static func encode(
        _ bitmap: Bitmap, _ format: ImageFormat = .jpng, _ options: EncodingOptions = EncodingOptions()
    ) throws -> [UInt8] {
        try ImageDestination(format: format, options: options, registry: .builtIn).encode(bitmap)
    }

    /// A JPNG of two files.
    static func join(_ color: [UInt8], _ mask: [UInt8]) throws -> [UInt8] {
        try JPNGContainer.join(color: color.span.bytes, mask: mask.span.bytes)
    }

    static func container(_ file: [UInt8]) throws -> JPNGContainer {
        try JPNGContainer(verifying: file.span.bytes)
    }

    static func decode(
        _ file: [UInt8], _ plan: DecodingPlan = .full, _ options: DecodingOptions = stored
    ) throws -> DecodedImage {
        try ImageSource.decode(file, plan: plan, options: options, registry: .builtIn)
    }

    /// A grey bitmap of the values that `value` gives for each place.
    static func gray(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .gray8))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: Gray8.self)
            for x in 0..<width { row[x] = Gray8(value(x, y)) }
        }
        return bitmap.freeze()
    }

    /// A bitmap of the pixels that `pixel` gives for each place.
    static func color(
        _ width: Int, _ height: Int, alpha: AlphaMode = .straight, _ pixel: (Int, Int) -> RGBA8
    ) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width { row[x] = pixel(x, y) }
        }
        return bitmap.freeze()
    }

    static func alpha(_ bitmap: Bitmap) -> [UInt8] { bitmap.pixels.map(\.alpha) }

    /// Feeds a stream in pieces and gives the final picture, its header and what went wrong.
    static func stream(
        _ file: [UInt8], pieces: [Int], _ options: DecodingOptions = stored, deliversPreviews: Bool = true
    ) throws -> (bitmap: Bitmap?, header: ImageHeader?, error: ImageError?, events: [DecodingEvent]) {
        let source = ImageSource(options: options, deliversPreviews: deliversPreviews, registry: .builtIn)
        var events: [DecodingEvent] = []
        var (start, index) = (0, 0)
        do {
            while start < file.count {
                let end = min(file.count, start + pieces[index % pieces.count])
                events += try source.append(Array(file[start..<end]))
                (start, index) = (end, index + 1)
            }
            events += try source.finish()
        } catch {
            #expect(source.error == error)
        }
        return (try source.currentBitmap(), source.header, source.error, events)
    }
}
