internal import CTessera
internal import ImageFormats
internal import Raster

extension PixelFormat {
    /// The interface's number for the format.
    var code: Int32 {
        switch self {
        case .gray8: Int32(TESSERA_PIXELS_GRAY8)
        case .gray16: Int32(TESSERA_PIXELS_GRAY16)
        case .rgba8: Int32(TESSERA_PIXELS_RGBA8)
        case .rgba16: Int32(TESSERA_PIXELS_RGBA16)
        }
    }
}

/// The layout of pixels in the caller's memory: a format of the library, perhaps with its channels in another order.
struct CallerPixels {
    /// The order of the channels.
    enum Order {
        case same
        /// Three channels, without alpha.
        case rgb
        /// Blue before green and red.
        case bgra
    }

    /// The library's pixels.
    let info: BitmapInfo
    let order: Order

    /// - Parameter source: The image's own pixels, which defaults stand for.
    /// - Throws: A failure for numbers that aren't a layout.
    init(size: PixelSize, pixels: Int32, alpha: Int32, source: BitmapInfo) throws(LibraryFailure) {
        // Products of accepted sizes don't overflow.
        guard max(size.width, size.height) <= 1 << 24 else {
            throw LibraryFailure(
                TESSERA_STATUS_LIMIT_EXCEEDED, "a size of \(size) is too large; the limit is \(1 << 24) pixels a side")
        }
        let format: PixelFormat
        switch Int(pixels) {
        case TESSERA_PIXELS_DEFAULT: (format, order) = (source.format, .same)
        case TESSERA_PIXELS_GRAY8: (format, order) = (.gray8, .same)
        case TESSERA_PIXELS_GRAY16: (format, order) = (.gray16, .same)
        case TESSERA_PIXELS_RGBA8: (format, order) = (.rgba8, .same)
        case TESSERA_PIXELS_RGBA16: (format, order) = (.rgba16, .same)
        case TESSERA_PIXELS_RGB8: (format, order) = (.rgba8, .rgb)
        case TESSERA_PIXELS_BGRA8: (format, order) = (.rgba8, .bgra)
        default: throw .invalid("pixels of \(pixels) is none of TESSERA_PIXELS_…")
        }
        var mode: AlphaMode
        switch Int(alpha) {
        case TESSERA_ALPHA_DEFAULT: mode = source.alpha
        case TESSERA_ALPHA_NONE: mode = .none
        case TESSERA_ALPHA_STRAIGHT: mode = .straight
        case TESSERA_ALPHA_PREMULTIPLIED: mode = .premultiplied
        default: throw .invalid("alpha of \(alpha) is none of TESSERA_ALPHA_…")
        }
        if order == .rgb { mode = .none }
        guard source.profile == .sRGB || source.format.isGray == format.isGray else {
            throw .invalid("colours kept as stored can't change between grey and RGB; open the image in sRGB")
        }
        info = BitmapInfo(size: size, format: format, alpha: mode, profile: source.profile)
    }

    /// Channels in the caller's pixels.
    var channelCount: Int { order == .rgb ? 3 : info.format.channelCount }

    /// Bytes of a row in the caller's memory, without padding.
    var rowByteCount: Int { info.size.width * channelCount * info.format.bitsPerChannel / 8 }

    /// The layout for the caller.
    var layout: tessera_layout {
        var layout = tessera_layout()
        (layout.width, layout.height) = (Int64(info.size.width), Int64(info.size.height))
        layout.pixels =
            switch order {
            case .same: info.format.code
            case .rgb: Int32(TESSERA_PIXELS_RGB8)
            case .bgra: Int32(TESSERA_PIXELS_BGRA8)
            }
        layout.alpha =
            switch info.alpha {
            case .none: Int32(TESSERA_ALPHA_NONE)
            case .straight: Int32(TESSERA_ALPHA_STRAIGHT)
            case .premultiplied: Int32(TESSERA_ALPHA_PREMULTIPLIED)
            }
        layout.channel_count = Int32(channelCount)
        layout.bits_per_channel = Int32(info.format.bitsPerChannel)
        layout.row_byte_count = Int64(rowByteCount)
        return layout
    }

    /// Checks that the rows fit in memory of `byteCount` bytes.
    func check(byteCount: Int, stride: Int) throws(LibraryFailure) {
        let (before, overflows) = stride.multipliedReportingOverflow(by: info.size.height - 1)
        let (total, sumOverflows) = before.addingReportingOverflow(rowByteCount)
        guard stride >= rowByteCount, byteCount >= 0, !overflows, !sumOverflows, total <= byteCount else {
            throw .invalid(
                "\(info.size.height) rows of \(rowByteCount) bytes, \(stride) bytes apart, don't fit in \(byteCount) bytes"
            )
        }
    }
}
