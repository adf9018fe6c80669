public import CTessera
internal import ImageFormats
internal import Raster

// The functions that copy pixels to and from the caller's memory. Their documentation is in tessera.h.

/// The layout of the pixels that tessera_decode writes with the same options; decodes nothing.
@c @implementation
public func tessera_decode_layout(
    _ image: OpaquePointer?, _ options: UnsafePointer<tessera_decode_options>?,
    _ layout: UnsafeMutablePointer<tessera_layout>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
        let options = try CallerStructure.read(options, name: "options")
        let selection = try PixelSelection(of: handle, options)
        let pixels = try CallerPixels(
            size: selection.size, pixels: options.pixels, alpha: options.alpha, source: handle.image.info)
        try CallerStructure.write(pixels.layout, to: layout, name: "layout")
    }
}

/// Decodes to the caller's memory: rows from the top, `stride` bytes apart.
@c @implementation
public func tessera_decode(
    _ image: OpaquePointer?, _ options: UnsafePointer<tessera_decode_options>?, _ pixels: UnsafeMutableRawPointer?,
    _ byte_count: Int, _ stride: Int, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
        let options = try CallerStructure.read(options, name: "options")
        guard let pixels else { throw LibraryFailure.invalid("pixels is NULL") }
        let selection = try PixelSelection(of: handle, options)
        let wanted = try CallerPixels(
            size: selection.size, pixels: options.pixels, alpha: options.alpha, source: handle.image.info)
        try wanted.check(byteCount: byte_count, stride: stride)
        let memory = UnsafeMutableRawBufferPointer(start: pixels, count: byte_count)
        try ProgressCallback.following(options.progress, options.context) { (progress) throws(ImageError) in
            try selection.withRows(progress) { (rows) throws(ImageError) in
                let rows = try rows.converted(
                    to: wanted.info.format, alpha: wanted.info.alpha, background: RGBA8(rgb: options.background))
                try wanted.fill(memory, stride: stride, from: rows)
            }
        }
    }
}

/// Makes an image of the pixels at `pixels`, which are copied.
@c @implementation
public func tessera_image_create(
    _ pixels_layout: UnsafePointer<tessera_layout>?, _ pixels: UnsafeRawPointer?, _ byte_count: Int, _ stride: Int,
    _ profile: UnsafeRawPointer?, _ profile_byte_count: Int, _ image: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: image, name: "image") {
            let layout = try CallerStructure.readRequired(pixels_layout, name: "pixels_layout")
            let size = PixelSize(width: Int(layout.width), height: Int(layout.height))
            try DecodingLimits.standard.check(size, format: .png)
            guard layout.pixels != TESSERA_PIXELS_DEFAULT else {
                throw LibraryFailure.invalid("pixels_layout.pixels is TESSERA_PIXELS_DEFAULT; name the pixels' layout")
            }
            guard let pixels else { throw LibraryFailure.invalid("pixels is NULL") }
            let profile = try CallerMemory.bytes(
                profile, profile_byte_count, limit: DecodingLimits.standard.maximumMetadataByteCount, name: "profile")
            // Without a word on it, the fourth channel is straight alpha.
            let standard = BitmapInfo(size: size, format: .rgba8, alpha: .straight)
            var given = try CallerPixels(size: size, pixels: layout.pixels, alpha: layout.alpha, source: standard)
            if !profile.isEmpty { given = given.withProfile(.icc(profile)) }
            try given.check(byteCount: byte_count, stride: stride)
            let memory = UnsafeRawBufferPointer(start: pixels, count: byte_count)
            return ImageHandle(Image(try given.bitmap(memory, stride: stride)))
        }
    }
}

extension RGBA8 {
    /// The opaque colour 0xRRGGBB.
    init(rgb: UInt32) {
        self.init(UInt8(rgb >> 16 & 0xFF), UInt8(rgb >> 8 & 0xFF), UInt8(rgb & 0xFF))
    }
}
