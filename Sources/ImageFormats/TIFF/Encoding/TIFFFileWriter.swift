#if TIFF
internal import CTesseraTIFF
internal import Raster

/// A TIFF file that libtiff builds in memory; it is written to the output at the end.
final class TIFFFileWriter {
    /// Whether the file is a BigTIFF.
    let isBig: Bool
    private let output: any ByteSink
    /// The shim's encoder, owned by this object; nothing else has the pointer.
    private let handle: OpaquePointer

    /// Creates a file for `count` images like `info`: a BigTIFF if 4 GB might not be enough.
    init(for info: BitmapInfo, count: Int, output: any ByteSink) throws(ImageError) {
        let (pixels, tooMany) = info.size.pixelCount.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: count)
        // LZW enlarges noise by half.
        isBig = tooMany || overflows || bytes > 0xFFFF_FFFF / 3 * 2
        guard let handle = tessera_tiff_encoder_create(isBig) else {
            throw ImageError(.outOfMemory, "no memory for a TIFF encoder")
        }
        self.handle = handle
        self.output = output
    }

    deinit { tessera_tiff_encoder_destroy(handle) }

    func beginPage(_ page: tessera_tiff_page) throws(ImageError) {
        var page = page
        try check(tessera_tiff_encoder_begin_page(handle, &page))
    }

    func endPage() throws(ImageError) { try check(tessera_tiff_encoder_end_page(handle)) }

    func set(_ tag: Int, _ bytes: [UInt8]) throws(ImageError) {
        try check(tessera_tiff_encoder_set_bytes(handle, UInt32(tag), bytes, UInt32(clamping: bytes.count)))
    }

    /// Compresses a strip or tile; may change `bytes`.
    func writeChunk(_ index: Int, _ bytes: inout [UInt8], count: Int) throws(ImageError) {
        precondition(count <= bytes.count)
        try check(tessera_tiff_encoder_write_chunk(handle, UInt32(clamping: index), &bytes, count))
    }

    /// Writes the fields of an EXIF block: text into the page's directory, the rest into separate directories. The page
    /// itself sets orientation and resolution.
    func writeEXIF(_ block: [UInt8]) throws(ImageError) {
        guard let structure = TIFFStructure(TIFFBytes(block)),
            let directory = structure.directory(at: structure.firstDirectory)
        else { return }
        for tag in TIFFTag.texts {
            guard let field = directory[tag], field.type == 2 else { continue }
            let text = structure.bytes(of: field).prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            if !text.isEmpty { try check(tessera_tiff_encoder_set_text(handle, UInt32(tag), text + [0])) }
        }
        for tag in [TIFFTag.exifDirectory, TIFFTag.gpsDirectory] {
            var copy = TIFFDirectoryCopy(
                start: Int(clamping: tessera_tiff_encoder_position(handle)), isLittleEndian: 1.littleEndian == 1,
                isBig: isBig, limit: 4 * block.count + 65536)
            guard let child = copy.addChild(tag, of: directory, in: structure) else { continue }
            try check(tessera_tiff_encoder_append(handle, copy.bytes, copy.bytes.count))
            try check(tessera_tiff_encoder_set_directory(handle, UInt32(tag), UInt64(clamping: child.offset)))
        }
    }

    /// Completes the file and writes it to the output.
    func finish() throws(ImageError) {
        try check(tessera_tiff_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_tiff_encoder_output(handle, &count) else { return }
        // The bytes live as long as the handle.
        try output.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status != TESSERA_OK else { return }
        // The message lives as long as the handle; it is copied here.
        let message = String(cString: tessera_tiff_encoder_message(handle))
        throw ImageError(
            message.contains("memory") ? .outOfMemory : .unsupported, "the TIFF file can't be written: \(message)")
    }
}
#endif
