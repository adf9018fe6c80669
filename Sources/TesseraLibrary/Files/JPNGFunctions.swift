public import CTessera
internal import ImageFormats
internal import JPNGContainer
internal import Platform
internal import Raster

// The functions of JPNG's container. Their documentation is in tessera.h.

/// Finds the parts of a JPNG file; decodes nothing.
@c @implementation
public func tessera_jpng_split(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ parts: UnsafeMutablePointer<tessera_jpng_parts>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try CallerStructure.write(tessera_jpng_parts(), to: parts, name: "parts")
        guard count >= 0, let bytes else { throw LibraryFailure.invalid("bytes is NULL, or count is too large") }
        // As many bytes as the caller says; the span doesn't outlive the call.
        let container: JPNGContainer
        do throws(JPNGError) {
            container = try JPNGContainer(verifying: UnsafeRawBufferPointer(start: bytes, count: count).bytes)
        } catch {
            throw ImageError(error)
        }
        var result = tessera_jpng_parts()
        result.color_byte_count = Int64(container.colorRange.count)
        result.mask_offset = Int64(container.maskRange.lowerBound)
        result.mask_byte_count = Int64(container.maskRange.count)
        result.version = Int32(container.maskKind.majorVersion)
        try CallerStructure.write(result, to: parts, name: "parts")
    }
}

/// Makes a JPNG file of a colour JPEG and a mask, a grey PNG or JPEG.
@c @implementation
public func tessera_jpng_join(
    _ color: UnsafeRawPointer?, _ color_count: Int, _ mask: UnsafeRawPointer?, _ mask_count: Int,
    _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try EncodedMemory.store(in: bytes, count) { memory in
            let color = try CallerMemory.bytes(color, color_count, name: "color")
            let mask = try CallerMemory.bytes(mask, mask_count, name: "mask")
            let file: [UInt8]
            do throws(JPNGError) {
                file = try JPNGContainer.join(color: color.span.bytes, mask: mask.span.bytes)
            } catch {
                throw ImageError(error)
            }
            try memory.write(file.span.bytes)
            return true
        }
    }
}

/// Checks a JPNG file: its layout, and that both parts decode to the end.
@c @implementation
public func tessera_jpng_verify(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ notes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        notes?.pointee = nil
        let limit = DecodingLimits.standard.maximumInputByteCount
        let report = JPNGReport(try CallerMemory.bytes(bytes, count, limit: limit, name: "bytes"))
        if let problem = report.problem { throw problem }
        if !report.notes.isEmpty { notes?.pointee = strdup(report.notes.joined(separator: "\n")) }
    }
}
