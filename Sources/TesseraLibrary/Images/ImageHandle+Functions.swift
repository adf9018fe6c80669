public import CTessera
internal import ImageFormats
internal import Raster

// The functions that open, describe and reduce images. Their documentation is in tessera.h.

/// Opens the image in the file at `path`.
@c @implementation
public func tessera_open_path(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<tessera_open_options>?,
    _ image: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: image, name: "image") {
            let path = try CallerText.readRequired(path, name: "path")
            return try ImageHandle(.path(path), OpenSettings(options))
        }
    }
}

/// Opens the image in `count` bytes at `bytes`, which are copied.
@c @implementation
public func tessera_open_memory(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ options: UnsafePointer<tessera_open_options>?,
    _ image: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: image, name: "image") {
            let settings = try OpenSettings(options)
            let bytes = try CallerMemory.bytes(
                bytes, count, limit: settings.decoding.limits.maximumInputByteCount, name: "bytes")
            return try ImageHandle(.source(Source(bytes)), settings)
        }
    }
}

/// Opens the image that callbacks read.
@c @implementation
public func tessera_open_source(
    _ source: UnsafePointer<tessera_source>?, _ options: UnsafePointer<tessera_open_options>?,
    _ image: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: image, name: "image") {
            let callbacks = try CallerSource(CallerStructure.readRequired(source, name: "source"))
            let settings = try OpenSettings(options)
            let opened = try callbacks.open(limit: settings.decoding.limits.maximumInputByteCount)
            let handle = try ImageHandle(.source(opened), settings)
            callbacks.keep()
            return handle
        }
    }
}

/// Frees the handle.
@c @implementation
public func tessera_image_free(_ image: OpaquePointer?) {
    HandleTable.shared.remove(image, as: ImageHandle.self)
}

/// Describes an image; decodes nothing.
@c @implementation
public func tessera_image_info(
    _ image: OpaquePointer?, _ info: UnsafeMutablePointer<tessera_info>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
        try CallerStructure.write(tessera_info(handle), to: info, name: "info")
    }
}

extension tessera_info {
    fileprivate init(_ handle: ImageHandle) {
        self.init()
        let image = handle.image
        (width, height) = (Int64(image.size.width), Int64(image.size.height))
        pixels = image.info.format.code
        has_alpha = image.hasAlpha ? 1 : 0
        is_vector = image.isVector ? 1 : 0
        bits_per_channel = Int32(image.info.format.bitsPerChannel)
        (orientation, image_count) = (1, 1)
        guard let header = handle.encoded?.header else { return }
        CallerStructure.store(header.format.name, in: &format)
        CallerStructure.store(header.format.mimeType, in: &media_type)
        bits_per_channel = Int32(header.bitsPerChannel)
        orientation = Int32(header.metadata.orientation.rawValue)
        is_progressive = header.isProgressive ? 1 : 0
        if let sequence = header.sequence {
            is_animation = sequence.kind == .animation ? 1 : 0
            image_count = Int64(sequence.count ?? 0)
            loop_count = Int64(sequence.loopCount)
        }
        if let resolution = header.metadata.resolution {
            (horizontal_resolution, vertical_resolution) = (resolution.horizontal, resolution.vertical)
        }
    }
}

/// Copies a block of metadata; `*bytes` is NULL if there is none.
@c @implementation
public func tessera_image_metadata(
    _ image: OpaquePointer?, _ block: Int32, _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try EncodedMemory.store(in: bytes, count) { memory in
            let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
            let header = handle.encoded?.header
            let content: [UInt8]?
            switch Int(block) {
            case TESSERA_METADATA_EXIF: content = header?.metadata.exif
            case TESSERA_METADATA_XMP: content = header?.metadata.xmp
            case TESSERA_METADATA_ICC:
                content =
                    if case .icc(let profile) = header?.profile ?? handle.image.info.profile { profile } else { nil }
            default: throw LibraryFailure.invalid("block of \(block) is none of TESSERA_METADATA_…")
            }
            guard let content else { return false }
            try memory.write(content.span.bytes)
            return true
        }
    }
}

/// Makes an image reduced to fit `width` × `height` pixels, with its proportions, upright, by a Lanczos filter.
@c @implementation
public func tessera_thumbnail(
    _ image: OpaquePointer?, _ width: Int64, _ height: Int64, _ options: UnsafePointer<tessera_thumbnail_options>?,
    _ thumbnail: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: thumbnail, name: "thumbnail") {
            let handle: ImageHandle = try HandleTable.shared.object(image, name: "image")
            let options = try CallerStructure.read(options, name: "options")
            guard width > 0, height > 0 else {
                throw LibraryFailure.invalid("invalid box \(width)x\(height): width and height must be at least 1")
            }
            var selection = PixelSelection(of: handle)
            selection.fit(PixelSize(width: Int(width), height: Int(height)))
            return try ProgressCallback.following(options.progress, options.context) { (progress) throws(ImageError) in
                ImageHandle(
                    Image(try selection.withRows(progress) { (rows) throws(ImageError) in try rows.makeBitmap() }))
            }
        }
    }
}
