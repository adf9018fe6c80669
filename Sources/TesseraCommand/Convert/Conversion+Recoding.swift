internal import ImageFormats
internal import Tessera

extension Conversion {
    /// Recompresses a JPEG's coefficients as JPEG XL, or restores the original JPEG from such a file, bit for bit.
    ///
    /// Applies only to a lossless conversion of a whole file that keeps its size and all metadata.
    /// - Returns: nil if that doesn't apply.
    func recode(_ source: Source, to output: EncodedOutput) throws(ImageError) -> Result? {
        #if JPEGXL
        guard settings.encoding.isLossless, settings.keeping == .all, settings.change.isNone,
            settings.selection == .all, entry.format == .jpegXL || entry.format == .jpeg,
            !source.isStream
        else { return nil }
        let format = try ImageSource.header(of: source, options: decoding, registry: registry).format
        guard Set([format, entry.format]) == [.jpeg, .jpegXL] else { return nil }
        guard let codec = registry.codec(for: format) as? any Recompressing else {
            throw ImageError(.unsupported, "a JPEG's coefficients are packed in this process; that can't be isolated")
        }
        guard let bytes = try codec.recompress(source.bytes(), as: entry.format, options: settings.encoding)
        else {
            throw ImageError(.unsupported, "it wasn't made from a JPEG; without --lossless one is made of its pixels")
        }
        try output.write(bytes)
        try output.commit()
        return Result(inputByteCount: source.byteCount ?? 0, outputByteCount: bytes.count)
        #else
        return nil
        #endif
    }
}
