public import CTessera
internal import ImageFormats
internal import Platform
internal import Raster

// The functions that write files. Their documentation is in tessera.h.

/// Encodes an image in memory.
@c @implementation
public func tessera_encode(
    _ image: OpaquePointer?, _ options: UnsafePointer<tessera_encode_options>?,
    _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try EncodedMemory.store(in: bytes, count) { memory in
            let settings = try EncodeSettings(options)
            try settings.write(image, as: settings.requiredFormat(), to: memory)
            return true
        }
    }
}

/// Writes an image to a file, which appears whole or not at all.
@c @implementation
public func tessera_write_path(
    _ image: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<tessera_encode_options>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let settings = try EncodeSettings(options)
        let path = try CallerText.readRequired(path, name: "path")
        let format = if let format = settings.format { format } else { try ImageFormat(writtenTo: path) }
        let file = try AtomicFile(path: path, overwrites: settings.overwrites)
        try settings.write(image, as: format, to: file)
        try file.commit()
    }
}

/// Writes an image to a callback as it is encoded.
@c @implementation
public func tessera_write_sink(
    _ image: OpaquePointer?, _ sink: UnsafePointer<tessera_sink>?, _ options: UnsafePointer<tessera_encode_options>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        let settings = try EncodeSettings(options)
        let output = try CallerSink(CallerStructure.readRequired(sink, name: "sink"))
        try settings.write(image, as: settings.requiredFormat(), to: output)
    }
}

extension EncodeSettings {
    /// Writes the image of `handle` to `output`.
    fileprivate func write(_ handle: OpaquePointer?, as format: ImageFormat, to output: any ByteSink) throws {
        let object: ImageHandle = try HandleTable.shared.object(handle, name: "image")
        try ProgressCallback.following(progress, context) { (progress) throws(ImageError) in
            let plan = try EncodingPlan(object.image, as: format, options: encoding, keeping: keeping)
            try plan.write(to: output) { ProgressCallback.observe($0, progress) }
        }
    }
}

/// Encodes `image_count` images as the frames of an animation, or the pages of a file, depending on the format.
@c @implementation
public func tessera_encode_frames(
    _ images: UnsafePointer<OpaquePointer?>?, _ durations: UnsafePointer<Double>?, _ image_count: Int,
    _ options: UnsafePointer<tessera_encode_options>?, _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try EncodedMemory.store(in: bytes, count) { memory in
            let settings = try EncodeSettings(options)
            guard let images else { throw LibraryFailure.invalid("images is NULL") }
            guard 1...DecodingLimits.standard.maximumFrameCount ~= image_count else {
                throw LibraryFailure.invalid(
                    "image_count of \(image_count) is not between 1 and \(DecodingLimits.standard.maximumFrameCount)")
            }
            // As many elements as the caller says.
            let frames: [ImageHandle] = try UnsafeBufferPointer(start: images, count: image_count).map {
                try HandleTable.shared.object($0, name: "an element of images")
            }
            let times = durations.map { Array(UnsafeBufferPointer(start: $0, count: image_count)) }
            guard times?.allSatisfy({ $0 >= 0 && $0.isFinite }) ?? true else {
                throw LibraryFailure.invalid("a duration is negative or not a number")
            }
            let destination = try ImageDestination(format: settings.requiredFormat(), options: settings.encoding)
            try ProgressCallback.following(settings.progress, settings.context) { (progress) throws(ImageError) in
                try destination.encode(count: image_count, to: memory) { (index) throws(ImageError) in
                    try progress?.report(Double(index) / Double(image_count))
                    return (try frames[index].image.bitmap(), times?[index] ?? 0.1)
                }
            }
            return true
        }
    }
}
