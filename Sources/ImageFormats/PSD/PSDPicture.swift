internal import Raster

extension PSDDocument {
    /// Returns the merged image.
    func picture(_ options: DecodingOptions) throws(ImageError) -> any WholePicture {
        let isTransparent = hasAlpha || transparentIndex != nil
        var header = ImageHeader(
            format: .psd, storedSize: size, colorModel: colorModel, bitsPerChannel: bits, hasAlpha: isTransparent,
            profile: profile(options.limits), metadata: metadata(options.limits))
        let channelCount = mode.channelCount + (hasAlpha ? 1 : 0)
        guard bits == 32 else {
            return PSDPicture(
                self, header, options, try PSDChannelRows(self, channelCount: channelCount, options.limits))
        }
        let primaries = header.profile
        header.profile = LightCanvas.profile(peak: nil)
        header.colorModel = .rgb
        return LightPicture(header, primaries: primaries, options: options) { (part, canvas) throws(ImageError) in
            var rows = try PSDChannelRows(self, channelCount: channelCount, options.limits)
            try self.readLight(&rows, part, to: &canvas)
        }
    }

    /// Stores the rows of `part` of a document of 32 bits.
    private func readLight(
        _ rows: inout PSDChannelRows, _ part: PixelRect, to canvas: inout LightCanvas
    ) throws(ImageError) {
        var pixels = [LightCanvas.Pixel](repeating: .one, count: part.width)
        let colorCount = mode.channelCount
        for y in part.y..<(part.y + part.height) {
            try rows.read(y)
            for x in 0..<part.width {
                let column = part.x + x
                var pixel = LightCanvas.Pixel(repeating: rows.float(0, column))
                if colorCount == 3 {
                    pixel.y = rows.float(1, column)
                    pixel.z = rows.float(2, column)
                }
                pixel.w = 1
                if hasAlpha {
                    let alpha = rows.float(colorCount, column)
                    // Colours are mixed with white.
                    if alpha > 0, alpha < 1 { pixel = (pixel - LightCanvas.Pixel(repeating: 1 - alpha)) / alpha }
                    pixel.w = alpha
                }
                pixels[x] = pixel
            }
            canvas.store(pixels.span)
        }
    }
}

/// The current row of each channel that is read.
struct PSDChannelRows {
    private var reader: PSDRowReader
    private var rows: [[UInt8]]

    init(_ document: PSDDocument, channelCount: Int, _ limits: DecodingLimits) throws(ImageError) {
        reader = try PSDRowReader(document, channelCount: channelCount, limits: limits)
        rows = Array(repeating: [UInt8](repeating: 0, count: document.rowByteCount), count: channelCount)
    }

    mutating func read(_ y: Int) throws(ImageError) {
        for channel in rows.indices { try reader.read(channel, y, into: &rows[channel]) }
    }

    /// The bytes of a channel's row.
    func bytes(_ channel: Int) -> [UInt8] { rows[channel] }

    func float(_ channel: Int, _ x: Int) -> Float {
        let bytes = rows[channel]
        let pattern =
            UInt32(bytes[4 * x]) << 24 | UInt32(bytes[4 * x + 1]) << 16 | UInt32(bytes[4 * x + 2]) << 8
            | UInt32(bytes[4 * x + 3])
        return Float(bitPattern: pattern)
    }
}

/// The merged image of a document of up to 16 bits.
final class PSDPicture: WholePicture {
    let header: ImageHeader
    private let document: PSDDocument
    private let options: DecodingOptions
    private var channels: PSDChannelRows
    private let format: PixelFormat
    private let inks: CMYKConverter?
    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var nextRow = 0

    // A row of 16-bit samples for each channel, and of CMYK.
    private var samples: [[UInt16]] = []
    private var inkRow: [UInt8] = []

