#if TIFF
internal import CTesseraTIFF
internal import Raster

/// A TIFF file that libtiff writes in memory, and that is handed on at the end.
final class TIFFFileWriter {
    /// Whether it is a BigTIFF.
    let isBig: Bool
    private let output: any ByteSink
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer

    /// A file for `count` pictures like `info`, a BigTIFF if they might need it.
    init(for info: BitmapInfo, count: Int, output: any ByteSink) throws(ImageError) {
        let (pixels, tooMany) = info.size.pixelCount.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: count)
        // LZW makes noise half as large again.
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

    /// Packs a strip or tile, whose bytes may be changed by it.
    func writeChunk(_ index: Int, _ bytes: inout [UInt8], count: Int) throws(ImageError) {
        precondition(count <= bytes.count)
        try check(tessera_tiff_encoder_write_chunk(handle, UInt32(clamping: index), &bytes, count))
    }

    /// Puts the fields of an EXIF block where TIFF has them: text in the page's directory, the rest in directories of
    /// its own. The orientation and the resolution are the page's business.
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

    /// Ends the file and hands it on.
    func finish() throws(ImageError) {
        try check(tessera_tiff_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_tiff_encoder_output(handle, &count) else { return }
        // The shim keeps the bytes for as long as the handle lives.
        try output.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status != TESSERA_OK else { return }
        // The message lives as long as the handle, and is copied here.
        let message = String(cString: tessera_tiff_encoder_message(handle))
        throw ImageError(
            message.contains("memory") ? .outOfMemory : .unsupported, "the TIFF file can't be written: \(message)")
    }
}

/// A sink that writes a TIFF file of one picture from rows as they come.
final class TIFFEncoder: RowSink {
    private let page: TIFFPageWriter
    private let file: TIFFFileWriter

    init(_ page: TIFFPageWriter, _ file: TIFFFileWriter) {
        self.page = page
        self.file = file
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) { try page.write(rows) }

    func finish() throws(ImageError) {
        try page.finish()
        try file.finish()
    }
}

/// A sink that writes a TIFF file of several pages.
final class TIFFSequenceEncoder: FrameSink {
    private let file: TIFFFileWriter
    private let options: EncodingOptions
    private var remaining: RemainingFrames

    /// - Throws: `invalidParameter` unless `count` is one to 65535, which is what a page's number has room for.
    init(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        remaining = try RemainingFrames(count, in: .tiff, range: 1...65535)
        file = try TIFFFileWriter(for: info, count: count, output: output)
        self.options = options
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        let index = remaining.taken
        try remaining.take(frame)
        let page = try TIFFPageWriter(file, frame.info, options: options, page: (index, remaining.total))
        try page.write(frame.rows)
        try page.finish()
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try file.finish()
    }
}
#endif
