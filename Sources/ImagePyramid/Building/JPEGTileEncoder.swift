internal import CTesseraJPEG
internal import ImageFormats
internal import Raster

/// Encodes tiles as JPEG with libjpeg, reusing one compressor and one buffer.
final class JPEGTileEncoder {
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer

    init(quality: Double, plan: LevelStripPlan) throws(ImageError) {
        var kind = tessera_jpeg_tile_kind()
        kind.quality = UInt8(max(1, (quality * 100).rounded()))
        (kind.horizontal_subsampling, kind.vertical_subsampling) = (2, 2)
        let planes = plan.layout.planes
        if planes.count > 1 {
            kind.pixels = UInt8(TESSERA_JPEG_PIXELS_PLANES)
            let swaps = plan.orientation.swapsSides
            kind.horizontal_subsampling = UInt8(swaps ? planes[1].vertical : planes[1].horizontal)
            kind.vertical_subsampling = UInt8(swaps ? planes[1].horizontal : planes[1].vertical)
        } else {
            kind.pixels = UInt8(
                planes[0].bytesPerSample == 4 ? TESSERA_JPEG_PIXELS_RGBA8 : TESSERA_JPEG_PIXELS_GRAY8)
        }
        guard let handle = tessera_jpeg_tile_encoder_create(&kind) else {
            throw ImageError(.outOfMemory, "no memory for a JPEG encoder")
        }
        self.handle = handle
    }

    deinit { tessera_jpeg_tile_encoder_destroy(handle) }

    /// Lends the JPEG of grey or RGBA rows, in the plan's layout, to `body`.
    func encode(_ rows: borrowing PixelRows, _ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        let (width, height, stride) = (UInt32(rows.width), UInt32(rows.count), rows.bytesPerRow)
        let status = rows.withUnsafeBase { base in
            // All rows of this width belong to `rows`, `stride` bytes apart.
            tessera_jpeg_tile_encode_pixels(
                handle, base.assumingMemoryBound(to: UInt8.self), stride, width, height, &bytes, &count)
        }
        try lend(status, bytes, count, body)
    }

    /// Lends the JPEG of a tile of `size` to `body`. The planes' memory must be valid during the call.
    func encode(
        _ planes: [tessera_jpeg_plane], size: PixelSize, _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        let status = tessera_jpeg_tile_encode_planes(
            handle, planes, UInt32(size.width), UInt32(size.height), &bytes, &count)
        try lend(status, bytes, count, body)
    }

    private func lend(
        _ status: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
        _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard status >= 0, let bytes else {
            // The message lives as long as the handle, and is copied here.
            let message = String(cString: tessera_jpeg_tile_encoder_message(handle))
            throw ImageError(shim: status, "the tile can't be written: \(message)")
        }
        // The shim keeps the bytes until its next call.
        try body(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }
}

/// The marker segments that give a tile copied from a JPEG the image's colours.
enum JPEGTileProfile {
    /// The largest profile in bytes that is put into each tile.
    private static let largest = 4096

    /// Returns the marker segments for tiles of the JPEG with this header: none if its colours are sRGB; nil if tiles
    /// can't be copied.
    static func segments(of header: ImageHeader) throws(ImageError) -> [UInt8]? {
        var info = BitmapInfo(size: header.storedSize, format: .rgba8, profile: header.profile)
        if header.colorModel == .gray { info.format = .gray8 }
        if try ColorConverter(from: info) == nil { return [] }
        guard case .icc(let profile) = header.profile, profile.count <= largest else { return nil }
        return segment(profile)
    }

    /// An ICC profile as a single APP2 segment (ICC.1:2010, B.4).
    private static func segment(_ profile: [UInt8]) -> [UInt8] {
        let length = 2 + 12 + 2 + profile.count
        return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + "ICC_PROFILE".utf8 + [0, 1, 1] + profile
    }
}