    init(_ document: PSDDocument, _ header: ImageHeader, _ options: DecodingOptions, _ channels: PSDChannelRows) {
        self.document = document
        self.header = header
        self.options = options
        self.channels = channels
        let isDeep = document.bits == 16 && options.maximumBitsPerChannel > 8
        let isGray = header.colorModel == .gray && !header.hasAlpha
        format = (isGray ? PixelFormat.gray8 : .rgba8)
            .withBitsPerChannel(isDeep && document.mode != .cmyk ? 16 : 8)
        inks =
            document.mode == .cmyk
            ? CMYKConverter(profile: options.inkProfile(header.profile), isInverted: true) : nil
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        region = plan.region ?? PixelRect(header.storedSize)
        nextRow = region.y
        samples = Array(
            repeating: [UInt16](repeating: 0, count: region.width),
            count: max(3, document.mode.channelCount + (document.hasAlpha ? 1 : 0)))
        inkRow = inks == nil ? [] : [UInt8](repeating: 0, count: 4 * region.width)
        return BitmapInfo(
            size: region.size, format: format, alpha: header.hasAlpha ? .straight : .none,
            profile: document.mode == .cmyk ? .sRGB : header.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        var count = 0
        while count < rows.count, nextRow < region.y + region.height {
            do throws(ImageError) {
                try channels.read(nextRow)
            } catch {
                guard count > 0 else { throw error }
                // The next call throws it again.
                return count
            }
            compose(&rows, count)
            count += 1
            nextRow += 1
        }
        return count
    }

    private func compose(_ rows: inout MutablePixelRows, _ y: Int) {
        switch document.mode {
        case .bitmap:
            let bytes = channels.bytes(0)
            var row = rows.row(y, as: Gray8.self)
            for x in row.indices {
                let column = region.x + x
                row[x] = Gray8(bytes[column >> 3] << UInt8(column & 7) & 0x80 == 0 ? 255 : 0)
            }
        case .indexed:
            let (bytes, palette, transparent) = (channels.bytes(0), document.palette, document.transparentIndex)
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices {
                let index = Int(bytes[region.x + x])
                row[x] = RGBA8(
                    palette[index], palette[256 + index], palette[512 + index], index == transparent ? 0 : 255)
            }
        case .gray, .duotone, .rgb, .cmyk, .lab:
            if document.bits == 8, document.mode == .rgb, !document.hasAlpha {
                let (red, green, blue) = (channels.bytes(0), channels.bytes(1), channels.bytes(2))
                var row = rows.row(y, as: RGBA8.self)
                for x in row.indices {
                    let column = region.x + x
                    row[x] = RGBA8(red[column], green[column], blue[column])
                }
            } else {
                loadSamples()
                composeSamples(&rows, y)
            }
        }
    }

    /// Widens the channels' rows to 16 bits.
    private func loadSamples() {
        let channelCount = document.mode.channelCount + (document.hasAlpha ? 1 : 0)
        for channel in 0..<channelCount {
            let bytes = channels.bytes(channel)
            for x in 0..<region.width {
                let column = region.x + x
                samples[channel][x] =
                    document.bits == 8
                    ? UInt16(bytes[column]) * 257 : UInt16(bytes[2 * column]) << 8 | UInt16(bytes[2 * column + 1])
            }
        }
    }

    private func composeSamples(_ rows: inout MutablePixelRows, _ y: Int) {
        switch document.mode {
        case .lab:
            // In LabConverter's form of 16 bits, FF00 is the lightest.
            if document.bits == 16 {
                for x in 0..<region.width { samples[0][x] = UInt16((UInt32(samples[0][x]) * 65280 + 32767) / 65535) }
            } else {
                // As stored, a byte.
                for x in 0..<region.width {
                    samples[1][x] &= 255
                    samples[2][x] &= 255
                }
            }
            convertLab()
        case .cmyk:
            let alpha = document.hasAlpha ? samples[4] : nil
            for x in 0..<region.width {
                for ink in 0..<4 { inkRow[4 * x + ink] = samples[ink][x].narrowed }
            }
            let inkRow = inkRow
            var row = rows.row(y, as: RGBA8.self)
            inks!.convert(inkRow.span.bytes, into: &row)
            if let alpha { for x in row.indices { row[x].alpha = alpha[x].narrowed } }
            return
        case .gray, .duotone, .rgb, .bitmap, .indexed: break
        }
        let isColor = document.mode.channelCount == 3
        let alpha = document.hasAlpha ? samples[document.mode.channelCount] : nil
        if let alpha {
            for channel in 0..<document.mode.channelCount where document.mode != .lab {
                Self.removeWhite(&samples[channel], alpha)
            }
        }
        let (red, green, blue) = (samples[0], samples[isColor ? 1 : 0], samples[isColor ? 2 : 0])
        switch format {
        case .gray8:
            var row = rows.row(y, as: Gray8.self)
            for x in row.indices { row[x] = Gray8(red[x].narrowed) }
        case .gray16:
            var row = rows.row(y, as: Gray16.self)
            for x in row.indices { row[x] = Gray16(red[x]) }
        case .rgba8:
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices {
                row[x] = RGBA8(
                    red[x].narrowed, green[x].narrowed, blue[x].narrowed, alpha.map { $0[x].narrowed } ?? 255)
            }
        case .rgba16:
            var row = rows.row(y, as: RGBA16.self)
            for x in row.indices { row[x] = RGBA16(red[x], green[x], blue[x], alpha?[x] ?? 65535) }
        }
    }

    private func convertLab() {
        var (l, a, b) = (samples[0], samples[1], samples[2])
        LabConverter.convert(&l, &a, &b, count: region.width, bits: document.bits, isOffset: true)
        (samples[0], samples[1], samples[2]) = (l, a, b)
    }

    /// Removes the white that was mixed into colours according to their alpha.
    private static func removeWhite(_ colors: inout [UInt16], _ alpha: [UInt16]) {
        for x in colors.indices where alpha[x] != 65535 && alpha[x] != 0 {
            let opacity = Int(alpha[x])
            let value = (max(0, Int(colors[x]) + opacity - 65535) * 65535 + opacity / 2) / opacity
            colors[x] = UInt16(min(65535, value))
        }
    }
}
