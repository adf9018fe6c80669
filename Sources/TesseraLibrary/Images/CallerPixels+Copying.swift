internal import ImageFormats
internal import Raster

// `check(byteCount:stride:)` has found room for all rows in the memory that these functions use.
extension CallerPixels {
    /// The same layout with another profile.
    func withProfile(_ profile: ColorProfile) -> CallerPixels {
        CallerPixels(
            info: BitmapInfo(size: info.size, format: info.format, alpha: info.alpha, profile: profile), order: order)
    }

    private init(info: BitmapInfo, order: Order) {
        self.info = info
        self.order = order
    }

    /// Copies all rows of `source`, which are of `info`, to `memory`.
    func fill(
        _ memory: UnsafeMutableRawBufferPointer, stride: Int, from source: any RowSource
    ) throws(ImageError) {
        let isAligned =
            UInt(bitPattern: memory.baseAddress) % 2 == 0 && stride % 2 == 0 || info.format.bitsPerChannel == 8
        if order == .same, isAligned {
            var span = memory.mutableBytes
            var rows = try MutablePixelRows(
                &span, format: info.format, width: info.size.width, count: info.size.height, bytesPerRow: stride)
            return try source.decode(into: &rows)
        }
        try source.copyRows(to: Target(self, memory, stride))
    }

    /// Returns the pixels in `memory`.
    func bitmap(_ memory: UnsafeRawBufferPointer, stride: Int) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: info)
        let (width, height) = (info.size.width, info.size.height)
        bitmap.withMutableRows(0..<height) { rows in
            for y in 0..<height {
                let source = UnsafeRawBufferPointer(rebasing: memory[(y * stride)...].prefix(rowByteCount))
                var row = rows.bytes(y)
                row.withUnsafeMutableBytes { target in
                    switch order {
                    case .same: target.copyMemory(from: source)
                    case .rgb:
                        for x in 0..<width {
                            target[4 * x] = source[3 * x]
                            target[4 * x + 1] = source[3 * x + 1]
                            target[4 * x + 2] = source[3 * x + 2]
                            target[4 * x + 3] = 255
                        }
                    case .bgra: Self.exchange(source, target, width: width)
                    }
                }
            }
            if info.alpha == .none, order != .rgb { rows.makeOpaque() }
        }
        return bitmap.freeze()
    }

    /// Copies rows with their channels in another order, or to odd addresses.
    private final class Target: RowSink {
        private let pixels: CallerPixels
        private let memory: UnsafeMutableRawBufferPointer
        private let stride: Int
        private var next = 0

        init(_ pixels: CallerPixels, _ memory: UnsafeMutableRawBufferPointer, _ stride: Int) {
            self.pixels = pixels
            self.memory = memory
            self.stride = stride
        }

        func write(_ rows: borrowing PixelRows) throws(ImageError) {
            for y in 0..<rows.count {
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: memory[(next * stride)...].prefix(pixels.rowByteCount))
                rows.bytes(y).withUnsafeBytes { source in
                    switch pixels.order {
                    case .same: target.copyMemory(from: source)
                    case .rgb: CallerPixels.pack(source, target, width: rows.width)
                    case .bgra: CallerPixels.exchange(source, target, width: rows.width)
                    }
                }
                next += 1
            }
        }

        func finish() {}
    }

    private static func pack(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer, width: Int
    ) {
        guard let from = source.baseAddress, let to = target.baseAddress, source.count >= 4 * width,
            target.count >= 3 * width
        else { return }
        // Four bytes are written for all pixels but the last: the next one replaces the fourth.
        for x in 0..<max(0, width - 1) {
            let pixel = from.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self)
            to.storeBytes(of: pixel, toByteOffset: 3 * x, as: UInt32.self)
        }
        for channel in 0..<(width > 0 ? 3 : 0) { target[3 * (width - 1) + channel] = source[4 * (width - 1) + channel] }
    }

    private static func exchange(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer, width: Int
    ) {
        for x in 0..<width {
            let pixel = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
            let swapped = pixel & 0xFF00_FF00 | (pixel & 0xFF) << 16 | pixel >> 16 & 0xFF
            target.storeBytes(of: swapped.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
        }
    }
}

extension MutablePixelRows {
    /// Sets the alpha of all pixels to its largest value: the caller's fourth channel may be anything.
    fileprivate mutating func makeOpaque() {
        for y in 0..<count {
            switch format {
            case .gray8, .gray16: return
            case .rgba8:
                var row = row(y, as: RGBA8.self)
                for x in row.indices { row[x].alpha = .max }
            case .rgba16:
                var row = row(y, as: RGBA16.self)
                for x in row.indices { row[x].alpha = .max }
            }
        }
    }
}
